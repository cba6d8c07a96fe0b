// What a backtest must know before it begins: which markets were recorded, their gaps and coverage, their metadata before the
// range and their resolutions after it.

import type {
  CoverageRow,
  EventType,
  GapRow,
  Interval,
  MarketObserved,
  Micros,
  Position,
  VenueEvent,
} from '@ladderlog/core';
import { LadderlogError, MICROS_PER_MS } from '@ladderlog/core';
import type { LogRecord } from '@ladderlog/log';
import { positionsFromBeginning } from '@ladderlog/log';
import type { BacktestOptions } from './backtest.ts';

const DAY_MS = 86_400_000;

export type Survey = {
  readonly gaps: Map<string, GapRow>;
  readonly coverage: Map<string, CoverageRow[]>;
  readonly coveredUntil: Map<string, Micros>;
  /** Markets with a book in the range. */
  readonly observed: Set<string>;
  /** Newest metadata before the range; resolutions after it; names. */
  readonly before: Map<string, MarketObserved>;
  readonly after: Map<string, { event: MarketObserved; position: Position }>;
  readonly titles: Map<string, string | null>;
  readonly traits: Map<string, { readonly asset: string | null; readonly window: string | null }>;
};

export async function surveyMarkets(options: BacktestOptions): Promise<Survey> {
  const { log, venue, from, to } = options;
  const wanted = options.markets ? new Set(options.markets) : null;
  const survey: Survey = {
    gaps: new Map(),
    coverage: new Map(),
    coveredUntil: new Map(),
    observed: new Set(),
    before: new Map(),
    after: new Map(),
    titles: new Map(),
    traits: new Map(),
  };
  const beats = new Map<string, { since: Micros; at: Micros; row: CoverageRow }>();
  const times = {
    from: from - (options.lookbackMs ?? DAY_MS) * MICROS_PER_MS,
    to: to + (options.settleMs ?? DAY_MS) * MICROS_PER_MS,
  };
  const visit = (record: LogRecord, position: Position): void => {
    if (record.fault || (wanted && !wanted.has(record.key))) return;
    const type = log.codec.typeOf(record.value);
    if (type === 'BookObserved' || type === 'CaptureBeat') {
      const until = survey.coveredUntil.get(record.key);
      if (until === undefined || record.time > until) survey.coveredUntil.set(record.key, record.time);
    }
    if (type === 'BookObserved') {
      if (record.time >= from && record.time < to) survey.observed.add(record.key);
      return;
    }
    if (type === null || !SURVEYED.has(type)) return;
    const decoded = log.codec.decode(record.value);
    if (decoded.ok && 'market' in decoded.event) note(survey, beats, decoded.event, position, { from, to });
  };
  const partitions = wanted && new Set([...wanted].map((market) => log.partitionOf(venue, market)));
  const begin = (await positionsFromBeginning(log, [venue])).filter(
    ({ partition }) => !partitions || partitions.has(partition),
  );
  const request = { from: begin, times, ...(options.signal ? { signal: options.signal } : {}) };
  for await (const { topic, partition, records } of log.read(request)) {
    for (const record of records)
      if (record.time >= times.from && record.time < times.to)
        visit(record, { topic, partition, offset: record.offset });
  }
  for (const [key, { since, at, row }] of beats) {
    const market = key.slice(0, key.indexOf('\u0000'));
    rowsOf(survey, market).push({ ...row, since, at });
  }
  return survey;
}

const SURVEYED: ReadonlySet<EventType> = new Set([
  'MarketObserved',
  'GapOpened',
  'GapClosed',
  'CaptureStarted',
  'CaptureBeat',
  'CaptureStopped',
]);

function rowsOf(survey: Survey, market: string): CoverageRow[] {
  let rows = survey.coverage.get(market);
  if (!rows) survey.coverage.set(market, (rows = []));
  return rows;
}

function note(
  survey: Survey,
  beats: Map<string, { since: Micros; at: Micros; row: CoverageRow }>,
  event: VenueEvent,
  position: Position,
  range: Interval,
): void {
  switch (event.type) {
    case 'MarketObserved': {
      survey.titles.set(event.market, event.title ?? survey.titles.get(event.market) ?? null);
      const known = survey.traits.get(event.market);
      survey.traits.set(event.market, {
        asset: event.asset ?? known?.asset ?? null,
        window: event.window ?? known?.window ?? null,
      });
      if (event.observedAt < range.from) {
        const held = survey.before.get(event.market);
        if (!held || event.observedAt >= held.observedAt) survey.before.set(event.market, event);
      } else if (event.observedAt >= range.to && (event.status === 'resolved' || event.status === 'voided')) {
        const held = survey.after.get(event.market);
        if (!held || event.observedAt >= held.event.observedAt)
          survey.after.set(event.market, { event, position });
      }
      return;
    }
    case 'GapOpened':
    case 'GapClosed': {
      const to = event.type === 'GapClosed' ? event.to : (survey.gaps.get(event.gapId)?.to_at ?? null);
      const after = event.type === 'GapClosed' ? event.firstAfter : null;
      const row: GapRow = {
        gap_id: event.gapId,
        venue: event.venue,
        market: event.market,
        outcome: event.outcome ?? '',
        dataset: event.dataset,
        cause: event.cause,
        scope: event.scope,
        from_at: event.from,
        to_at: to,
        last_before_session: event.lastBefore?.session ?? null,
        last_before_at: event.lastBefore?.observedAt ?? null,
        first_after_session: after?.session ?? null,
        first_after_at: after?.observedAt ?? null,
        detail: event.type === 'GapOpened' ? (event.detail ?? '') : '',
      };
      // Restated after it was closed, by a log that came out of order: the end stays known.
      if (event.type === 'GapClosed' || !survey.gaps.has(event.gapId)) survey.gaps.set(event.gapId, row);
      return;
    }
    case 'CaptureStarted':
    case 'CaptureStopped':
    case 'CaptureBeat': {
      if (event.dataset !== 'books') return;
      const row: CoverageRow = {
        outcome: event.outcome ?? '',
        session: event.session,
        kind: event.type === 'CaptureStarted' ? 'started' : event.type === 'CaptureBeat' ? 'beat' : 'stopped',
        since: event.observedAt,
        at: event.observedAt,
      };
      if (row.kind !== 'beat') {
        rowsOf(survey, event.market).push(row);
        return;
      }
      const key = `${event.market}\u0000${row.outcome}\u0000${row.session}`;
      const held = beats.get(key);
      if (!held) beats.set(key, { since: row.since, at: row.at, row });
      else {
        held.since = Math.min(held.since, row.since);
        held.at = Math.max(held.at, row.at);
      }
      return;
    }
    default:
  }
}

export function chooseMarkets(options: BacktestOptions, survey: Survey): string[] {
  const { asset, window } = options;
  const fits = (market: string): boolean => {
    const traits = survey.traits.get(market);
    return (
      (asset === undefined || traits?.asset?.toLowerCase() === asset.toLowerCase()) &&
      (window === undefined || traits?.window === window)
    );
  };
  const chosen = (options.markets ? [...new Set(options.markets)] : [...survey.observed].filter(fits)).sort();
  const empty = chosen.filter((market) => !survey.observed.has(market));
  if (chosen.length === 0 || (options.markets && empty.length === chosen.length)) {
    throw new LadderlogError(
      'NO_RECORDING',
      options.markets
        ? `no book of ${chosen.join(', ')} was recorded in this range`
        : 'no market of this choice has a recorded book in this range',
      { details: { venue: options.venue, markets: chosen } },
    );
  }
  return chosen;
}
