// Venue B as a server, Kalshi dialect: REST behind a token bucket, and the signed WebSocket (server-socket.ts). Signatures are
// RSA-PSS with SHA-256 over `timestamp + METHOD + path`, the path without its query.

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
import { SocketB, type FrameB } from './server-socket.ts';

/** Signed stamps further than this from our clock are refused. */
const MAX_SKEW_MS = 30_000;
const READS_PER_SECOND = 20;

const unauthorized = (message: string): RestAnswer =>
  asJson(401, { error: { code: 'unauthorized', message, service: 'simulator' } });

export const server: VenueServerPart<FrameB> = {
  services: [{ name: 'rest', base: '/trade-api/v2', socketPath: '/trade-api/ws/v2' }],
  authParameters: [],
  keepAlive: { heartbeatMs: 10_000 },
  refusals: {
    notFound: asJson(404, { error: { code: 'not_found', message: 'not found' } }),
    tooMany: asJson(429, { error: 'too many requests' }),
    failed: asJson(500, { error: { code: 'internal_server_error', message: 'internal server error' } }),
  },
  open: (options) => new ProtocolB(options),
};

class ProtocolB implements ServerProtocol<FrameB> {
  private readonly options: ProtocolOptions;
  private readonly verify: (text: string, signature: string) => boolean;
  private readonly perSecond: number;
  private tokens: number;
  private refilled: Micros | null = null;

  constructor(options: ProtocolOptions) {
    this.options = options;
    const { credentials, primitives, quota } = options;
    this.verify = credentials ? primitives.rsaPssVerifier(credentials['privateKeyPem']!) : () => true;
    this.perSecond = quota ?? READS_PER_SECOND;
    this.tokens = this.perSecond;
  }

  admit(request: RequestHead, now: Micros): { refusal?: RestAnswer } {
    if (!this.takeToken(now)) return { refusal: server.refusals.tooMany };
    const isSigned = request.headers['kalshi-access-key'] !== undefined;
    const refusal = isSigned || this.options.requireRestAuth ? this.refuseSocket(request, now) : null;
    return refusal ? { refusal } : {};
  }

  private takeToken(now: Micros): boolean {
    if (!Number.isFinite(this.perSecond)) return true;
    const waited = Math.max(0, now - (this.refilled ?? now)) / MICROS_PER_SECOND;
    this.tokens = Math.min(this.perSecond, this.tokens + waited * this.perSecond);
    this.refilled = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  /** Null when the signature is good. */
  refuseSocket({ headers, method, path }: RequestHead, now: Micros): RestAnswer | null {
    const { credentials } = this.options;
    if (!credentials) return null;
    const key = headers['kalshi-access-key'];
    const timestamp = headers['kalshi-access-timestamp'];
    const signature = headers['kalshi-access-signature'];
    if (typeof key !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string')
      return unauthorized('missing authentication headers');
    if (key !== credentials['keyId']) return unauthorized('invalid API key');
    const skewMs = Math.abs(Number(timestamp) - Math.floor(now / MICROS_PER_MS));
    if (!/^\d{13}$/.test(timestamp) || skewMs > MAX_SKEW_MS) return unauthorized('timestamp is out of range');
    return this.verify(`${timestamp}${method}${path}`, signature)
      ? null
      : unauthorized('signature verification failed');
  }

  openSocket(_request: RequestHead, client: Client<FrameB>): SocketB {
    return new SocketB(client);
  }
}
