// Venue A as a server, Binance Wallet Prediction dialect: signed REST behind a weight limit per minute, and the signed
// WebSocket (server-socket.ts). Signatures are HMAC-SHA256, hexadecimal, over the query without the signature itself.

import { MICROS_PER_MS, MICROS_PER_SECOND, type Micros } from '../../kernel/time.ts';
import {
  asJson,
  type Client,
  type ProtocolOptions,
  type RequestHead,
  type RestAnswer,
  type ServerProtocol,
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
  open: (options) => new ProtocolA(options),
};

class ProtocolA implements ServerProtocol<FrameA> {
  private readonly options: ProtocolOptions;
  private minute = 0;
  private used = 0;
  private refused = 0;
  private bannedUntil = 0;

  constructor(options: ProtocolOptions) {
    this.options = options;
  }

  admit(request: RequestHead, now: Micros): { refusal?: RestAnswer } {
    const refusal = this.weigh(now) ?? this.check(request, now, 'as-sent');
    return refusal ? { refusal } : {};
  }

  headers(): Readonly<Record<string, string>> {
    return { 'x-sapi-used-ip-weight-1m': String(this.used) };
  }

  refuseSocket(request: RequestHead, now: Micros): RestAnswer | null {
    const random = request.query.get('random') ?? '';
    return (
      this.check(request, now, 'sorted') ??
      (this.options.credentials && (random.length === 0 || random.length > MAX_RANDOM_LENGTH)
        ? ERRORS.parameter
        : null)
    );
  }

  openSocket(request: RequestHead, client: Client<FrameA>): SocketA {
    return new SocketA(request, client);
  }

  /** Books one call; null when it may go through. */
  private weigh(now: Micros): RestAnswer | null {
    const minute = Math.floor(now / MINUTE);
    if (minute !== this.minute) {
      this.minute = minute;
      this.used = 0;
      this.refused = 0;
    }
    const until = (answer: RestAnswer, time: Micros): RestAnswer => ({
      ...answer,
      headers: { 'retry-after': String(Math.max(1, Math.ceil((time - now) / MICROS_PER_SECOND))) },
    });
    if (now < this.bannedUntil) return until(ERRORS.banned, this.bannedUntil);
    this.used += CALL_WEIGHT;
    if (this.used <= (this.options.quota ?? WEIGHT_PER_MINUTE)) return null;
    if (++this.refused <= REFUSALS_BEFORE_BAN) return until(ERRORS.rate, (minute + 1) * MINUTE);
    this.bannedUntil = now + BAN;
    return until(ERRORS.banned, this.bannedUntil);
  }

  /** Null when the signature is good. REST signs the query as sent; the WebSocket signs its parameters sorted by name. */
  private check(
    { headers, query, rawQuery }: RequestHead,
    now: Micros,
    order: 'as-sent' | 'sorted',
  ): RestAnswer | null {
    const { credentials, primitives } = this.options;
    if (!credentials) return null;
    const key = headers['x-mbx-apikey'];
    if (typeof key !== 'string' || !/^[A-Za-z0-9]{16,128}$/.test(key)) return ERRORS.keyFormat;
    if (key !== credentials['apiKey']) return ERRORS.keyUnknown;
    const timestamp = query.get('timestamp');
    if (!timestamp || !/^\d{10,16}$/.test(timestamp)) return ERRORS.noTimestamp;
    const recvWindow = Number(query.get('recvWindow') ?? DEFAULT_RECV_WINDOW_MS);
    if (!(recvWindow > 0 && recvWindow <= MAX_RECV_WINDOW_MS)) return ERRORS.recvWindow;
    const age = Math.floor(now / MICROS_PER_MS) - Number(timestamp);
    if (age < -AHEAD_MS || age > recvWindow) return ERRORS.clock;
    const pairs = rawQuery.split('&').filter((pair) => pair !== '' && !pair.startsWith('signature='));
    const signed = (order === 'sorted' ? pairs.sort(byName) : pairs).join('&');
    const expected = primitives.hmacSha256(credentials['apiSecret']!, signed);
    return query.get('signature')?.toLowerCase() === expected ? null : ERRORS.signature;
  }
}

const byName = (a: string, b: string): number => {
  const [left, right] = [a.split('=', 1)[0]!, b.split('=', 1)[0]!];
  return left < right ? -1 : left > right ? 1 : 0;
};
