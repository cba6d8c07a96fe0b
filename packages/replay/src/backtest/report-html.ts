// The report as one page that needs nothing else: inline SVG, no script, no network. Equal reports give equal bytes.

import type { BacktestReport } from '@ladderlog/core';
import { parseIso } from '@ladderlog/core';

const WIDTH = 1_000;
const PAD = { left: 64, right: 12, top: 12, bottom: 24 };
/** Charts of single markets, those with fills first. */
const MAX_CHARTS = 24;
const MAX_ROWS = 500;

type Point = readonly [at: number, value: number | null];
type Band = { readonly from: number; readonly to: number; readonly title: string };
type Mark = { readonly at: number; readonly value: number; readonly up: boolean; readonly title: string };

export function reportHtml(report: BacktestReport): string {
  const { inputs, result, quality, log, versions } = report;
  const from = time(inputs.from);
  const to = time(inputs.to);
  const bandsOf = (market: string | null): Band[] =>
    quality.gaps
      .filter((gap) => market === null || gap.market === market)
      .map((gap) => ({
        from: Math.max(from, time(gap.from)),
        to: Math.min(to, gap.to === null ? to : time(gap.to)),
        title: `gap: ${gap.cause}, ${gap.from} to ${gap.to ?? 'the end'}`,
      }));
  const traded = new Set(report.fills.map((fill) => fill.market_id));
  const paths = report.price_paths
    .filter((path) => traded.size === 0 || traded.has(path.market_id))
    .slice(0, MAX_CHARTS);
  const one = inputs.markets.length === 1 ? inputs.markets[0]! : null;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Backtest: ${text(versions.strategy)}</title>
<style>${STYLE}</style>
</head>
<body>
<svg class="defs" aria-hidden="true"><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" class="hatch-back"/><line x1="0" y1="0" x2="0" y2="6" class="hatch-line"/></pattern></defs></svg>
<h1>${text(versions.strategy)}</h1>
<p class="lead">${text(inputs.from)} to ${text(inputs.to)} · ${one ? text(one.title ?? one.market_id) : `${inputs.markets.length} markets`} · latency ${inputs.latency_ms} ms · seed ${inputs.seed}</p>
${tiles([
  ['Profit', signed(result.profit), result.profit < 0 ? 'bad' : 'good'],
  ['Equity', String(result.equity), ''],
  ['Fees', String(result.fees), ''],
  ['Max drawdown', String(result.max_drawdown), ''],
  ['Fills / orders', `${result.fills} / ${result.orders}`, ''],
  ['Covered', percent(quality.covered_ratio), ''],
  ['Gaps (crossed)', `${quality.gaps.length} (${quality.gaps_crossed.length})`, ''],
])}
<h2>Equity</h2>
${chart({
  height: 240,
  from,
  to,
  lines: [{ kind: 'equity', points: report.equity_curve.map(([at, value]) => [time(at), value] as const) }],
  bands: one ? bandsOf(null) : [],
  marks: [],
})}
<p class="note">Cash and what the best recorded bid would have paid for the contracts held.${one ? ' Hatched: not recorded.' : ''}</p>
<h2>Fills on the price path</h2>
${
  paths
    .map((path) => {
      const fills = report.fills.filter(
        (fill) => fill.market_id === path.market_id && ownPath(path, fill.outcome_id),
      );
      return `<h3>${text(titleOf(report, path.market_id))} <span>${text(path.outcome_id)}</span></h3>
${chart({
  height: 220,
  from: Math.min(...path.points.map(([at]) => time(at)), ...fills.map((fill) => time(fill.time))),
  to: Math.max(...path.points.map(([at]) => time(at)), ...fills.map((fill) => time(fill.time))),
  lines: [
    { kind: 'bid', points: path.points.map(([at, bid]) => [time(at), bid] as const) },
    { kind: 'ask', points: path.points.map(([at, , ask]) => [time(at), ask] as const) },
  ],
  bands: bandsOf(path.market_id),
  marks: fills.map((fill) => {
    const direct = fill.outcome_id === path.outcome_id;
    return {
      at: time(fill.time),
      value: direct ? fill.price : 1 - fill.price,
      up: (fill.side === 'buy') === direct,
      title: `${fill.side} ${fill.size} ${fill.outcome_id} at ${fill.price}, ${fill.time}, book ${fill.book}`,
    };
  }),
})}`;
    })
    .join('\n') || '<p class="note">No books.</p>'
}
${report.price_paths.length > paths.length ? `<p class="note">${paths.length} of ${report.price_paths.length} books are drawn.</p>` : ''}
<p class="note">Blue: best bid. Orange: best ask. Triangles: fills, up for a purchase of this outcome. Hatched: not recorded, and no order fills there.</p>
<h2>Order ends</h2>
${table(
  ['end', 'orders'],
  Object.entries(result.order_ends).map(([end, count]) => [end, String(count)]),
)}
<h2>Fills</h2>
${table(
  ['time', 'market', 'outcome', 'side', 'price', 'size', 'amount', 'fee', 'book', 'age ms'],
  report.fills
    .slice(0, MAX_ROWS)
    .map((fill) => [
      fill.time,
      titleOf(report, fill.market_id),
      fill.outcome_id,
      `${fill.side} (${fill.liquidity})`,
      String(fill.price),
      String(fill.size),
      String(fill.amount),
      String(fill.fee),
      fill.book,
      String(fill.book_age_ms),
    ]),
)}
${report.fills.length > MAX_ROWS ? `<p class="note">${MAX_ROWS} of ${report.fills.length}; all are in the JSON report.</p>` : ''}
<h2>Settlements</h2>
${table(
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
)}
<h2>What it rests on</h2>
${table(
  ['fact', 'value'],
  [
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
  ],
)}
<h2>Not modelled</h2>
<ul>${quality.not_modelled.map((line) => `<li>${text(line)}</li>`).join('')}</ul>
</body>
</html>
`;
}

/** Fills of the other outcome of A and B are drawn on the book they took. */
const ownPath = (path: { readonly outcome_id: string }, outcome: string): boolean =>
  outcome === path.outcome_id ||
  (path.outcome_id === 'yes' && outcome === 'no') ||
  (path.outcome_id === '0' && outcome === '1');

const time = (iso: string): number => parseIso(iso) ?? 0;
const signed = (value: number): string => (value > 0 ? `+${value}` : String(value));
const percent = (part: number | null): string => (part === null ? '-' : `${(part * 100).toFixed(2)} %`);

function titleOf(report: BacktestReport, market: string): string {
  const title = report.inputs.markets.find((one) => one.market_id === market)?.title;
  const id = market.length > 24 ? `${market.slice(0, 10)}…${market.slice(-4)}` : market;
  return title ? `${title} (${id})` : id;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const text = (value: string): string => value.replaceAll(/[&<>"']/g, (found) => ESCAPES[found]!);

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

type Chart = {
  readonly height: number;
  readonly from: number;
  readonly to: number;
  readonly lines: readonly { readonly kind: string; readonly points: readonly Point[] }[];
  readonly bands: readonly Band[];
  readonly marks: readonly Mark[];
};

function chart({ height, from, to, lines, bands, marks }: Chart): string {
  const values = [
    ...lines.flatMap(({ points }) => points.map(([, value]) => value)).filter((value) => value !== null),
    ...marks.map(({ value }) => value),
  ];
  if (values.length === 0) return '<p class="note">Nothing to draw.</p>';
  let low = Math.min(...values);
  let high = Math.max(...values);
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  // Prices and equity are not negative: the axis need not be.
  low = low < 0 ? low - room : Math.max(0, low - room);
  high += room;
  const inner = { width: WIDTH - PAD.left - PAD.right, height: height - PAD.top - PAD.bottom };
  const x = (at: number): string => (PAD.left + (inner.width * (at - from)) / (to - from || 1)).toFixed(1);
  const y = (value: number): string =>
    (PAD.top + inner.height * (1 - (value - low) / (high - low))).toFixed(1);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((part) => low + part * (high - low));
  const stamps = [0, 0.25, 0.5, 0.75, 1].map((part) => from + part * (to - from));
  const drawn = bands.filter((band) => band.to > from && band.from < to);
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img">
${grid.map((value) => `<line class="grid" x1="${PAD.left}" x2="${WIDTH - PAD.right}" y1="${y(value)}" y2="${y(value)}"/><text x="${PAD.left - 6}" y="${y(value)}" class="axis y">${label(value, high - low)}</text>`).join('')}
${stamps.map((at, index) => `<text x="${x(at)}" y="${height - 6}" class="axis ${index === 0 ? 'first' : index === 4 ? 'last' : 'x'}">${clock(at, to - from)}</text>`).join('')}
${drawn.map((band) => `<rect class="gap" x="${x(Math.max(from, band.from))}" y="${PAD.top}" width="${Math.max(1, Number(x(Math.min(to, band.to))) - Number(x(Math.max(from, band.from)))).toFixed(1)}" height="${inner.height}"><title>${text(band.title)}</title></rect>`).join('')}
${lines.map(({ kind, points }) => `<path class="${kind}" d="${stepPath(points, x, y)}"/>`).join('')}
${marks.map((mark) => `<path class="${mark.up ? 'buy' : 'sell'}" d="${triangle(Number(x(mark.at)), Number(y(mark.value)), mark.up)}"><title>${text(mark.title)}</title></path>`).join('')}
</svg>`;
}

/** A value holds until the next; a line ends where the book was not known. */
function stepPath(points: readonly Point[], x: (at: number) => string, y: (value: number) => string): string {
  let path = '';
  let open = false;
  for (const [at, value] of points) {
    if (open) path += `H${x(at)}`;
    if (value === null) open = false;
    else {
      path += open ? `V${y(value)}` : `M${x(at)},${y(value)}`;
      open = true;
    }
  }
  return path;
}

function triangle(x: number, y: number, up: boolean): string {
  const tip = up ? 2 : -2;
  const base = up ? 11 : -11;
  return `M${x.toFixed(1)},${(y + tip).toFixed(1)}l5,${base - tip}h-10z`;
}

function label(value: number, span: number): string {
  return value.toFixed(span >= 100 ? 0 : span >= 1 ? 2 : span >= 0.1 ? 3 : 4);
}

/** Time of day, with the date where the range is long. */
function clock(at: number, span: number): string {
  const iso = new Date(Math.floor(at / 1_000)).toISOString();
  return span > 2 * 86_400_000_000 ? iso.slice(5, 16).replace('T', ' ') : iso.slice(11, 19);
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
