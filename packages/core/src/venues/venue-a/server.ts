// Venue A as a server, Binance Wallet Prediction dialect: signed REST behind a weight limit per minute, and the signed
// WebSocket (server-socket.ts). Signatures are HMAC-SHA256, hexadecimal, over the query without the signature itself.

import { MICROS_PER_MS, MICROS_PER_SECOND, type Micros } from '../../kernel/time.ts';
import {
  asJson,
  type RequestHead,
  type RestAnswer,
  type ServerPrimitives,
  type VenueServerPart,
} from '../serving/server.ts';
import { SocketA, type FrameA } from './server-socket.ts';

const error = (status: number, code: number, msg: string): RestAnswer => asJson(status, { code, msg });

/** Codes of the venue, with the HTTP status each comes with. */
const ERRORS = {
  rate: error(429, -1003, 'Too many requests; current limit of IP is 12000 request weight per 1 MINUTE.'),
  banned: error(418, -1003, 'Way too many requests; IP banned.'),
  noTimestamp: error(
    400,
    -1102,
    "Mandatory parameter 'timestamp' was not sent, was empty/null, or malformed.",
  ),
  clock: error(400, -1021, 'Timestamp for this request is outside of the recvWindow.'),
  signature: error(400, -1022, 'Signature for this request is not valid.'),
  keyFormat: error(401, -2014, 'API-key format invalid.'),
  keyUnknown: error(401, -2008, 'Invalid Api-Key ID.'),
  parameter: error(400, -3026, 'request param is invalid.'),
  recvWindow: error(400, -1131, 'recvWindow must be less than 60000'),
} as const;

export const invalidParameter = ERRORS.parameter;

const CALL_WEIGHT = 200;
const WEIGHT_PER_MINUTE = 12_000;
const MINUTE = 60 * MICROS_PER_SECOND;
/** Refused calls in one minute before 429 becomes a ban. */
const REFUSALS_BEFORE_BAN = 10;
const BAN = 2 * MINUTE;

const MAX_RECV_WINDOW_MS = 60_000;
const DEFAULT_RECV_WINDOW_MS = 5_000;
/** A client's clock may be this far ahead of ours. */
const AHEAD_MS = 1_000;
const MAX_RANDOM_LENGTH = 32;

export const server: VenueServerPart<FrameA> = {
  services: [{ name: 'rest', base: '/sapi/v1/w3w/wallet/prediction', socketPath: '/sapi/wss' }],
  authParameters: ['signature', 'timestamp', 'recvWindow'],
  keepAlive: { lifeMs: 86_400_000, pingTimeoutMs: 60_000 },
  refusals: {
    notFound: error(404, -1000, 'not found'),
    tooMany: { ...ERRORS.rate, headers: { 'retry-after': '1' } },
    failed: error(500, -1000, 'An unknown error occurred while processing the request.'),
  },
  open({ primitives, credentials, quota = WEIGHT_PER_MINUTE }) {
    const weight = createWeight(quota);
    const check = (head: RequestHead, now: Micros, order: Order): RestAnswer | null =>
      credentials && checkSignature(head, now, order, credentials, primitives);
    return {
      admit: (head, now) => ({ refusal: weight.take(now) ?? check(head, now, 'as-sent') }),
      headers: () => ({ 'x-sapi-used-ip-weight-1m': String(weight.used()) }),
      refuseSocket(head, now) {
        const random = head.query.get('random') ?? '';
        const isRandom = random.length > 0 && random.length <= MAX_RANDOM_LENGTH;
        return check(head, now, 'sorted') ?? (credentials && !isRandom ? ERRORS.parameter : null);
      },
      openSocket: (head, client) => new SocketA(head, client),
    };
  },
};

/** The weight of calls in the current minute. */
function createWeight(quota: number): { take(now: Micros): RestAnswer | null; used(): number } {
  let minute = 0;
  let used = 0;
  let refused = 0;
  let bannedUntil = 0;
  return {
    used: () => used,
    /** Books one call; null when it may go through. */
    take(now) {
      const current = Math.floor(now / MINUTE);
      if (current !== minute) [minute, used, refused] = [current, 0, 0];
      const until = (answer: RestAnswer, time: Micros): RestAnswer => ({
        ...answer,
        headers: { 'retry-after': String(Math.max(1, Math.ceil((time - now) / MICROS_PER_SECOND))) },
      });
      if (now < bannedUntil) return until(ERRORS.banned, bannedUntil);
      used += CALL_WEIGHT;
      if (used <= quota) return null;
      if (++refused <= REFUSALS_BEFORE_BAN) return until(ERRORS.rate, (minute + 1) * MINUTE);
      bannedUntil = now + BAN;
      return until(ERRORS.banned, bannedUntil);
    },
  };
}

/** REST signs the query as sent; the WebSocket signs its parameters sorted by name. */
type Order = 'as-sent' | 'sorted';

/** Null when the signature is good. */
function checkSignature(
  { headers, query, rawQuery }: RequestHead,
  now: Micros,
  order: Order,
  { apiKey, apiSecret }: Readonly<Record<string, string>>,
  { hmacSha256 }: ServerPrimitives,
): RestAnswer | null {
  const key = headers['x-mbx-apikey'];
  if (typeof key !== 'string' || !/^[A-Za-z0-9]{16,128}$/.test(key)) return ERRORS.keyFormat;
  if (key !== apiKey) return ERRORS.keyUnknown;
  const timestamp = query.get('timestamp');
  if (!timestamp || !/^\d{10,16}$/.test(timestamp)) return ERRORS.noTimestamp;
  const recvWindow = Number(query.get('recvWindow') ?? DEFAULT_RECV_WINDOW_MS);
  if (!(recvWindow > 0 && recvWindow <= MAX_RECV_WINDOW_MS)) return ERRORS.recvWindow;
  const age = Math.floor(now / MICROS_PER_MS) - Number(timestamp);
  if (age < -AHEAD_MS || age > recvWindow) return ERRORS.clock;
  const pairs = rawQuery.split('&').filter((pair) => pair !== '' && !pair.startsWith('signature='));
  const signed = (order === 'sorted' ? pairs.sort(byName) : pairs).join('&');
  const isGood = query.get('signature')?.toLowerCase() === hmacSha256(apiSecret!, signed);
  return isGood ? null : ERRORS.signature;
}

const byName = (a: string, b: string): number => {
  const [left, right] = [a.split('=', 1)[0]!, b.split('=', 1)[0]!];
  return left < right ? -1 : left > right ? 1 : 0;
};
