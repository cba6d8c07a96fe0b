// The report as one page that needs nothing else: inline SVG, no script, no network. Equal reports give equal bytes.

import type { BacktestReport } from '@ladderlog/core';
import { bookOf, parseIso } from '@ladderlog/core';
import type { Band } from './chart.ts';
import { chart, text } from './chart.ts';

/** Charts of single markets, those with fills first. */
const MAX_CHARTS = 24;
const MAX_ROWS = 500;

export const reportHtml = (report: BacktestReport): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Backtest: ${text(report.versions.strategy)}</title>
<style>${STYLE}</style>
</head>
<body>
<svg class="defs" aria-hidden="true"><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" class="hatch-back"/><line x1="0" y1="0" x2="0" y2="6" class="hatch-line"/></pattern></defs></svg>
${summary(report)}
<h2>Equity</h2>
${equity(report)}
<h2>Fills on the price path</h2>
${pricePaths(report)}
<p class="note">Blue: best bid. Orange: best ask. Triangles: fills, up for a purchase of this outcome. Hatched: not recorded, and no order fills there.</p>
<h2>Order ends</h2>
${table(
  ['end', 'orders'],
  Object.entries(report.result.order_ends).map(([end, count]) => [end, String(count)]),
)}
<h2>Fills</h2>
${fills(report)}
<h2>Settlements</h2>
${settlements(report)}
<h2>What it rests on</h2>
${table(['fact', 'value'], facts(report))}
<h2>Not modelled</h2>
<ul>${report.quality.not_modelled.map((line) => `<li>${text(line)}</li>`).join('')}</ul>
</body>
</html>
`;

type MarketInput = BacktestReport['inputs']['markets'][number];

const onlyMarket = ({ inputs }: BacktestReport): MarketInput | null =>
  inputs.markets.length === 1 ? inputs.markets[0]! : null;

function summary(report: BacktestReport): string {
  const { inputs, result, quality, versions } = report;
  const one = onlyMarket(report);
  return `<h1>${text(versions.strategy)}</h1>
<p class="lead">${text(inputs.from)} to ${text(inputs.to)} · ${one ? text(one.title ?? one.market_id) : `${inputs.markets.length} markets`} · latency ${inputs.latency_ms} ms · seed ${inputs.seed}</p>
${tiles([
  ['Profit', signed(result.profit), result.profit < 0 ? 'bad' : 'good'],
  ['Equity', String(result.equity), ''],
  ['Fees', String(result.fees), ''],
  ['Max drawdown', String(result.max_drawdown), ''],
  ['Fills / orders', `${result.fills} / ${result.orders}`, ''],
  ['Covered', percent(quality.covered_ratio), ''],
  ['Gaps (crossed)', `${quality.gaps.length} (${quality.gaps_crossed.length})`, ''],
])}`;
}

/** Gaps of a market, or of all. */
function bandsOf({ inputs, quality }: BacktestReport, market: string | null): Band[] {
  const from = time(inputs.from);
  const to = time(inputs.to);
  return quality.gaps
    .filter((gap) => market === null || gap.market === market)
    .map((gap) => ({
      from: Math.max(from, time(gap.from)),
      to: Math.min(to, gap.to === null ? to : time(gap.to)),
      title: `gap: ${gap.cause}, ${gap.from} to ${gap.to ?? 'the end'}`,
    }));
}

function equity(report: BacktestReport): string {
  const one = onlyMarket(report);
  const points = report.equity_curve.map(([at, value]) => [time(at), value] as const);
  return `${chart({
    height: 240,
    from: time(report.inputs.from),
    to: time(report.inputs.to),
    lines: [{ kind: 'equity', points }],
    bands: one ? bandsOf(report, null) : [],
    marks: [],
  })}
<p class="note">Cash and what the best recorded bid would have paid for the contracts held.${one ? ' Hatched: not recorded.' : ''}</p>`;
}

function pricePaths(report: BacktestReport): string {
  const traded = new Set(report.fills.map((fill) => fill.market_id));
  const paths = report.price_paths
    .filter((path) => traded.size === 0 || traded.has(path.market_id))
    .slice(0, MAX_CHARTS);
  const charts = paths.map((path) => pricePath(report, path)).join('\n') || '<p class="note">No books.</p>';
  return `${charts}
${report.price_paths.length > paths.length ? `<p class="note">${paths.length} of ${report.price_paths.length} books are drawn.</p>` : ''}`;
}

type Path = BacktestReport['price_paths'][number];

/** Fills of an outcome that trades against the mirror of another are drawn on the book they took. */
function pricePath(report: BacktestReport, path: Path): string {
  const venue = report.inputs.markets.find((one) => one.market_id === path.market_id)?.venue;
  const drawn = report.fills.filter(
    ({ market_id: market, outcome_id: outcome }) =>
      market === path.market_id && (venue ? bookOf(venue, outcome).name : outcome) === path.outcome_id,
  );
  const times = [...path.points.map(([at]) => time(at)), ...drawn.map((fill) => time(fill.time))];
  return `<h3>${text(titleOf(report, path.market_id))} <span>${text(path.outcome_id)}</span></h3>
