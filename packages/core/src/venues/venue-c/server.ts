// Venue C as a server, Polymarket dialect: Gamma and CLOB over HTTP, the market channel over WebSocket (server-socket.ts).
// No authentication.

import { MICRO, formatMicro, type Micro } from '../../kernel/decimal.ts';
import { parseJson } from '../../kernel/exact-json.ts';
import { MICROS_PER_SECOND, type Micros } from '../../kernel/time.ts';
import type { Query } from '../serving/query.ts';
import { asJson, type ServerPrimitives, type VenueServerPart } from '../serving/server.ts';
import { SocketC, type FrameC } from './server-socket.ts';

/** Requests in any 10 s before answers are delayed; at twice that they are refused. */
const LIMITS: readonly (readonly [service: string, path: RegExp, limit: number])[] = [
  ['clob', /^\/(book|price|midpoint)$/, 1_500],
  ['clob', /^\/(books|prices|midpoints)$/, 500],
  ['clob', /^\/tick-size$/, 200],
  ['clob', /./, 9_000],
  ['gamma', /^\/events/, 500],
  ['gamma', /^\/markets/, 300],
  ['gamma', /./, 4_000],
];
const LIMIT_WINDOW = 10 * MICROS_PER_SECOND;
const MAX_DELAY_MS = 5_000;

export const server: VenueServerPart<FrameC> = {
  services: [
    { name: 'clob', base: '', socketPath: '/ws/market' },
    { name: 'gamma', base: '' },
  ],
  authParameters: [],
  keepAlive: {},
  refusals: {
    notFound: asJson(404, { error: 'not found' }),
    tooMany: asJson(429, { error: 'Too Many Requests' }),
    failed: asJson(500, { error: 'Internal server error' }),
  },
  open() {
    /** Times of the requests under each limit. */
    const uses = LIMITS.map((): Micros[] => []);
    return {
      admit({ service, path }, now) {
        const at = LIMITS.findIndex(([of, pattern]) => of === service && pattern.test(path));
        const limit = LIMITS[at]![2];
        const recent = uses[at]!.filter((use) => use > now - LIMIT_WINDOW);
        uses[at] = [...recent, now];
        const over = recent.length + 1 - limit;
        if (over > limit) return { refusal: server.refusals.tooMany };
        return over <= 0 ? {} : { delayMs: Math.min(MAX_DELAY_MS, over * (10_000 / limit)) };
      },
      openSocket: (_head, client) => new SocketC(client),
    };
  },
};

export type WireLevel = { price: string; size: string };

/** The CLOB's REST book. */
export type BookSummary = {
  market: string;
  asset_id: string;
  timestamp: string;
  bids: WireLevel[];
  asks: WireLevel[];
  min_order_size: string;
  tick_size: string;
  neg_risk: boolean;
  last_trade_price: string;
  hash: string;
};

/**
 * With the hash that the venue's SDK computes: SHA-1 of the compact JSON of the summary with an empty hash. `summary` must have
 * the keys in the SDK's order already.
 */
export const withBookHash = (
  summary: BookSummary,
  { sha1 }: Pick<ServerPrimitives, 'sha1'>,
): BookSummary => ({
  ...summary,
  hash: sha1(JSON.stringify({ ...summary, hash: '' })),
});

/** What is known of a token: by a simulated market, or by a recording at its moment. */
export type TokenFacts = {
  readonly bid: Micro | null;
  readonly ask: Micro | null;
  readonly tickSize: Micro | null;
  readonly negRisk: boolean;
  readonly lastTrade: { readonly price: string; readonly side: string } | null;
  /** Made only where it is asked for. */
  readonly summary: () => BookSummary;
};

/** The CLOB's answer about one token; null where it is not known, undefined where the CLOB has no such route. */
export function tokenAnswer(path: string, query: Query, facts: TokenFacts | null): object | null | undefined {
  const { bid = null, ask = null, tickSize = null, lastTrade = null } = facts ?? {};
  switch (path) {
    case '/book':
      return facts && facts.summary();
    case '/price': {
      const price = query.get('side')?.toUpperCase() === 'SELL' ? ask : bid;
      return price === null ? null : { price: formatMicro(price) };
    }
    case '/midpoint':
      return bid === null || ask === null ? null : { mid: formatMicro(Math.floor((bid + ask) / 2)) };
    case '/spread':
      return bid === null || ask === null ? null : { spread: formatMicro(ask - bid) };
    case '/tick-size':
      return tickSize === null ? null : { minimum_tick_size: tickSize / MICRO };
    case '/neg-risk':
      return facts && { neg_risk: facts.negRisk };
    case '/last-trade-price':
      return lastTrade;
    default:
      return undefined;
  }
}

const MAX_TOKENS_ASKED = 500;

/** The tokens that the body of POST /books names; null: it is none, or names too many. */
export function tokensAsked(body: string): string[] | null {
  const parsed = parseJson(body);
  if (!Array.isArray(parsed) || parsed.length > MAX_TOKENS_ASKED) return null;
  return parsed.map((entry: { token_id?: unknown } | null) =>
    typeof entry?.token_id === 'string' ? entry.token_id : '',
  );
}
