// A backtest over a log: what is needed to refuse (gaps, coverage, metadata) is read first, then the engine is fed in order.

import type { BacktestReport, EngineResult, EventType, Micros } from '@ladderlog/core';
import {
  BacktestEngine,
  LadderlogError,
  MICROS_PER_MS,
  adapterOf,
  buildReport,
  coverageOf,
} from '@ladderlog/core';
import type { BacktestOptions } from './options.ts';
import { chooseMarkets, surveyMarkets } from './survey.ts';
import { replayBatches } from '../source/source.ts';

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
  const gaps = survey.gaps.filter(({ market }) => ids.has(market));
  const terms = termsOf(options);
  const engine = new BacktestEngine(strategy, {
    ...terms,
    gaps,
    coveredUntil: survey.coveredUntil,
    markets: chosen.flatMap((market) => survey.before.get(market) ?? []),
  });
  const unreadable = await feed(engine, options, chosen);
  signal?.throwIfAborted();
  const resolutions = chosen.flatMap((market) => survey.after.get(market) ?? []);
  const result = engine.finish(resolutions.sort((a, b) => a.event.observedAt - b.event.observedAt));
  const report = buildReport(
    {
      ...terms,
      clock: 'observed',
      versions: {
        ladderlog: options.versions?.ladderlog ?? '0.1.0',
        strategy: strategy.name,
        strategySha256: options.versions?.strategySha256 ?? null,
      },
      markets: chosen.map((market) => ({ venue, market, title: survey.facts.get(market)?.title ?? null })),
      coverage: chosen.map((market) => ({
        market,
        answer: coverageOf(
          survey.coverage.get(market) ?? [],
          gaps.filter((gap) => gap.market === market && gap.dataset === 'books'),
          { from, to },
        ),
      })),
      logKind: log.kind,
      unreadable,
    },
    result,
  );
  return { report, result };
}

/** What the run goes by: as asked, or the venue's own and the defaults. */
function termsOf(options: BacktestOptions) {
  const { venue } = options;
  const { trading } = adapterOf(venue);
  return {
    from: options.from,
    to: options.to,
    latency: wholeMicros('latencyMs', options.latencyMs ?? 250),
    jitter: wholeMicros('jitterMs', options.jitterMs ?? 0),
    maxBookAge: wholeMicros('maxBookAgeMs', options.maxBookAgeMs ?? 60_000),
    cash: options.cash ?? 1_000_000_000,
    seed: options.seed ?? 1,
    voidRule: options.voidRule ?? 'refund',
    params: options.params ?? {},
    fees: { [venue]: options.fees ?? trading.fees },
    rules: { [venue]: options.rules ?? trading.rules },
  } as const;
}

/** Gives the engine the range of these markets in order; the answer is how many records could not be read. */
async function feed(
  engine: BacktestEngine,
  options: BacktestOptions,
  markets: readonly string[],
): Promise<number> {
  const { log, venue, from, to, signal, onProgress } = options;
  const ids = new Set(markets);
  let unreadable = 0;
  const range = {
    venues: [venue],
    from,
    to,
    types: FED,
    onUnreadable: () => void unreadable++,
    ...(options.markets ? { markets } : {}),
    ...(signal ? { signal } : {}),
  };
  for await (const items of replayBatches(log, range)) {
    for (const { event, position } of items) if (ids.has(event.market)) engine.feed(event, position);
    onProgress?.({ done: items.at(-1)!.time - from, total: to - from });
  }
  return unreadable;
}

function wholeMicros(name: string, ms: number): Micros {
  const micros = Math.round(ms * MICROS_PER_MS);
  if (!Number.isSafeInteger(micros) || micros < 0)
    throw new LadderlogError('BAD_ARGUMENT', `${name} must be a time of at least 0 ms`);
  return micros;
}