${chart({
  height: 220,
  from: Math.min(...times),
  to: Math.max(...times),
  lines: [
    { kind: 'bid', points: path.points.map(([at, bid]) => [time(at), bid] as const) },
    { kind: 'ask', points: path.points.map(([at, , ask]) => [time(at), ask] as const) },
  ],
  bands: bandsOf(report, path.market_id),
  marks: drawn.map((fill) => {
    const direct = fill.outcome_id === path.outcome_id;
    return {
      at: time(fill.time),
      value: direct ? fill.price : 1 - fill.price,
      up: (fill.side === 'buy') === direct,
      title: `${fill.side} ${fill.size} ${fill.outcome_id} at ${fill.price}, ${fill.time}, book ${fill.book}`,
    };
  }),
})}`;
}

function fills(report: BacktestReport): string {
  const rows = report.fills
    .slice(0, MAX_ROWS)
    .map((fill) => [
      fill.time,
      titleOf(report, fill.market_id),
      fill.outcome_id,
      `${fill.side} (${fill.liquidity})`,
      ...[fill.price, fill.size, fill.amount, fill.fee].map(String),
      fill.book,
      String(fill.book_age_ms),
    ]);
  return `${table(['time', 'market', 'outcome', 'side', 'price', 'size', 'amount', 'fee', 'book', 'age ms'], rows)}
${report.fills.length > MAX_ROWS ? `<p class="note">${MAX_ROWS} of ${report.fills.length}; all are in the JSON report.</p>` : ''}`;
}

const settlements = (report: BacktestReport): string =>
  table(
    ['time', 'market', 'outcome', 'size', 'payout', 'amount', 'rule', 'log position'],
    report.settlements
      .slice(0, MAX_ROWS)
      .map((one) => [
        one.time,
        titleOf(report, one.market_id),
        one.outcome_id,
        String(one.size),
        one.payout === null ? 'refund' : String(one.payout),
        String(one.amount),
        one.after_range ? `${one.rule}, after the range` : one.rule,
        one.position,
      ]),
  );

const facts = (report: BacktestReport): [string, string][] => {
  const { inputs, quality, log, versions } = report;
  return [
    ['log', `${log.kind}, ${log.books} books of ${log.events} events, ${log.unreadable} unreadable records`],
    ...log.positions.map(({ partition, first, last }): [string, string] => [
      `positions ${partition}`,
      `${first} to ${last}`,
    ]),
    ...quality.coverage
      .slice(0, MAX_ROWS)
      .map((row): [string, string] => [
        `coverage ${titleOf(report, row.market_id)}`,
        `${percent(row.covered_ratio)}, ${row.gaps} gaps`,
      ]),
    ['book age limit', `${inputs.max_book_age_ms} ms`],
    ['fees', JSON.stringify(inputs.fees)],
    ['void rule', inputs.void_rule],
    ['parameters', JSON.stringify(inputs.params)],
    ['ladderlog', versions.ladderlog],
    ['strategy SHA-256', versions.strategy_sha256 ?? '-'],
  ];
};

const time = (iso: string): number => parseIso(iso) ?? 0;
const signed = (value: number): string => (value > 0 ? `+${value}` : String(value));
const percent = (part: number | null): string => (part === null ? '-' : `${(part * 100).toFixed(2)} %`);

function titleOf(report: BacktestReport, market: string): string {
  const title = report.inputs.markets.find((one) => one.market_id === market)?.title;
  const id = market.length > 24 ? `${market.slice(0, 10)}…${market.slice(-4)}` : market;
  return title ? `${title} (${id})` : id;
}

const tiles = (cells: readonly (readonly [string, string, string])[]): string =>
  `<div class="tiles">${cells
    .map(
      ([name, value, tone]) => `<div><b class="${tone}">${text(value)}</b><span>${text(name)}</span></div>`,
    )
    .join('')}</div>`;

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '<p class="note">None.</p>';
  const line = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${text(cell)}</${tag}>`).join('')}</tr>`;
  return `<div class="scroll"><table><thead>${line(heads, 'th')}</thead><tbody>${rows.map((row) => line(row, 'td')).join('\n')}</tbody></table></div>`;
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --muted: #777; --bid: #2563eb; --ask: #d97706; --good: #15803d; --bad: #b91c1c; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1040px; margin: 2rem auto; padding: 0 1rem; }
h1 { margin: 0; font-size: 1.6rem; } h2 { margin: 2rem 0 .5rem; font-size: 1.1rem; } h3 { margin: 1rem 0 .25rem; font-size: .95rem; }
h3 span, .lead, .note { color: var(--muted); font-weight: normal; } .note { font-size: .85rem; margin: .25rem 0; } h3 span { overflow-wrap: anywhere; font-size: .8rem; }
.tiles { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0; }
.tiles div { border: 1px solid var(--line); border-radius: 6px; padding: .5rem .8rem; min-width: 6.5rem; }
.tiles b { display: block; font-size: 1.15rem; font-variant-numeric: tabular-nums; } .tiles span { color: var(--muted); font-size: .8rem; }
.good { color: var(--good); } .bad { color: var(--bad); }
svg { width: 100%; height: auto; display: block; } .defs { position: absolute; width: 0; height: 0; }
.grid { stroke: var(--line); stroke-width: 1; } .axis { fill: var(--muted); font-size: 11px; font-variant-numeric: tabular-nums; }
.y { text-anchor: end; dominant-baseline: middle; } .x { text-anchor: middle; } .last { text-anchor: end; }
path { fill: none; stroke-width: 1.5; } .equity, .bid { stroke: var(--bid); } .ask { stroke: var(--ask); }
.buy { fill: var(--good); } .sell { fill: var(--bad); }
.gap { fill: url(#hatch); } .hatch-back { fill: #8881; } .hatch-line { stroke: #8889; stroke-width: 2; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .82rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .2rem .7rem .2rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; max-width: 22rem; overflow: hidden; text-overflow: ellipsis; }
`;
