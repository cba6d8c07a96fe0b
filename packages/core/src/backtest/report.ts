// What a backtest says about itself. A function of the run alone: no clock, no machine, so equal inputs give equal bytes.

import type { CoverageAnswer, GapRow } from '../capture/coverage.ts';
import type { Micro } from '../kernel/decimal.ts';
import { formatMicro, toNumber } from '../kernel/decimal.ts';
import type { Venue } from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';
import { MICROS_PER_MS, isoOrNull, toIso } from '../kernel/time.ts';
import type { EngineResult } from './run.ts';
import type { FeeModel } from './fees.ts';
import type { VoidRule } from './settle.ts';
import type { OrderEnd } from './strategy.ts';
import type { Rules } from './trading.ts';

export const NOT_MODELLED: readonly string[] = [
  'hidden liquidity: only recorded depth can be taken',
  'queue priority: a resting order fills only when the recorded book trades through its price, never at it',
  'market impact: the recorded book does not react to the orders (depth once taken stays taken while it is shown)',
];

export type RunFacts = {
  readonly versions: {
    readonly ladderlog: string;
    readonly strategy: string;
    readonly strategySha256: string | null;
  };
  readonly markets: readonly {
    readonly venue: Venue;
    readonly market: string;
    readonly title: string | null;
  }[];
  readonly from: Micros;
  readonly to: Micros;
  readonly clock: 'observed';
  readonly latency: Micros;
  readonly jitter: Micros;
  readonly maxBookAge: Micros;
  readonly cash: Micro;
  readonly seed: number;
  readonly fees: Readonly<Partial<Record<Venue, FeeModel>>>;
  readonly rules: Readonly<Partial<Record<Venue, Rules>>>;
  readonly voidRule: VoidRule;
  readonly params: Readonly<Record<string, string>>;
  readonly coverage: readonly { readonly market: string; readonly answer: CoverageAnswer }[];
  readonly logKind: 'sqlite' | 'kafka';
  /** Records of the range that could not be decoded: they are holes of another kind. */
  readonly unreadable: number;
};

const ms = (time: Micros): number => time / MICROS_PER_MS;

const gapJson = (gap: GapRow) => ({
  gap_id: gap.gap_id,
  market: gap.market,
  outcome: gap.outcome === '' ? null : gap.outcome,
  cause: gap.cause,
  scope: gap.scope,
  from: toIso(gap.from_at),
  to: isoOrNull(gap.to_at),
});

export type BacktestReport = ReturnType<typeof buildReport>;

export function buildReport(facts: RunFacts, result: EngineResult) {
  const profit = result.equity - facts.cash;
  const gaps = facts.coverage.flatMap(({ answer }) => answer.gaps);
  const ends: Partial<Record<OrderEnd, number>> = {};
  for (const { end } of result.orders) if (end) ends[end] = (ends[end] ?? 0) + 1;
  const covered = facts.coverage.map(({ answer }) => answer.covered_ratio ?? 0);
  return {
    format: 'ladderlog.backtest/1',
    versions: {
      ladderlog: facts.versions.ladderlog,
      strategy: facts.versions.strategy,
      strategy_sha256: facts.versions.strategySha256,
    },
    inputs: {
      markets: facts.markets.map(({ venue, market, title }) => ({ venue, market_id: market, title })),
      from: toIso(facts.from),
      to: toIso(facts.to),
      clock: facts.clock,
      latency_ms: ms(facts.latency),
      jitter_ms: ms(facts.jitter),
      max_book_age_ms: ms(facts.maxBookAge),
      cash: toNumber(facts.cash),
      seed: facts.seed,
      fees: facts.fees,
      rules: facts.rules,
      void_rule: facts.voidRule,
      params: facts.params,
    },
    log: {
      kind: facts.logKind,
      events: result.events,
      books: result.books,
      unreadable: facts.unreadable,
      positions: [...result.positions]
        .map(([partition, [first, last]]) => ({ partition, first, last }))
        .sort((a, b) => (a.partition < b.partition ? -1 : 1)),
    },
    quality: {
      covered_ratio:
        covered.length === 0 ? null : covered.reduce((sum, one) => sum + one, 0) / covered.length,
      coverage: facts.coverage.map(({ market, answer }) => ({
        market_id: market,
        covered_ratio: answer.covered_ratio,
        gaps: answer.gaps.length,
      })),
      gaps: gaps.map(gapJson),
      gaps_crossed: result.crossed.map((gap) => ({
        gap_id: gap.gapId,
        market_id: gap.market,
        outcome_id: gap.outcome,
        cause: gap.cause,
        from: toIso(gap.from),
        held: gap.held.map(({ outcome, size }) => ({ outcome_id: outcome, size: toNumber(size) })),
        orders_cancelled: gap.ordersCancelled,
      })),
      not_modelled: NOT_MODELLED,
    },
    result: {
      equity: toNumber(result.equity),
      profit: toNumber(profit),
      cash: toNumber(result.cash),
      fees: toNumber(result.fees),
      realized: toNumber(result.realized),
      max_drawdown: toNumber(result.maxDrawdown),
      orders: result.orders.length,
      order_ends: Object.fromEntries(Object.entries(ends).sort(([a], [b]) => (a < b ? -1 : 1))),
      fills: result.fills.length,
      volume: toNumber(result.fills.reduce((sum, fill) => sum + fill.amount, 0)),
    },
    fills: result.fills.map((fill) => ({
      order: fill.order,
      time: toIso(fill.at),
      market_id: fill.market,
      outcome_id: fill.outcome,
      side: fill.side,
      liquidity: fill.liquidity,
      price: toNumber(fill.price),
      size: toNumber(fill.size),
      amount: toNumber(fill.amount),
      fee: toNumber(fill.fee),
      book: fill.book,
      book_age_ms: ms(fill.bookAge),
    })),
    orders: result.orders.map(({ id, request, sentAt, arrivesAt, filled, end }) => ({
      order: id,
      sent: toIso(sentAt),
      arrives: toIso(arrivesAt),
      market_id: request.market,
      outcome_id: request.outcome,
      side: request.side,
      type: request.limit === undefined ? 'market' : 'limit',
      limit: request.limit === undefined ? null : toNumber(request.limit),
      size: toNumber(request.size),
      filled: toNumber(filled),
      end,
    })),
    settlements: result.settlements.map((one) => ({
      time: toIso(one.at),
      market_id: one.market,
      outcome_id: one.outcome,
      size: toNumber(one.size),
      payout: one.payout === null ? null : toNumber(one.payout),
      amount: toNumber(one.amount),
      rule: one.rule,
      after_range: one.afterRange,
      position: one.position,
    })),
    open_positions: result.open.map((one) => ({
      market_id: one.market,
      outcome_id: one.outcome,
      size: toNumber(one.size),
      cost: toNumber(one.cost),
      mark: one.mark === null ? null : toNumber(one.mark),
    })),
    equity_curve: result.curve.map(({ at, value }) => [toIso(at), toNumber(value)] as const),
    price_paths: [...result.paths]
      .filter(([, path]) => path.length > 0)
      .map(([key, path]) => {
        const [market = '', outcome = ''] = key.split('\u0000');
        return {
          market_id: market,
          outcome_id: outcome,
          points: path.map(
            ({ at, value }) =>
              [
                toIso(at),
                value.bid === null ? null : toNumber(value.bid),
                value.ask === null ? null : toNumber(value.ask),
              ] as const,
          ),
        };
      }),
  };
}

