// Venue B: without a key, books are polled adaptively under the quota; with one, the signed WebSocket sends snapshots and
// deltas. Discovery by series either way.

import { constants, createPrivateKey, sign as signBytes } from 'node:crypto';

import type { VenueRequest } from '@ladderlog/core';
import { subscribeB, venueB } from '@ladderlog/core';

import type { RestEndpoint, VenueDriver } from '../driver.ts';
import type { StreamSpec, Target } from '../stream-spec.ts';
import type { Choice } from '../targets.ts';
import type { VenueTiming } from './venue-c.ts';

export type VenueBOptions = {
  readonly restUrl: string;
  readonly wsUrl: string;
  /** With a key the socket is used, without one the books are polled. */
  readonly key: { readonly id: string; readonly privateKeyPem: string } | null;
  readonly series: readonly string[];
  readonly readsPerSecond: number;
  readonly shard: Choice['shard'];
  readonly timing: VenueTiming;
  readonly wallMs: () => number;
};

/** One sid a socket, and few markets on it: a break in its numbers makes all of them suspect. */
const MARKETS_PER_SOCKET = 50;

const get = (path: string): VenueRequest => ({
  source: 'rest',
  method: 'GET',
  path,
  body: null,
  channel: `rest:${path}`,
});

/** Fresh per call: RSA-PSS with SHA-256 over timestamp, method and path. */
function createVenueBSigner(
  key: NonNullable<VenueBOptions['key']>,
  wallMs: () => number,
): (method: string, fullPath: string) => Record<string, string> {
  const privateKey = createPrivateKey(key.privateKeyPem);
  return (method, fullPath) => {
    const timestamp = wallMs();
    const signature = signBytes('sha256', Buffer.from(subscribeB.textToSign(timestamp, method, fullPath)), {
      key: privateKey,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    });
    return {
      'KALSHI-ACCESS-KEY': key.id,
      'KALSHI-ACCESS-TIMESTAMP': String(timestamp),
      'KALSHI-ACCESS-SIGNATURE': signature.toString('base64'),
    };
  };
}

export function venueBEndpoints(options: VenueBOptions): Record<string, RestEndpoint> {
  const { key } = options;
  const base = {
    baseUrl: options.restUrl,
    perSecond: options.readsPerSecond,
    burst: Math.max(1, options.readsPerSecond),
  };
  if (!key) return { rest: base };
  const signer = createVenueBSigner(key, options.wallMs);
  const prefix = new URL(options.restUrl).pathname.replace(/\/$/, '');
  return {
    rest: { ...base, sign: ({ method, path }) => ({ path, headers: signer(method, `${prefix}${path}`) }) },
  };
}

export function createVenueBDriver(options: VenueBOptions): VenueDriver {
  const { timing, key } = options;
  return {
    venue: 'venueb',
    adapter: venueB,
    choice: {
      assets: null,
      windows: null,
      series: options.series,
      leadMs: timing.leadMs,
      graceMs: timing.graceMs,
      shard: options.shard,
    },
    discoverMs: timing.discoverMs,
    async discover(ask, now) {
      for (const series of options.series) {
        let cursor: string | undefined;
        // Close times go without a status: open rounds, and those that open next.
        for (let page = 0; page < 50; page++) {
          const path = subscribeB.marketsPath({
            series,
            closesFrom: now,
            limit: 200,
            ...(cursor === undefined ? {} : { cursor }),
          });
          const answer = await ask(get(path));
          const next = answer.ok ? answer.nextCursor : null;
          if (next === null) break;
          cursor = next;
        }
      }
    },
    async resolve(ask, markets) {
      for (const [market] of markets.slice(0, 20)) await ask(get(subscribeB.marketPath(market)));
    },
    sample: null,
    stream: key ? { perSocket: MARKETS_PER_SOCKET, spec: (shard) => streamSpec(options, key, shard) } : null,
    poll: key
      ? null
      : {
          request: (market) => get(subscribeB.orderbookPath(market)),
          // Even the calmest book is asked for well before it counts as starved.
          limits: {
            minMs: Math.min(1_000, timing.staleMs / 4),
            maxMs: timing.staleMs / 2,
            startMs: timing.staleMs / 8,
          },
          staleMs: timing.staleMs,
        },
    probe: key ? (market) => get(subscribeB.orderbookPath(market)) : null,
    quietMs: timing.quietMs,
    compareMs: null,
  };
}

function streamSpec(
  options: VenueBOptions,
  key: NonNullable<VenueBOptions['key']>,
  shard: number,
): StreamSpec {
  const { timing } = options;
  const signer = createVenueBSigner(key, options.wallMs);
  const path = new URL(options.wsUrl).pathname;
  const useYesPrice = false;
  let nextId = 1;
  let sid: number | null = null;
  const markets = (targets: readonly Target[]): string[] => targets.map(({ market }) => market);
  const update = (
    action: 'add_markets' | 'delete_markets' | 'get_snapshot',
    targets: readonly Target[],
  ): string[] =>
    sid === null
      ? action === 'add_markets'
        ? [subscribeB.subscribeCommand(nextId++, ['orderbook_delta'], markets(targets), useYesPrice)]
        : []
      : [subscribeB.updateCommand(nextId++, sid, action, markets(targets))];
  return {
    name: `venueb-${shard}`,
    endpoint: () => ({ url: options.wsUrl, headers: signer('GET', path) }),
    settings: subscribeB.frameSettings(useYesPrice),
    onOpen: () => {
      sid = null;
    },
    // The sid of the books' subscription: every later command names it.
    onText: (text) => {
      if (text.length > 512 || !text.includes('"subscribed"')) return;
      try {
        const message = JSON.parse(text) as { type?: string; msg?: { channel?: string; sid?: number } };
        if (
          message.type === 'subscribed' &&
          message.msg?.channel === 'orderbook_delta' &&
          typeof message.msg.sid === 'number'
        )
          sid = message.msg.sid;
      } catch {
        // Not ours to judge: the normalizer rejects it.
      }
    },
    hello: (targets) =>
      targets.length === 0
        ? []
        : [subscribeB.subscribeCommand(nextId++, ['orderbook_delta'], markets(targets), useYesPrice)],
    add: (targets) => update('add_markets', targets),
    remove: (targets) => update('delete_markets', targets),
    resync: (targets) => update('get_snapshot', targets),
    keepAlive: { everyMs: timing.keepAliveMs, text: null },
    silenceMs: timing.silenceMs,
    lifeMs: timing.lifeMs,
    firstBookMs: timing.firstBookMs,
    minSendGapMs: 0,
  };
}
