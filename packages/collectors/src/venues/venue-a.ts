// Venue A: every call and the socket are signed; 60 REST calls a minute for everything, so REST finds markets, seeds and
// samples, and the socket brings the books. chance and price come with the catalogue, last_trade by its own call.

import { createHmac, randomBytes } from 'node:crypto';

import type { MarketFields, VenueRequest } from '@ladderlog/core';
import { subscribeA, venueA } from '@ladderlog/core';

import type { RestEndpoint, VenueDriver } from '../recorder/driver.ts';
import type { StreamSpec } from '../recorder/stream-spec.ts';
import type { Choice } from '../recorder/targets.ts';
import type { VenueTiming } from './venue-c.ts';

export type VenueAOptions = {
  readonly restUrl: string;
  readonly wsUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly coins: readonly string[];
  readonly windows: readonly string[];
  readonly shard: Choice['shard'];
  readonly timing: VenueTiming;
  readonly wallMs: () => number;
};

const MARKETS_PER_SOCKET = 100;
const BURST = 6;

type Listed = Pick<MarketFields, 'eventId' | 'opensAt' | 'closesAt' | 'outcomes'>;

export function venueAEndpoints(options: VenueAOptions): Record<string, RestEndpoint> {
  return {
    rest: {
      baseUrl: options.restUrl,
      // With the burst a few calls below the venue's minute, so that calls that arrive late and bunched do not cross it.
      perSecond: (subscribeA.CALLS_PER_MINUTE - 2 * BURST) / 60,
      burst: BURST,
      sign: ({ method, path }) => {
        const request: VenueRequest = {
          source: 'rest',
          method: method as 'GET',
          path,
          body: null,
          channel: '',
        };
        const unsigned = subscribeA.restQuery(request, options.wallMs());
        const query = subscribeA.signedQuery(unsigned, hmac(options.apiSecret, unsigned.payload));
        return {
          path: subscribeA.signedPath(request, query),
          headers: { [subscribeA.API_KEY_HEADER]: options.apiKey },
        };
      },
    },
  };
}

const hmac = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('hex');

