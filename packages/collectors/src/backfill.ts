// `ladderlog backfill`: past markets with resolution, volume and liquidity, as metadata that says it is backfilled. Only the
// catalogue: books and samples cannot be had afterwards, and whatever an answer states of them is left on the tape.
// Steps are walked in order and the newest finished one is remembered by the caller, so that a run can go on.

import type { LadderEvent, Micros, Venue, VenueAdapter, VenueEvent, VenueRequest } from '@ladderlog/core';
import { Capture, MICROS_PER_SECOND, subscribeA, subscribeB, subscribeC, toIso } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { positionsFromBeginning, readEvents } from '@ladderlog/log';
import type { Logger } from 'pino';

import type { RestEndpoint } from './driver.ts';
import { AdaptiveRate } from './rate.ts';
import { Rest } from './rest.ts';
import { SessionClock, systemClocks } from './session-clock.ts';

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
};

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
};
type Page = { readonly cursor: string | null; readonly markets: number; readonly latest: Micros | null };
type Walk = Generator<Step, void, Page>;

const KEPT = new Set<LadderEvent['type']>(['FrameCaptured', 'MarketObserved', 'FrameRejected']);

export async function backfill(options: BackfillOptions): Promise<BackfillReport> {
  const { log, venue, signal } = options;
  const capture = new Capture({ adapter: options.adapter, collector: 'backfill', provenance: 'backfilled' });
  await primeWithKnown(log, venue, capture);
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
  let next = walk.next({ cursor: null, markets: 0, latest: null });
  while (!next.done && !signal.aborted) {
    const { request, token, done, total } = next.value;
    const answer = await rests[request.source]!.ask(session, clock, request);
    report.calls++;
    if (!answer.ok) {
      report.failed++;
      // A quota is waited out by the pacing; the same page is asked for again.
      if (answer.cause === 'quota' || report.failed > 1_000) continue;
    }
    const markets = answer.ok
      ? answer.findings.flatMap((finding) => (finding.find === 'market' ? [finding.fields] : []))
      : [];
    const fresh = batch.filter(({ type }) => type === 'MarketObserved').length;
    report.unchanged += Math.max(0, markets.length - fresh);
    await log.append(batch);
    report.appended += batch.length;
    batch = [];
    options.onProgress?.({ done, total, markets: report.markets, resume: token });
    const closes = markets.flatMap(({ closesAt }) => (closesAt === null ? [] : [closesAt]));
    next = walk.next({
      cursor: answer.ok ? answer.nextCursor : null,
      markets: markets.length,
      latest: closes.length === 0 ? null : Math.max(...closes),
    });
  }
  return report;
}

/** What the log already says of these markets is not said again. */
async function primeWithKnown(log: EventLog, venue: Venue, capture: Capture): Promise<void> {
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
    }
  }
}

function walkOf(options: BackfillOptions): Walk {
  if (options.venue === 'venuea') return walkVenueA(options);
  return options.venue === 'venueb' ? walkVenueB(options) : walkVenueC(options);
}

/** The list by end date; rounds before `since` are passed over by doubling strides. */
function* walkVenueA({ since, until, resume }: BackfillOptions): Walk {
  let offset = resume ? Number(resume) : 0;
  for (;;) {
    const page = yield {
      request: subscribeA.topicsRequest({ offset }),
      token: String(offset),
      done: offset,
      total: offset + subscribeA.TOPICS_PER_PAGE,
    };
    if (page.markets === 0 || (page.latest !== null && page.latest >= until)) return;
    const behind = page.latest !== null && page.latest < since;
    offset += behind ? subscribeA.TOPICS_PER_PAGE * 4 : subscribeA.TOPICS_PER_PAGE;
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
    for (const slug of subscribeC.shortDatedSlugs(of, windows, start, Math.min(start + day, until))) {
      yield {
        request: subscribeC.eventBySlugRequest(slug, true),
        token: String(start),
        done: start - since,
        total: until - since,
      };
    }
  }
}
