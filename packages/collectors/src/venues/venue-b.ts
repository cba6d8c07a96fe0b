// Venue B: without a key, books are polled adaptively under the quota; with one, the signed WebSocket sends snapshots and
// deltas. Discovery by series either way.

import { constants, createPrivateKey, sign as signBytes } from 'node:crypto';

import type { VenueRequest } from '@ladderlog/core';
import { subscribeB, venueB } from '@ladderlog/core';

import type { RestEndpoint, VenueDriver } from '../recorder/driver.ts';
import type { StreamSpec, Target } from '../recorder/stream-spec.ts';
import type { Choice } from '../recorder/targets.ts';
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
    seedMs: null,
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
  const wanted = new Set<string>();
  /** The subscription to books, one a socket: the command that asked for it, its sid (null until told), and its markets. */
  let books: { readonly id: number; sid: number | null; readonly markets: Set<string> } | null = null;

  const subscribe = (): string[] => {
    if (wanted.size === 0) return [];
    books = { id: nextId++, sid: null, markets: new Set(wanted) };
    return [subscribeB.subscribeCommand(books.id, ['orderbook_delta'], [...wanted], useYesPrice)];
  };
  /** Brings the subscription in line with what is wanted; while its sid is not known that waits. */
  const align = (): string[] => {
    if (books === null) return subscribe();
    const { sid, markets } = books;
    if (sid === null) return [];
    const more = [...wanted.difference(markets)];
    const less = [...markets.difference(wanted)];
    for (const market of more) markets.add(market);
    for (const market of less) markets.delete(market);
    return [
      ...(more.length > 0 ? [subscribeB.updateCommand(nextId++, sid, 'add_markets', more)] : []),
      ...(less.length > 0 ? [subscribeB.updateCommand(nextId++, sid, 'delete_markets', less)] : []),
    ];
  };
  const want = (targets: readonly Target[]): string[] => {
    for (const { market } of targets) wanted.add(market);
    return align();
  };

  return {
    name: `venueb-${shard}`,
    endpoint: () => ({ url: options.wsUrl, headers: signer('GET', path) }),
    settings: subscribeB.frameSettings(useYesPrice),
    onOpen: () => {
      books = null;
      wanted.clear();
    },
    onText: (text) => {
      const reply = replyOf(text);
      if (reply === null || books === null) return [];
      if (reply.type === 'subscribed') {
        if (reply.id !== null && reply.id !== books.id) return [];
        books.sid = reply.sid;
        return align();
      }
      if (!endsBooks(reply, books)) return [];
      books = null;
      return subscribe();
    },
    hello: want,
    add: want,
    remove: (targets) => {
      for (const { market } of targets) wanted.delete(market);
      return align();
    },
    resync: (targets) => {
      const sid = books?.sid ?? null;
      if (sid === null) return align();
      return [
        subscribeB.updateCommand(
          nextId++,
          sid,
          'get_snapshot',
          targets.map(({ market }) => market),
        ),
      ];
    },
    keepAlive: { everyMs: timing.keepAliveMs, text: null },
    silenceMs: timing.silenceMs,
    lifeMs: timing.lifeMs,
    firstBookMs: timing.firstBookMs,
    minSendGapMs: 0,
  };
}

type Reply =
  | { readonly type: 'subscribed'; readonly id: number | null; readonly sid: number }
  | {
      readonly type: 'error';
      readonly id: number | null;
      readonly sid: number | null;
      readonly code: number;
      readonly market: boolean;
    };

/** An answer to a command, or the end of a subscription; books and all else are not ours to judge. */
function replyOf(text: string): Reply | null {
  if (text.length > 1_024 || !/"(subscribed|error)"/.test(text)) return null;
  let message: { type?: unknown; id?: unknown; sid?: unknown; msg?: Record<string, unknown> | null } | null;
  try {
    message = JSON.parse(text) as typeof message;
  } catch {
    return null;
  }
  const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
  const id = number(message?.id);
  const { channel, sid, code, market_ticker: market } = message?.msg ?? {};
  if (message?.type === 'subscribed')
    return channel === 'orderbook_delta' && typeof sid === 'number' ? { type: 'subscribed', id, sid } : null;
  if (message?.type !== 'error' || typeof code !== 'number') return null;
  return { type: 'error', id, sid: number(message.sid), code, market: market !== undefined };
}

/** The channel failed, or its buffer overflowed. */
const TERMINAL_CODES: ReadonlySet<number> = new Set([10, 25]);
const UNKNOWN_SID = 7;

/** Whether nothing more will come of this subscription. What older commands are told is about older ones. */
function endsBooks(
  { id, sid, code, market }: Extract<Reply, { type: 'error' }>,
  books: { readonly id: number; readonly sid: number | null },
): boolean {
  if (TERMINAL_CODES.has(code)) return sid === null || sid === books.sid;
  return code === UNKNOWN_SID && !market && id !== null && id > books.id;
}
