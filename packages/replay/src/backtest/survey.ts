// What a backtest must know before it begins: which markets were recorded, their gaps and coverage, their metadata before the
// range and their resolutions after it.

import type {
  CoverageRow,
  EventType,
  GapRow,
  Interval,
  MarketObserved,
  Micros,
  Placed,
  Position,
  VenueEvent,
} from '@ladderlog/core';
import {
  LadderlogError,
  MICROS_PER_MS,
  MergedRows,
  coverageProjection,
  gapsProjection,
} from '@ladderlog/core';
import { positionsFromBeginning } from '@ladderlog/log';
import type { BacktestOptions } from './options.ts';

const DAY_MS = 86_400_000;

export type Survey = {
  readonly gaps: readonly GapRow[];
  /** Of books, by market. */
  readonly coverage: ReadonlyMap<string, readonly CoverageRow[]>;
  readonly coveredUntil: ReadonlyMap<string, Micros>;
  /** Markets with a book in the range. */
  readonly observed: ReadonlySet<string>;
  /** Newest metadata before the range; resolutions after it. */
  readonly before: ReadonlyMap<string, MarketObserved>;
  readonly after: ReadonlyMap<string, Placed<MarketObserved>>;
  /** The last that was said of each, at any time. */
  readonly facts: ReadonlyMap<string, MarketFacts>;
};

type MarketFacts = Pick<MarketObserved, 'title' | 'asset' | 'window'>;

const SURVEYED: ReadonlySet<EventType> = new Set([
  'MarketObserved',
  'GapOpened',
  'GapClosed',
  'CaptureStarted',
  'CaptureBeat',
  'CaptureStopped',
]);

export async function surveyMarkets(options: BacktestOptions): Promise<Survey> {
  const { log, venue, from, to } = options;
  const wanted = options.markets ? new Set(options.markets) : null;
  const noted = new Notes({ from, to });
  const coveredUntil = new Map<string, Micros>();
  const observed = new Set<string>();
  const times = {
    from: from - (options.lookbackMs ?? DAY_MS) * MICROS_PER_MS,
    to: to + (options.settleMs ?? DAY_MS) * MICROS_PER_MS,
  };
  const partitions = wanted && new Set([...wanted].map((market) => log.partitionOf(venue, market)));
  const begin = (await positionsFromBeginning(log, [venue])).filter(
    ({ partition }) => !partitions || partitions.has(partition),
  );
  const request = { from: begin, times, ...(options.signal ? { signal: options.signal } : {}) };
  for await (const { topic, partition, records } of log.read(request))
    for (const record of records) {
      const { key, time, offset, type } = record;
      if (record.fault || time < times.from || time >= times.to || (wanted && !wanted.has(key))) continue;
      // Books are not decoded: that one was there at this time is all there is to know.
      if (type === 'BookObserved' || type === 'CaptureBeat')
        coveredUntil.set(key, Math.max(time, coveredUntil.get(key) ?? -Infinity));
      if (type === 'BookObserved' && time >= from && time < to) observed.add(key);
      if (type === null || !SURVEYED.has(type)) continue;
      const decoded = record.peek();
      if (decoded.ok && 'market' in decoded.event) noted.add(decoded.event, { topic, partition, offset });
    }
  return { coveredUntil, observed, ...noted.survey() };
}

class Notes {
  private readonly range: Interval;
  private readonly gaps = new MergedRows(gapsProjection);
  private readonly coverage = new MergedRows(coverageProjection);
  private readonly before = new Map<string, MarketObserved>();
  private readonly after = new Map<string, Placed<MarketObserved>>();
  private readonly facts = new Map<string, MarketFacts>();

  constructor(range: Interval) {
    this.range = range;
  }

  add(event: VenueEvent, position: Position): void {
    this.gaps.add(event, position);
    this.coverage.add(event, position);
    if (event.type !== 'MarketObserved') return;
    const { market, observedAt, status } = event;
    const known = this.facts.get(market);
    this.facts.set(market, {
      title: event.title ?? known?.title ?? null,
      asset: event.asset ?? known?.asset ?? null,
      window: event.window ?? known?.window ?? null,
    });
    const before = this.before.get(market);
    const after = this.after.get(market)?.event;
    if (observedAt < this.range.from) {
      if (!before || observedAt >= before.observedAt) this.before.set(market, event);
    } else if (observedAt >= this.range.to && (status === 'resolved' || status === 'voided')) {
      if (!after || observedAt >= after.observedAt) this.after.set(market, { event, position });
    }
  }

  survey(): Pick<Survey, 'gaps' | 'coverage' | 'before' | 'after' | 'facts'> {
    const { before, after, facts } = this;
    const watched = this.coverage.list().filter(({ dataset, kind }) => dataset === 'books' && kind !== 'gap');
    return {
      gaps: this.gaps.list() as readonly GapRow[],
      coverage: Map.groupBy(watched, ({ market }) => market) as ReadonlyMap<string, CoverageRow[]>,
      before,
      after,
      facts,
    };
  }
}

export function chooseMarkets(options: BacktestOptions, { facts, observed }: Survey): string[] {
  const { asset, window } = options;
  const fits = (market: string): boolean => {
    const known = facts.get(market);
    return (
      (asset === undefined || known?.asset?.toLowerCase() === asset.toLowerCase()) &&
      (window === undefined || known?.window === window)
    );
  };
  const chosen = (options.markets ? [...new Set(options.markets)] : [...observed].filter(fits)).sort();
  if (chosen.some((market) => observed.has(market))) return chosen;
  throw new LadderlogError(
    'NO_RECORDING',
    options.markets
      ? `no book of ${chosen.join(', ')} was recorded in this range`
      : 'no market of this choice has a recorded book in this range',
    { details: { venue: options.venue, markets: chosen } },
  );
}