export const reportJson = (report: BacktestReport): string => `${JSON.stringify(report, null, 2)}\n`;

/** For a terminal: the result, then what it rests on. */
export function reportText(report: BacktestReport, result: EngineResult, listed = 20): string {
  const { inputs, quality, result: sums, log } = report;
  const percent = (part: number | null): string => (part === null ? '-' : `${(part * 100).toFixed(2)} %`);
  const lines = [
    `strategy   ${report.versions.strategy}   seed ${inputs.seed}   latency ${inputs.latency_ms} ms`,
    `range      ${inputs.from} to ${inputs.to}, ${inputs.markets.length} market${inputs.markets.length === 1 ? '' : 's'}, ${log.books} books of ${log.events} events`,
    '',
    ...columns([
      ['equity', formatMicro(result.equity, '2')],
      ['profit', signed(result.equity - (result.curve[0]?.value ?? 0))],
      ['fees', formatMicro(result.fees, '2')],
      ['max drawdown', formatMicro(result.maxDrawdown, '2')],
      ['orders', String(sums.orders)],
      ['fills', String(sums.fills)],
    ]),
    '',
    `order ends ${
      Object.entries(sums.order_ends)
        .map(([end, count]) => `${end} ${count}`)
        .join(', ') || 'none'
    }`,
    `coverage   ${percent(quality.covered_ratio)} of the range; ${quality.gaps.length} gaps, ${quality.gaps_crossed.length} crossed with a position or a resting order`,
    `positions  ${log.positions.map(({ partition, first, last }) => `${partition}/${first}..${last}`).join('  ') || 'none'}`,
  ];
  if (log.unreadable > 0) lines.push(`unreadable ${log.unreadable} records of the log`);
  if (report.fills.length > 0) {
    lines.push('', 'fills');
    const rows = report.fills
      .slice(0, listed)
      .map((fill) => [
        fill.time,
        short(fill.market_id),
        short(fill.outcome_id),
        `${fill.side} ${fill.liquidity}`,
        `${fill.size} @ ${fill.price}`,
        `fee ${fill.fee}`,
        fill.book,
      ]);
    lines.push(...table(rows));
    if (report.fills.length > listed) lines.push(`  … and ${report.fills.length - listed} more`);
  }
  if (report.settlements.length > 0) {
    lines.push('', 'settlements');
    lines.push(
      ...table(
        report.settlements.map((one) => [
          one.time,
          short(one.market_id),
          short(one.outcome_id),
          `${one.size} × ${one.payout ?? 'refund'}`,
          String(one.amount),
          one.after_range ? `${one.rule}, after the range` : one.rule,
        ]),
      ),
    );
  }
  if (report.open_positions.length > 0) {
    lines.push('', 'open at the end, worth the last recorded bid');
    lines.push(
      ...table(
        report.open_positions.map((one) => [
          short(one.market_id),
          short(one.outcome_id),
          String(one.size),
          `cost ${one.cost}`,
          `mark ${one.mark ?? '-'}`,
        ]),
      ),
    );
  }
  lines.push('', 'not modelled', ...quality.not_modelled.map((line) => `  ${line}`));
  return lines.join('\n');
}

const signed = (value: Micro): string => `${value < 0 ? '' : '+'}${formatMicro(value, '2')}`;
const short = (id: string): string => (id.length > 24 ? `${id.slice(0, 10)}…${id.slice(-6)}` : id);

const columns = (pairs: readonly (readonly [string, string])[]): string[] =>
  pairs.map(([name, value]) => `  ${name.padEnd(14)}${value.padStart(16)}`);

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) =>
    `  ${row.map((cell, at) => cell.padEnd(widths[at]!)).join('  ')}`.replace(/\s+$/, ''),
  );
}
