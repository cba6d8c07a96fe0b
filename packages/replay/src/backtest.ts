// A backtest over a log: what is needed to refuse (gaps, coverage, metadata) is read first, then the engine is fed in order.

import type {
  BacktestReport,
  CoverageRow,
  EngineResult,
  EventType,
  FeeModel,
  GapRow,
  MarketObserved,
  Micro,
  Micros,
  Position,
  Rules,
  Strategy,
  Venue,
  VenueEvent,
  VoidRule,
} from '@ladderlog/core';
import {
  BacktestEngine,
  DEFAULT_FEES,
  DEFAULT_RULES,
  LadderlogError,
  MICROS_PER_MS,
  buildReport,
  coverageOf,
} from '@ladderlog/core';
import type { EventLog, LogRecord } from '@ladderlog/log';
import { positionsFromBeginning } from '@ladderlog/log';
import { replayBatches } from './source.ts';

const DAY_MS = 86_400_000;

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
  readonly fees?: Readonly<Partial<Record<Venue, FeeModel>>>;
  readonly rules?: Readonly<Partial<Record<Venue, Rules>>>;
  readonly voidRule?: VoidRule;
  readonly params?: Readonly<Record<string, string>>;
  /** How far before the range metadata is looked for, and after it resolutions. */
  readonly lookbackMs?: number;
  readonly settleMs?: number;
  readonly versions?: { readonly ladderlog?: string; readonly strategySha256?: string };
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
  const chosen = chooseMarkets(options, survey);
  const ids = new Set(chosen);
  const fees = { ...DEFAULT_FEES, ...options.fees };
  const rules = { ...DEFAULT_RULES, ...options.rules };
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
  const times: TimeRange = { from, to };
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
      fees: { [venue]: fees[venue] },
      rules: { [venue]: rules[venue] },
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

type TimeRange = { readonly from: Micros; readonly to: Micros };

type Survey = {
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

async function surveyMarkets(options: BacktestOptions): Promise<Survey> {
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
  range: TimeRange,
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

function chooseMarkets(options: BacktestOptions, survey: Survey): string[] {
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
