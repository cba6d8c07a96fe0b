// `ladderlog backfill`: past markets with resolution, volume and liquidity, as metadata that says it is backfilled. Only the
// catalogue: books and samples cannot be had afterwards, and whatever an answer states of them is left on the tape.
// Steps are walked in order and the newest finished one is remembered by the caller, so that a run can go on. What fails is
// asked again for a while; then the run ends with an error, and nothing was passed over.

import type {
  Finding,
  LadderEvent,
  Micros,
  Venue,
  VenueAdapter,
  VenueEvent,
  VenueRequest,
} from '@ladderlog/core';
import {
  Capture,
  LadderlogError,
  MICROS_PER_SECOND,
  subscribeA,
  subscribeB,
  subscribeC,
  toIso,
} from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { positionsFromBeginning, readEvents } from '@ladderlog/log';
import type { Logger } from 'pino';

import { backoffMs } from '../venue/backoff.ts';
import type { RestEndpoint } from '../recorder/driver.ts';
import { appendEncodable } from '../recorder/encodable.ts';
import { AdaptiveRate } from '../venue/rate.ts';
import type { RestAnswer } from '../venue/rest.ts';
import { Rest, pause } from '../venue/rest.ts';
import { SessionClock, systemClocks } from '../recorder/session-clock.ts';

