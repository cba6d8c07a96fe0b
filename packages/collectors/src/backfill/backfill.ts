// `ladderlog backfill`: past markets with resolution, volume and liquidity, as metadata that says it is backfilled. Only the
// catalogue: books and samples cannot be had afterwards, and whatever an answer states of them is left on the tape.
// Steps are walked in order and the newest finished one is remembered by the caller, so that a run can go on. What fails is
// asked again for a while; then the run ends with an error, and nothing was passed over.

import type {
  BackfillPage,
  BackfillStep,
  LadderEvent,
  MarketObserved,
  Micros,
  RestEndpoint,
  VenueAdapter,
  VenueEvent,
} from '@ladderlog/core';
import { Capture, LadderlogError, backoffMs, toIso } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { positionsFromBeginning, readEvents } from '@ladderlog/log';
import type { Logger } from 'pino';

import { appendEncodable } from '../recorder/encodable.ts';
import { AdaptiveRate } from '../venue/rate.ts';
import type { Ask } from '../venue/rest.ts';
import { pause } from '../venue/pause.ts';
import { Rest } from '../venue/rest.ts';
import { SessionClock, systemClocks } from '../recorder/session-clock.ts';

export type BackfillOptions = {
  readonly log: EventLog;
  readonly adapter: VenueAdapter;
  readonly endpoints: Readonly<Record<string, RestEndpoint>>;
  /** Assets or series: the venue's adapter says which. */
  readonly of: readonly string[];
  readonly windows: readonly string[];
  readonly since: Micros;
  readonly until: Micros;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Where an earlier run ended, as given to onProgress. */
  readonly resume?: string | null;
  readonly onProgress?: (progress: BackfillProgress) => void;
  /** How long a call that fails is repeated. */
  readonly retry?: { readonly attempts: number; readonly baseMs: number; readonly maxMs: number };
};

const RETRY = { attempts: 8, baseMs: 500, maxMs: 30_000 };

export type BackfillProgress = {
  readonly done: number;
  readonly total: number;
  readonly markets: number;
  readonly resume: string;
};
export type BackfillReport = {
  readonly calls: number;
  readonly markets: number;
  readonly appended: number;
  readonly unchanged: number;
  readonly failed: number;
};

const KEPT = new Set<LadderEvent['type']>(['FrameCaptured', 'MarketObserved', 'FrameRejected']);

export async function backfill(options: BackfillOptions): Promise<BackfillReport> {
  const { log, adapter, signal } = options;
  const { venue, collect } = adapter;
  const capture = new Capture({ adapter, collector: 'backfill', provenance: 'backfilled' });
  await primeWithKnown(options, capture);
  const clock = new SessionClock(systemClocks);
  const session = capture.openSession(`backfill-${venue}-${toIso(clock.now()).replaceAll(/[-:.]/g, '')}`);
  const report = { calls: 0, markets: 0, appended: 0, unchanged: 0, failed: 0 };
  let batch: VenueEvent[] = [];
  const keep = (events: readonly VenueEvent[]): void => {
    for (const event of events) {
      if (!KEPT.has(event.type) || (event.type === 'MarketObserved' && !isWanted(event, options))) continue;
      if (event.type === 'MarketObserved') report.markets++;
      batch.push(event);
    }
  };
  const rests = openRests(options, keep);
  const walk = collect.backfill.walk({ ...options, resume: options.resume ?? null });
  let next = walk.next(NOTHING);
  while (!next.done && !signal.aborted) {
    const { resume, done, total } = next.value;
    const page = await answered(next.value, options, report, (request) =>
      rests.get(request.source)!.ask(session, clock, request),
    );
    const fresh = batch.filter(({ type }) => type === 'MarketObserved').length;
    const stated = page.findings.filter(({ type }) => type === 'market').length;
    report.unchanged += Math.max(0, stated - fresh);
    await appendEncodable(log, batch);
    report.appended += batch.length;
    batch = [];
    options.onProgress?.({ done, total, markets: report.markets, resume });
    next = walk.next(page);
  }
  return report;
}

/** A list may name more than was asked for. */
function isWanted(
  { asset, closesAt }: MarketObserved,
  { adapter, of, since, until }: BackfillOptions,
): boolean {
  const isAsked =
    adapter.collect.backfill.of !== 'assets' ||
    asset === null ||
    of.some((name) => name.toUpperCase() === asset);
  return isAsked && (closesAt === null || (closesAt >= since && closesAt < until));
}

const openRests = (
  { endpoints, logger, signal }: BackfillOptions,
  push: (events: readonly VenueEvent[]) => void,
): ReadonlyMap<string, Rest> =>
  new Map(
    Object.entries(endpoints).map(([source, endpoint]) => {
      const rate = new AdaptiveRate(endpoint, performance.now());
      return [source, new Rest({ source, endpoint, rate, logger, signal, push })];
    }),
  );

const NOTHING: BackfillPage = { findings: [], text: '' };

/** A quota is waited out by the pacing, a failure by us. */
async function answered(
  { request, isDetail = false }: BackfillStep,
  { adapter, signal, retry = RETRY }: BackfillOptions,
  report: { calls: number; failed: number },
  ask: Ask,
): Promise<BackfillPage> {
  for (let attempt = 0; ; attempt++) {
    const answer = await ask(request);
    report.calls++;
    if (answer.ok) return answer;
    const { cause, status, detail } = answer;
    const refused = cause !== 'quota' && status >= 400 && status < 500;
    if (refused && (isDetail || status === 404)) return NOTHING;
    report.failed++;
    if (refused || attempt + 1 >= retry.attempts)
      throw new LadderlogError(
        refused ? 'VENUE_REJECTED' : 'VENUE_UNREACHABLE',
        `${adapter.venue} gave no answer to ${request.method} ${request.path}: ${detail}; the same command goes on from there`,
        { retryable: !refused, details: { status } },
      );
    if (cause !== 'quota') await pause(backoffMs(attempt, Math.random(), retry), signal);
  }
}

/** What the log already says of these markets is not said again. */
async function primeWithKnown(
  { log, adapter: { venue }, since, until }: BackfillOptions,
  capture: Capture,
): Promise<void> {
  for await (const events of readEvents(log, {
    from: await positionsFromBeginning(log, [venue]),
    types: new Set(['MarketObserved']),
  })) {
    for (const { event } of events) {
      if (event?.type !== 'MarketObserved') continue;
      const {
        type: _type,
        venue: _venue,
        market,
        observedAt: _at,
        sourceTs: _source,
        session: _session,
        ordinal: _ordinal,
        provenance: _provenance,
        ...fields
      } = event;
      capture.changed(market, fields);
      // A list may say less of a market than its detail said before.
      if (fields.closesAt !== null && fields.closesAt >= since && fields.closesAt < until)
        capture.learn(market, fields);
    }
  }
}
