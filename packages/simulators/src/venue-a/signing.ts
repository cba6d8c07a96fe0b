// Venue A's signatures: HMAC-SHA256, hexadecimal, over the exact query string without the signature itself.

import { createHmac, timingSafeEqual } from 'node:crypto';

export type Credentials = { readonly apiKey: string; readonly apiSecret: string };

/** Codes of the venue, with the HTTP status each comes with. */
export const ERRORS = {
  rate: {
    status: 429,
    code: -1003,
    msg: 'Too many requests; current limit of IP is 12000 request weight per 1 MINUTE.',
  },
  banned: { status: 418, code: -1003, msg: 'Way too many requests; IP banned.' },
  noTimestamp: {
    status: 400,
    code: -1102,
    msg: "Mandatory parameter 'timestamp' was not sent, was empty/null, or malformed.",
  },
  clock: { status: 400, code: -1021, msg: 'Timestamp for this request is outside of the recvWindow.' },
  signature: { status: 400, code: -1022, msg: 'Signature for this request is not valid.' },
  keyFormat: { status: 401, code: -2014, msg: 'API-key format invalid.' },
  keyUnknown: { status: 401, code: -2008, msg: 'Invalid Api-Key ID.' },
  parameter: { status: 400, code: -3026, msg: 'request param is invalid.' },
  recvWindow: { status: 400, code: -1131, msg: 'recvWindow must be less than 60000' },
} as const;
export type ApiError = (typeof ERRORS)[keyof typeof ERRORS];

const MAX_RECV_WINDOW_MS = 60_000;
const DEFAULT_RECV_WINDOW_MS = 5_000;
/** A client's clock may be this far ahead of ours. */
const AHEAD_MS = 1_000;

/**
 * Null when the request is good. `order`: REST signs the query as sent; the WebSocket signs its parameters sorted by name.
 * Null credentials accept any key and signature (a replay server for people without keys).
 */
export function checkRequest(
  query: string,
  apiKey: string | undefined,
  credentials: Credentials | null,
  nowMs: number,
  order: 'as-sent' | 'sorted',
): ApiError | null {
  if (!credentials) return null;
  if (!apiKey || !/^[A-Za-z0-9]{16,128}$/.test(apiKey)) return ERRORS.keyFormat;
  if (apiKey !== credentials.apiKey) return ERRORS.keyUnknown;
  const pairs = query.split('&').filter((pair) => pair !== '' && !pair.startsWith('signature='));
  const params = new URLSearchParams(query);
  const timestamp = params.get('timestamp');
  if (!timestamp || !/^\d{10,16}$/.test(timestamp)) return ERRORS.noTimestamp;
  const recvWindow = Number(params.get('recvWindow') ?? DEFAULT_RECV_WINDOW_MS);
  if (!(recvWindow > 0 && recvWindow <= MAX_RECV_WINDOW_MS)) return ERRORS.recvWindow;
  if (Number(timestamp) > nowMs + AHEAD_MS || nowMs - Number(timestamp) > recvWindow) return ERRORS.clock;
  const signed = (order === 'sorted' ? pairs.sort(byName) : pairs).join('&');
  const expected = createHmac('sha256', credentials.apiSecret).update(signed).digest();
  const given = Buffer.from(params.get('signature') ?? '', 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected) ? null : ERRORS.signature;
}

const byName = (a: string, b: string): number => {
  const [left, right] = [a.split('=', 1)[0]!, b.split('=', 1)[0]!];
  return left < right ? -1 : left > right ? 1 : 0;
};
