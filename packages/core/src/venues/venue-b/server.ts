// Venue B as a server, Kalshi dialect: REST behind a token bucket, and the signed WebSocket (server-socket.ts). Signatures are
// RSA-PSS with SHA-256 over `timestamp + METHOD + path`, the path without its query.

import { MICROS_PER_MS, MICROS_PER_SECOND, type Micros } from '../../kernel/time.ts';
import { asJson, type RequestHead, type RestAnswer, type VenueServerPart } from '../serving/server.ts';
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
  open({ primitives, credentials, quota = READS_PER_SECOND, requireRestAuth = false }) {
    const verify = credentials ? primitives.rsaPssVerifier(credentials['privateKeyPem']!) : () => true;
    const takeToken = createBucket(quota);
    const check = (head: RequestHead, now: Micros): RestAnswer | null =>
      credentials && checkSignature(head, now, credentials['keyId']!, verify);
    return {
      admit(head, now) {
        if (!takeToken(now)) return { refusal: server.refusals.tooMany };
        const isSigned = head.headers['kalshi-access-key'] !== undefined;
        return { refusal: isSigned || requireRestAuth ? check(head, now) : null };
      },
      refuseSocket: check,
      openSocket: (_head, client) => new SocketB(client),
    };
  },
};

/** A bucket of as many tokens as are added in a second. */
function createBucket(perSecond: number): (now: Micros) => boolean {
  let tokens = perSecond;
  let refilled: Micros | null = null;
  return (now) => {
    if (perSecond === Infinity) return true;
    const waited = Math.max(0, now - (refilled ?? now)) / MICROS_PER_SECOND;
    tokens = Math.min(perSecond, tokens + waited * perSecond);
    refilled = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

/** Null when the signature is good. */
function checkSignature(
  { headers, method, path }: RequestHead,
  now: Micros,
  keyId: string,
  verify: (text: string, signature: string) => boolean,
): RestAnswer | null {
  const key = headers['kalshi-access-key'];
  const timestamp = headers['kalshi-access-timestamp'];
  const signature = headers['kalshi-access-signature'];
  if (typeof key !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string')
    return unauthorized('missing authentication headers');
  if (key !== keyId) return unauthorized('invalid API key');
  const skewMs = Math.abs(Number(timestamp) - Math.floor(now / MICROS_PER_MS));
  if (!/^\d{13}$/.test(timestamp) || skewMs > MAX_SKEW_MS) return unauthorized('timestamp is out of range');
  return verify(`${timestamp}${method}${path}`, signature)
    ? null
    : unauthorized('signature verification failed');
}