export type BackfillOptions = {
  readonly log: EventLog;
  readonly venue: Venue;
  readonly adapter: VenueAdapter;
  readonly endpoints: Readonly<Record<string, RestEndpoint>>;
  /** Assets (A, C) or series (B). */
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

/** One call, and what to do after it. Null: the end. */
type Step = {
  readonly request: VenueRequest;
  readonly token: string;
  readonly done: number;
  readonly total: number;
  /** About one item of a list, which the venue may have forgotten since. */
  readonly isDetail?: boolean;
};
type Page = { readonly cursor: string | null; readonly findings: readonly Finding[] };
type Walk = Generator<Step, void, Page>;

const KEPT = new Set<LadderEvent['type']>(['FrameCaptured', 'MarketObserved', 'FrameRejected']);

export async function backfill(options: BackfillOptions): Promise<BackfillReport> {
  const { log, venue, signal } = options;
  const capture = new Capture({ adapter: options.adapter, collector: 'backfill', provenance: 'backfilled' });
  await primeWithKnown(options, capture);
  const clock = new SessionClock(systemClocks);
  const session = capture.openSession(`backfill-${venue}-${toIso(clock.now()).replaceAll(/[-:.]/g, '')}`);
  const report = { calls: 0, markets: 0, appended: 0, unchanged: 0, failed: 0 };
  const wanted = new Set(options.of.map((name) => name.toUpperCase()));
  let batch: VenueEvent[] = [];
  const rests = Object.fromEntries(
    Object.entries(options.endpoints).map(([source, endpoint]) => [
      source,
      new Rest({
        source,
        baseUrl: endpoint.baseUrl,
        rate: new AdaptiveRate(endpoint, performance.now()),
        logger: options.logger,
        signal,
        push: (events) => {
          for (const event of events) {
            if (!KEPT.has(event.type)) continue;
            if (event.type === 'MarketObserved') {
              if (event.asset !== null && venue !== 'venueb' && !wanted.has(event.asset)) continue;
              if (
                event.closesAt !== null &&
                (event.closesAt < options.since || event.closesAt >= options.until)
              )
                continue;
              report.markets++;
            }
            batch.push(event);
          }
        },
        ...(endpoint.sign ? { sign: endpoint.sign } : {}),
      }),
    ]),
  );
  const walk = walkOf(options);
  let next = walk.next(NOTHING);
  while (!next.done && !signal.aborted) {
    const { token, done, total } = next.value;
    const page = await answered(next.value, options, report, (request) =>
      rests[request.source]!.ask(session, clock, request),
    );
    const fresh = batch.filter(({ type }) => type === 'MarketObserved').length;
    const stated = page.findings.filter(({ type }) => type === 'market').length;
    report.unchanged += Math.max(0, stated - fresh);
    await appendEncodable(log, batch);
    report.appended += batch.length;
    batch = [];
    options.onProgress?.({ done, total, markets: report.markets, resume: token });
    next = walk.next(page);
  }
  return report;
}

const NOTHING: Page = { cursor: null, findings: [] };

/** A quota is waited out by the pacing, a failure by us. */
async function answered(
  { request, isDetail = false }: Step,
  { venue, signal, retry = RETRY }: BackfillOptions,
  report: { calls: number; failed: number },
  ask: (request: VenueRequest) => Promise<RestAnswer>,
): Promise<Page> {
  for (let attempt = 0; ; attempt++) {
    const answer = await ask(request);
    report.calls++;
    if (answer.ok) return { cursor: answer.nextCursor, findings: answer.findings };
    const { cause, status, detail } = answer;
    const refused = cause !== 'quota' && status >= 400 && status < 500;
    if (refused && (isDetail || status === 404)) return NOTHING;
    report.failed++;
    if (refused || attempt + 1 >= retry.attempts)
      throw new LadderlogError(
        refused ? 'VENUE_REJECTED' : 'VENUE_UNREACHABLE',
        `${venue} gave no answer to ${request.method} ${request.path}: ${detail}; the same command goes on from there`,
        { retryable: !refused, details: { status } },
      );
    if (cause !== 'quota') await pause(backoffMs(attempt, Math.random(), retry), signal);
  }
}

/** What the log already says of these markets is not said again. */
async function primeWithKnown(
  { log, venue, since, until }: BackfillOptions,
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

function walkOf(options: BackfillOptions): Walk {
  if (options.venue === 'venuea') return walkVenueA(options);
  return options.venue === 'venueb' ? walkVenueB(options) : walkVenueC(options);
}

type Listed = {
  readonly eventId: string | null;
  readonly closesAt: Micros | null;
  /** Named without its markets or their outcomes. */
  readonly bare: boolean;
};

const listedOn = ({ findings }: Page): Listed[] =>
  findings.flatMap((finding): Listed[] => {
    if (finding.type === 'skip' && finding.listed) return [{ ...finding.listed, bare: true }];
    if (finding.type !== 'market') return [];
    const { eventId, closesAt, outcomes } = finding.fields;
    return [{ eventId, closesAt, bare: outcomes.length === 0 }];
  });

/** The list by end date. What lies before `since` is passed over: by doubling strides, and back by halves. */
function* walkVenueA({ since, until, resume }: BackfillOptions): Walk {
  const size = subscribeA.TOPICS_PER_PAGE;
  const latestOn = (page: Page): Micros =>
    listedOn(page).reduce((latest, { closesAt }) => Math.max(latest, closesAt ?? 0), 0);
  const list = (offset: number, token: number): Step => ({
    request: subscribeA.topicsRequest({ offset }),
    token: String(token),
    done: offset,
    total: offset + size,
  });
  // Every page before `from` lies behind; the one at `to`, when it is known, does not.
  let from = resume ? Number(resume) : 0;
  let to: number | null = null;
  let page: Page = NOTHING;
  for (let stride = 1; to === null || to > from; stride *= 2) {
    const at: number = from + size * (to === null ? stride - 1 : Math.floor((to - from) / size / 2));
    const asked: Page = yield list(at, from);
    const latest = latestOn(asked);
    if (latest > 0 && latest < since) from = at + size;
    else {
      to = at;
      page = asked;
    }
  }
  for (let offset = from; ; page = yield list(offset, offset)) {
    const bare = listedOn(page).filter(
      (one) => one.bare && (one.closesAt === null || (one.closesAt >= since && one.closesAt < until)),
    );
    for (const topic of new Set(bare.flatMap(({ eventId }) => (eventId === null ? [] : [eventId]))))
      yield { ...list(offset, offset), request: subscribeA.topicRequest(topic), isDetail: true };
    if (listedOn(page).length === 0 || latestOn(page) >= until) return;
    offset += size;
  }
}

/** Live listing and, for what has left it, the historical one; a cursor within each series. */
function* walkVenueB({ of, since, until, resume }: BackfillOptions): Walk {
  const stages = of.flatMap((series) => [false, true].map((historical) => ({ series, historical })));
  const [stageText = '0', ...rest] = (resume ?? '0').split(' ');
  let cursor: string | null = rest.join(' ') || null;
  for (let stage = Number(stageText); stage < stages.length; stage++) {
    const { series, historical } = stages[stage]!;
    do {
      const query = {
        series,
        closesFrom: since,
        closesUntil: until,
        limit: subscribeB.MARKETS_PER_PAGE,
        ...(cursor === null ? {} : { cursor }),
      };
      const path = subscribeB.marketsPath(query, historical);
      const request: VenueRequest = {
        source: 'rest',
        method: 'GET',
        path,
        body: null,
        channel: `rest:${path}`,
      };
      const page: Page = yield {
        request,
        token: `${stage} ${cursor ?? ''}`.trim(),
        done: stage,
        total: stages.length,
      };
      cursor = page.cursor;
    } while (cursor !== null);
  }
}

/** Every window has its slug; closed markets are listed only when asked for. */
function* walkVenueC({ of, windows, since, until, resume }: BackfillOptions): Walk {
  const from = resume ? Math.max(since, Number(resume)) : since;
  const day = 86_400 * MICROS_PER_SECOND;
  for (let start = from; start < until; start += day) {
    // Also the window that closes just as the range begins.
    const begin = start === since ? start - 1 : start;
    for (const slug of subscribeC.shortDatedSlugs(of, windows, begin, Math.min(start + day, until))) {
      yield {
        request: subscribeC.eventBySlugRequest(slug, true),
        token: String(start),
        done: start - since,
        total: until - since,
      };
    }
  }
}
