// What a backtest says about itself. A function of the run alone: no clock, no machine, so equal inputs give equal bytes.

import type { CoverageAnswer, GapRow } from '../capture/coverage.ts';
import { numberOrNull, toNumber } from '../kernel/decimal.ts';
import type { Venue } from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';
import { MICROS_PER_MS, isoOrNull, toIso } from '../kernel/time.ts';
import type { EngineOptions, EngineResult } from './run.ts';
import type { OrderEnd } from './strategy.ts';

export const NOT_MODELLED: readonly string[] = [
  'hidden liquidity: only recorded depth can be taken',
  'queue priority: a resting order fills only when the recorded book trades through its price, never at it',
  'market impact: the recorded book does not react to the orders (depth once taken stays taken while it is shown)',
];

export type RunFacts = Omit<EngineOptions, 'gaps' | 'coveredUntil' | 'markets'> & {
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
  readonly clock: 'observed';
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

const inputsOf = (facts: RunFacts) => ({
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
});

const logOf = (facts: RunFacts, result: EngineResult) => ({
  kind: facts.logKind,
  events: result.events,
  books: result.books,
  unreadable: facts.unreadable,
  positions: [...result.positions]
    .map(([partition, [first, last]]) => ({ partition, first, last }))
    .sort((a, b) => (a.partition < b.partition ? -1 : 1)),
});

function qualityOf(facts: RunFacts, result: EngineResult) {
  const covered = facts.coverage.map(({ answer }) => answer.covered_ratio ?? 0);
  return {
    covered_ratio: covered.length === 0 ? null : covered.reduce((sum, one) => sum + one, 0) / covered.length,
    coverage: facts.coverage.map(({ market, answer }) => ({
      market_id: market,
      covered_ratio: answer.covered_ratio,
      gaps: answer.gaps.length,
    })),
    gaps: facts.coverage.flatMap(({ answer }) => answer.gaps.map(gapJson)),
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
  };
}

function sumsOf(facts: RunFacts, result: EngineResult) {
  const ends: Partial<Record<OrderEnd, number>> = {};
  for (const { end } of result.orders) if (end) ends[end] = (ends[end] ?? 0) + 1;
  return {
    equity: toNumber(result.equity),
    profit: toNumber(result.equity - facts.cash),
    cash: toNumber(result.cash),
    fees: toNumber(result.fees),
    realized: toNumber(result.realized),
    max_drawdown: toNumber(result.maxDrawdown),
    orders: result.orders.length,
    order_ends: Object.fromEntries(Object.entries(ends).sort(([a], [b]) => (a < b ? -1 : 1))),
    fills: result.fills.length,
    volume: toNumber(result.fills.reduce((sum, fill) => sum + fill.amount, 0)),
  };
}

const fillsOf = (fills: EngineResult['fills']) =>
  fills.map((fill) => ({
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
  }));

const ordersOf = (orders: EngineResult['orders']) =>
  orders.map(({ id, request, sentAt, arrivesAt, filled, end }) => ({
    order: id,
    sent: toIso(sentAt),
    arrives: toIso(arrivesAt),
    market_id: request.market,
    outcome_id: request.outcome,
    side: request.side,
    type: request.limit === undefined ? 'market' : 'limit',
    limit: numberOrNull(request.limit ?? null),
    size: toNumber(request.size),
    filled: toNumber(filled),
    end,
  }));

const settlementsJson = (settlements: EngineResult['settlements']) =>
  settlements.map((one) => ({
    time: toIso(one.at),
    market_id: one.market,
    outcome_id: one.outcome,
    size: toNumber(one.size),
    payout: numberOrNull(one.payout),
    amount: toNumber(one.amount),
    rule: one.rule,
    after_range: one.afterRange,
    position: one.position,
  }));

const openPositions = (open: EngineResult['open']) =>
  open.map((one) => ({
    market_id: one.market,
    outcome_id: one.outcome,
    size: toNumber(one.size),
    cost: toNumber(one.cost),
    mark: numberOrNull(one.mark),
  }));

const pricePaths = (paths: EngineResult['paths']) =>
  [...paths]
    .filter(([, path]) => path.length > 0)
    .map(([key, path]) => {
      const [market = '', outcome = ''] = key.split('\u0000');
      return {
        market_id: market,
        outcome_id: outcome,
        points: path.map(
          ({ at, value }) => [toIso(at), numberOrNull(value.bid), numberOrNull(value.ask)] as const,
        ),
      };
    });

export const buildReport = (facts: RunFacts, result: EngineResult) => ({
  format: 'ladderlog.backtest/1',
  versions: {
    ladderlog: facts.versions.ladderlog,
    strategy: facts.versions.strategy,
    strategy_sha256: facts.versions.strategySha256,
  },
  inputs: inputsOf(facts),
  log: logOf(facts, result),
  quality: qualityOf(facts, result),
  result: sumsOf(facts, result),
  fills: fillsOf(result.fills),
  orders: ordersOf(result.orders),
  settlements: settlementsJson(result.settlements),
  open_positions: openPositions(result.open),
  equity_curve: result.curve.map(({ at, value }) => [toIso(at), toNumber(value)] as const),
  price_paths: pricePaths(result.paths),
});

export type BacktestReport = ReturnType<typeof buildReport>;

export const reportJson = (report: BacktestReport): string => `${JSON.stringify(report, null, 2)}\n`;
