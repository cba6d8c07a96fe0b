// Venue A: every call and the socket are signed; 60 REST calls a minute for everything, so REST finds markets, seeds and
// samples, and the socket brings the books. chance and price come with the catalogue, last_trade by its own call.

import type {
  Answer,
  BackfillPage,
  BackfillQuestion,
  BackfillStep,
  BackfillWalk,
  CollectPlan,
  KnownMarket,
  Primitives,
  Requests,
  RestEndpoint,
  VenueCollect,
  VenueTiming,
} from '../../capture/collect.ts';
import type { Finding } from '../../capture/finding.ts';
import type { Micros } from '../../kernel/time.ts';
import { MICROS_PER_MS } from '../../kernel/time.ts';
import {
  API_KEY_HEADER,
  CALLS_PER_MINUTE,
  TOPICS_PER_PAGE,
  bookRequest,
  lastTradeRequest,
  restQuery,
  signedPath,
  topicRequest,
  topicsRequest,
} from './requests.ts';
import type { Values } from './settings.ts';
import { createDialogue } from './socket.ts';

const MARKETS_PER_SOCKET = 100;
const BURST = 6;
/** Of each kind of call, so many a round: the rest of the minute belongs to the list. */
const LIST_PAGES = 8;
const DETAILS_AT_ONCE = 5;
const SAMPLES_AT_ONCE = 4;

export const collect: VenueCollect = {
  timing: { discoverMs: 20_000 },
  simulated: { values: {}, timing: { discoverMs: 8_000 } },
  plan: (values: Values, timing, primitives) => {
    const { apiKey, apiSecret } = values;
    return apiKey === null || apiSecret === null
      ? { missing: ['apiKey', 'apiSecret'] }
      : plan({ ...values, apiKey, apiSecret }, timing, primitives);
  },
  backfill: { of: 'assets', setting: 'coins', walk },
};

type WithKey = Values & { readonly apiKey: string; readonly apiSecret: string };

function plan(values: WithKey, timing: VenueTiming, primitives: Primitives): CollectPlan {
  const topics = new TopicList();
  let nextSample = 0;
  return {
    timing,
    endpoints: { rest: endpoint(values, primitives) },
    choice: {
      assets: values.coins.map((coin) => coin.toUpperCase()),
      windows: values.windows,
      series: null,
    },
    discover: (now) => topics.discover(now, now + timing.leadMs * MICROS_PER_MS),
    *resolve(markets) {
      for (const [, { eventId }] of markets.slice(0, DETAILS_AT_ONCE))
        if (eventId !== null) yield topicRequest(eventId);
    },
    // What the budget leaves, one market after another.
    *sample(markets: readonly KnownMarket[]) {
      const share = Math.min(markets.length, SAMPLES_AT_ONCE);
      for (let at = 0; at < share; at++) {
        const market = markets[(nextSample + at) % markets.length];
        if (market) yield lastTradeRequest(market[0]);
      }
      nextSample += share;
    },
    sockets: {
      perSocket: MARKETS_PER_SOCKET,
      open: () => createDialogue(values, timing, primitives),
    },
    poll: null,
    probe: (market, outcome, fields) => {
      const token = fields?.outcomes.find(({ id }) => id === outcome)?.tokenId ?? null;
      return token === null ? null : bookRequest(market, token);
    },
    seedMs: timing.firstBookMs,
    compareMs: null,
  };
}

const endpoint = (
  { restUrl, apiKey, apiSecret }: WithKey,
  { wallMs, hmacSha256Hex }: Primitives,
): RestEndpoint => ({
  baseUrl: restUrl,
  // With the burst a few calls below the venue's minute, so that calls that arrive late and bunched do not cross it.
  perSecond: (CALLS_PER_MINUTE - 2 * BURST) / 60,
  burst: BURST,
  sign: ({ path }) => {
    const query = restQuery(path, wallMs());
    return {
      path: signedPath(path, query, hmacSha256Hex(apiSecret, query)),
      headers: { [API_KEY_HEADER]: apiKey },
    };
  },
});

type Listed = {
  readonly eventId: string | null;
  readonly opensAt: Micros | null;
  readonly closesAt: Micros | null;
  /** Named without its markets or their outcomes; the detail has them. */
  readonly bare: boolean;
};

const listedIn = (findings: readonly Finding[]): Listed[] =>
  findings.flatMap((finding): Listed[] => {
    if (finding.type === 'skip' && finding.listed) return [{ ...finding.listed, bare: true }];
    if (finding.type !== 'market') return [];
    const { eventId, opensAt, closesAt, outcomes } = finding.fields;
    return [{ eventId, opensAt, closesAt, bare: outcomes.length === 0 }];
  });

/**
 * The list of topics, next to end first. Where the venue keeps ended rounds on it, the page where the live ones begin is
 * searched for, in growing strides and then by halves, and remembered for the next time.
 */
class TopicList {
  private begin = 0;
  /** Topics that the list names without their markets, whose markets are known: until when that matters. */
  private readonly detailed = new Map<string, Micros>();

