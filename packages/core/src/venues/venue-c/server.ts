// Venue C as a server, Polymarket dialect: Gamma and CLOB over HTTP, the market channel over WebSocket (server-socket.ts).
// No authentication.

import { parseJson } from '../../kernel/exact-json.ts';
import { MICROS_PER_SECOND, type Micros } from '../../kernel/time.ts';
import {
  asJson,
  type Admission,
  type Client,
  type RequestHead,
  type ServerPrimitives,
  type ServerProtocol,
  type VenueServerPart,
} from '../serving/server.ts';
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
  open: () => new ProtocolC(),
};

class ProtocolC implements ServerProtocol<FrameC> {
  /** Times of the requests under each limit. */
  private readonly uses = LIMITS.map((): Micros[] => []);

  admit({ service, path }: RequestHead, now: Micros): Admission {
    const at = LIMITS.findIndex(([of, pattern]) => of === service && pattern.test(path));
    const limit = LIMITS[at]![2];
    const recent = this.uses[at]!.filter((use) => use > now - LIMIT_WINDOW);
    recent.push(now);
    this.uses[at] = recent;
    const over = recent.length - limit;
    if (over <= 0) return {};
    return over > limit
      ? { refusal: server.refusals.tooMany }
      : { delayMs: Math.min(MAX_DELAY_MS, over * (10_000 / limit)) };
  }

  openSocket(_request: RequestHead, client: Client<FrameC>): SocketC {
    return new SocketC(client);
  }
}

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

const MAX_TOKENS_ASKED = 500;

/** The tokens that the body of POST /books names; null: it is none, or names too many. */
export function tokensAsked(body: string): string[] | null {
  const parsed = parseJson(body);
  if (!Array.isArray(parsed) || parsed.length > MAX_TOKENS_ASKED) return null;
  return parsed.map((entry: { token_id?: unknown } | null) =>
    typeof entry?.token_id === 'string' ? entry.token_id : '',
  );
}
