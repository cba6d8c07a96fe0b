// Venue B's request signatures: RSA-PSS with SHA-256 over `timestamp + METHOD + path`, the path without its query.

import { constants, createPublicKey, generateKeyPairSync, verify, type KeyObject } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export type KeyPair = {
  readonly keyId: string;
  readonly privateKeyPem: string;
  readonly publicKey: KeyObject;
};

export function generateKeys(keyId: string): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return {
    keyId,
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    publicKey: createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
  };
}

/** Signed stamps further than this from our clock are refused. */
const MAX_SKEW_MS = 30_000;

export type Verdict = 'ok' | 'missing' | 'unknown_key' | 'stale' | 'bad_signature';

export function checkSignature(
  headers: IncomingHttpHeaders,
  method: string,
  path: string,
  keys: Pick<KeyPair, 'keyId' | 'publicKey'>,
  nowMs: number,
): Verdict {
  const key = headers['kalshi-access-key'];
  const timestamp = headers['kalshi-access-timestamp'];
  const signature = headers['kalshi-access-signature'];
  if (typeof key !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string')
    return 'missing';
  if (key !== keys.keyId) return 'unknown_key';
  if (!/^\d{13}$/.test(timestamp) || Math.abs(Number(timestamp) - nowMs) > MAX_SKEW_MS) return 'stale';
  const good = verify(
    'sha256',
    Buffer.from(`${timestamp}${method}${path}`),
    {
      key: keys.publicKey,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    },
    Buffer.from(signature, 'base64'),
  );
  return good ? 'ok' : 'bad_signature';
}