  /** Reads on until a topic opens after `horizon`. */
  *discover(now: Micros, horizon: Micros): Requests {
    const bare = new Set<string>();
    const search = new PageSearch();
    let found = false;
    for (let pages = 0, offset = this.begin; pages < LIST_PAGES; pages++) {
      const answer: Answer = yield topicsRequest(offset);
      if (!answer.ok) break;
      const topics = listedIn(answer.findings);
      for (const topic of topics) if (this.needsDetail(topic, now, horizon)) bare.add(topic.eventId!);
      const live = topics.findIndex(({ closesAt }) => closesAt === null || closesAt > now);
      const isLast = topics.length < TOPICS_PER_PAGE;
      const allEnded = live < 0 && !isLast;
      if (!found && (allEnded || (search.mayBeBefore(offset) && (live === 0 || topics.length === 0)))) {
        offset = allEnded ? search.further(offset) : search.back(offset);
        this.begin = offset;
        continue;
      }
      if (!found) this.begin = Math.max(0, offset + Math.max(0, live) - 5);
      found = true;
      if (isLast || topics.some(({ opensAt }) => opensAt !== null && opensAt > horizon)) break;
      offset += TOPICS_PER_PAGE;
    }
    yield* this.readDetails(bare, now);
  }

  private needsDetail({ bare, eventId, opensAt, closesAt }: Listed, now: Micros, horizon: Micros): boolean {
    return (
      bare &&
      eventId !== null &&
      !this.detailed.has(eventId) &&
      (closesAt ?? now) >= now &&
      (opensAt ?? now) <= horizon
    );
  }

  private *readDetails(bare: ReadonlySet<string>, now: Micros): Requests {
    for (const [topic, closesAt] of this.detailed) if (closesAt < now) this.detailed.delete(topic);
    for (const topic of [...bare].slice(0, DETAILS_AT_ONCE)) {
      const answer: Answer = yield topicRequest(topic);
      if (!answer.ok) continue;
      for (const listed of listedIn(answer.findings))
        if (!listed.bare) this.detailed.set(topic, listed.closesAt ?? now);
    }
  }
}

/** Where the live topics begin: at `low` or later, and not later than `high`. */
class PageSearch {
  private low = 0;
  private high = Number.POSITIVE_INFINITY;
  private stride = TOPICS_PER_PAGE;

  mayBeBefore(offset: number): boolean {
    return offset > this.low;
  }

  /** All topics of the page have ended. */
  further(offset: number): number {
    this.low = offset + TOPICS_PER_PAGE;
    return this.high === Number.POSITIVE_INFINITY ? offset + this.nextStride() : this.middle();
  }

  /** The page begins with a live topic, or lies behind the end of the list. */
  back(offset: number): number {
    this.high = offset;
    return this.low === 0 ? Math.max(0, offset - this.nextStride()) : this.middle();
  }

  private nextStride(): number {
    const { stride } = this;
    this.stride *= 2;
    return stride;
  }

  private middle(): number {
    return this.high - this.low <= TOPICS_PER_PAGE ? this.low : Math.floor((this.low + this.high) / 2);
  }
}

/** The list by end date. What lies before `since` is passed over: by doubling strides, and back by halves. */
function* walk({ since, until, resume }: BackfillQuestion): BackfillWalk {
  const latestOn = (page: BackfillPage): Micros =>
    listedIn(page.findings).reduce((latest, { closesAt }) => Math.max(latest, closesAt ?? 0), 0);
  const list = (offset: number, from: number): BackfillStep => ({
    request: topicsRequest(offset),
    resume: String(from),
    done: offset,
    total: offset + TOPICS_PER_PAGE,
  });
  // Every page before `from` lies behind; the one at `to`, when it is known, does not.
  let from = resume ? Number(resume) : 0;
  let to: number | null = null;
  let page: BackfillPage = { findings: [], text: '' };
  for (let stride = 1; to === null || to > from; stride *= 2) {
    const pages: number = to === null ? stride - 1 : Math.floor((to - from) / TOPICS_PER_PAGE / 2);
    const at = from + TOPICS_PER_PAGE * pages;
    const asked: BackfillPage = yield list(at, from);
    const latest = latestOn(asked);
    if (latest > 0 && latest < since) from = at + TOPICS_PER_PAGE;
    else {
      to = at;
      page = asked;
    }
  }
  for (let offset = from; ; page = yield list(offset, offset)) {
    const topics = listedIn(page.findings);
    const bare = topics.filter(
      (one) => one.bare && (one.closesAt === null || (one.closesAt >= since && one.closesAt < until)),
    );
    for (const topic of new Set(bare.flatMap(({ eventId }) => (eventId === null ? [] : [eventId]))))
      yield { ...list(offset, offset), request: topicRequest(topic), isDetail: true };
    if (topics.length === 0 || latestOn(page) >= until) return;
    offset += TOPICS_PER_PAGE;
  }
}