export function createVenueADriver(options: VenueAOptions): VenueDriver {
  const { timing } = options;
  let samplesFrom = 0;
  let firstLive = 0;
  /** Topics that lists name without their markets, whose markets are known: until when that matters. */
  const detailed = new Map<string, number>();
  return {
    venue: 'venuea',
    adapter: venueA,
    choice: {
      assets: options.coins.map((coin) => coin.toUpperCase()),
      windows: options.windows,
      series: null,
      leadMs: timing.leadMs,
      graceMs: timing.graceMs,
      shard: options.shard,
    },
    discoverMs: timing.discoverMs,
    // Next to end first. Where the list keeps ended rounds, the page where the live ones begin is searched for, galloping, and
    // remembered.
    async discover(ask, now) {
      const bare = new Set<string>();
      const horizon = now + timing.leadMs * 1_000;
      let offset = firstLive;
      let stride = subscribeA.TOPICS_PER_PAGE;
      for (let page = 0; page < 8; page++) {
        const answer = await ask(subscribeA.topicsRequest({ offset }));
        if (!answer.ok) break;
        const markets = answer.findings.flatMap((finding): Listed[] =>
          finding.type === 'market'
            ? [finding.fields]
            : finding.type === 'skip' && finding.listed
              ? [{ ...finding.listed, outcomes: [] }]
              : [],
        );
        for (const { outcomes, eventId, opensAt, closesAt } of markets)
          if (
            outcomes.length === 0 &&
            eventId !== null &&
            !detailed.has(eventId) &&
            (closesAt ?? now) >= now &&
            (opensAt ?? now) <= horizon
          )
            bare.add(eventId);
        const live = markets.findIndex(({ closesAt }) => closesAt === null || closesAt > now);
        if (markets.length > 0 && live < 0) {
          // All ended: go on, further each time.
          firstLive = offset;
          offset += stride;
          stride *= 2;
        } else if (live !== 0 || offset === 0) {
          firstLive = Math.max(0, offset + Math.max(0, live) - 5);
          const whole =
            markets.length < subscribeA.TOPICS_PER_PAGE ||
            markets.some(({ opensAt }) => opensAt !== null && opensAt > horizon);
          if (live >= 0 && whole) break;
          offset = live < 0 ? Math.floor((firstLive + offset) / 2) : offset + subscribeA.TOPICS_PER_PAGE;
        } else {
          // Went past the first live one.
          offset = Math.max(
            firstLive,
            offset - Math.max(subscribeA.TOPICS_PER_PAGE / 2, Math.floor((offset - firstLive) / 2)),
          );
          if (offset === firstLive) firstLive = Math.max(0, firstLive - subscribeA.TOPICS_PER_PAGE / 2);
        }
      }
      // Some list items come without outcomes or markets; the detail has them.
      for (const [topic, closesAt] of detailed) if (closesAt < now) detailed.delete(topic);
      for (const topic of [...bare].slice(0, 5)) {
        const answer = await ask(subscribeA.topicRequest(topic));
        if (!answer.ok) continue;
        for (const finding of answer.findings)
          if (finding.type === 'market' && finding.fields.outcomes.length > 0)
            detailed.set(topic, finding.fields.closesAt ?? now);
      }
    },
    async resolve(ask, markets) {
      for (const [, { eventId }] of markets.slice(0, 5))
        if (eventId !== null) await ask(subscribeA.topicRequest(eventId));
    },
    // What the budget leaves, in turn.
    async sample(ask, markets) {
      const share = Math.min(markets.length, 4);
      for (let at = 0; at < share; at++) {
        const market = markets[(samplesFrom + at) % markets.length];
        if (market) await ask(subscribeA.lastTradeRequest(market[0]));
      }
      samplesFrom += share;
    },
    stream: { perSocket: MARKETS_PER_SOCKET, spec: (shard) => streamSpec(options, shard) },
    poll: null,
    probe: (market, outcome, fields) => {
      const token = fields?.outcomes.find(({ id }) => id === outcome)?.tokenId ?? null;
      return token === null ? null : subscribeA.bookRequest(market, token);
    },
    seedMs: timing.firstBookMs,
    quietMs: timing.quietMs,
    compareMs: null,
  };
}

function streamSpec(options: VenueAOptions, shard: number): StreamSpec {
  const { timing } = options;
  return {
    name: `venuea-${shard}`,
    endpoint: () => {
      const unsigned = subscribeA.socketQuery({
        topics: [],
        random: randomBytes(12).toString('hex'),
        timestampMs: options.wallMs(),
      });
      const query = subscribeA.signedQuery(unsigned, hmac(options.apiSecret, unsigned.payload));
      return { url: `${options.wsUrl}?${query}`, headers: { [subscribeA.API_KEY_HEADER]: options.apiKey } };
    },
    settings: {},
    hello: (targets) =>
      targets.map(({ market }) => subscribeA.subscribeMessage(subscribeA.bookStream(market))),
    add: (targets) => targets.map(({ market }) => subscribeA.subscribeMessage(subscribeA.bookStream(market))),
    remove: (targets) =>
      targets.map(({ market }) => subscribeA.unsubscribeMessage(subscribeA.bookStream(market))),
    // Every push is a whole book: the next one mends, or a book by REST.
    resync: () => [],
    keepAlive: { everyMs: Math.min(timing.keepAliveMs, subscribeA.PING_INTERVAL_MS), text: null },
    silenceMs: timing.silenceMs,
    lifeMs: timing.lifeMs,
    firstBookMs: timing.firstBookMs,
    minSendGapMs: Math.ceil(1_000 / subscribeA.MESSAGES_PER_SECOND),
  };
}
