// A backtest over a log: what is needed to refuse (gaps, coverage, metadata) is read first, then the engine is fed in order.

import type {
  BacktestReport,
  EngineResult,
  EventType,
  FeeModel,
  Micro,
  Micros,
  Rules,
  Strategy,
  Venue,
  VoidRule,
} from '@ladderlog/core';
import {
  BacktestEngine,
  LadderlogError,
  MICROS_PER_MS,
  adapterOf,
  buildReport,
  coverageOf,
} from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { chooseMarkets, surveyMarkets } from './survey.ts';
import { replayBatches } from '../source/source.ts';

export type BacktestOptions = {
  readonly log: EventLog;
  readonly strategy: Strategy;
  readonly venue: Venue;
  /** Native ids; left out: every market of the venue that has books in the range (and this asset and window). */
  readonly markets?: readonly string[];
  readonly asset?: string;
  readonly window?: string;
  /** Half-open, by our clock. */
  readonly from: Micros;
  readonly to: Micros;
  readonly latencyMs?: number;
  readonly jitterMs?: number;
  readonly maxBookAgeMs?: number;
  readonly cash?: Micro;
  readonly seed?: number;
  /** Instead of the venue's own. */
  readonly fees?: FeeModel;
  readonly rules?: Rules;
  readonly voidRule?: VoidRule;
  readonly params?: Readonly<Record<string, string>>;
  /** How far before the range metadata is looked for, and after it resolutions. */
  readonly lookbackMs?: number;
  readonly settleMs?: number;
  readonly versions?: { readonly ladderlog?: string; readonly strategySha256?: string };
  /** Of the range, in microseconds. */
  readonly onProgress?: (progress: { done: Micros; total: Micros }) => void;
  readonly signal?: AbortSignal;
};

export type BacktestRun = { readonly report: BacktestReport; readonly result: EngineResult };

const FED: ReadonlySet<EventType> = new Set([
  'BookObserved',
  'MarketObserved',
  'GapOpened',
  'GapClosed',
  'CaptureStopped',
]);

export async function runBacktest(options: BacktestOptions): Promise<BacktestRun> {
  const { log, strategy, venue, from, to, signal } = options;
  if (!(to > from)) throw new LadderlogError('BAD_ARGUMENT', 'the range is empty: `to` must be after `from`');
  const survey = await surveyMarkets(options);
  signal?.throwIfAborted();
  const chosen = chooseMarkets(options, survey);
  const ids = new Set(chosen);
  const { trading } = adapterOf(venue);
  const fees = { [venue]: options.fees ?? trading.fees };
  const rules = { [venue]: options.rules ?? trading.rules };
  const facts = {
    from,
    to,
    latency: wholeMicros('latencyMs', options.latencyMs ?? 250),
    jitter: wholeMicros('jitterMs', options.jitterMs ?? 0),
    maxBookAge: wholeMicros('maxBookAgeMs', options.maxBookAgeMs ?? 60_000),
    cash: options.cash ?? 1_000_000_000,
    seed: options.seed ?? 1,
    voidRule: options.voidRule ?? 'refund',
    params: options.params ?? {},
  } as const;
  const gaps = [...survey.gaps.values()].filter(({ market }) => ids.has(market));
  const engine = new BacktestEngine(strategy, {
    ...facts,
    fees,
    rules,
    gaps,
    coveredUntil: survey.coveredUntil,
    markets: chosen.flatMap((market) => survey.before.get(market) ?? []),
  });
  let unreadable = 0;
  const times = { from, to };
  const range = {
    venues: [venue],
    ...times,
    types: FED,
    onUnreadable: () => void unreadable++,
    ...(options.markets ? { markets: chosen } : {}),
    ...(signal ? { signal } : {}),
  };
  for await (const items of replayBatches(log, range)) {
    for (const { event, position } of items) if (ids.has(event.market)) engine.feed(event, position);
    options.onProgress?.({ done: items.at(-1)!.time - from, total: to - from });
  }
  signal?.throwIfAborted();
  const resolutions = chosen.flatMap((market) => survey.after.get(market) ?? []);
  const result = engine.finish(resolutions.sort((a, b) => a.event.observedAt - b.event.observedAt));
  const report = buildReport(
    {
      ...facts,
      clock: 'observed',
      versions: {
        ladderlog: options.versions?.ladderlog ?? '0.1.0',
        strategy: strategy.name,
        strategySha256: options.versions?.strategySha256 ?? null,
      },
      markets: chosen.map((market) => ({ venue, market, title: survey.titles.get(market) ?? null })),
      fees,
      rules,
      coverage: chosen.map((market) => ({
        market,
        answer: coverageOf(
          survey.coverage.get(market) ?? [],
          gaps.filter((gap) => gap.market === market && gap.dataset === 'books'),
          times,
        ),
      })),
      logKind: log.kind,
      unreadable,
    },
    result,
  );
  return { report, result };
}

function wholeMicros(name: string, ms: number): Micros {
  const micros = Math.round(ms * MICROS_PER_MS);
  if (!Number.isSafeInteger(micros) || micros < 0)
    throw new LadderlogError('BAD_ARGUMENT', `${name} must be a time of at least 0 ms`);
  return micros;
}
