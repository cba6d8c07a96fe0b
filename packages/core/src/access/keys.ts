// API keys as a fold over the control topic: issued, revoked, and nothing else. A key reads `ll_<id>_<secret>`; the secret is
// shown once, the log holds its SHA-256. Hashing and random bytes come from the shell, which has a crypto library.

import type { ControlEvent, LadderEvent, Plan } from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';

export type ApiKey = {
  readonly keyId: string;
  readonly name: string;
  readonly plan: Plan;
  readonly secretHash: string;
  readonly issuedAt: Micros;
  readonly revokedAt: Micros | null;
  readonly revokedReason: string | null;
};

/** Every key ever issued, by id. Immutable: `evolveKeys` returns the next ring. */
export type KeyRing = ReadonlyMap<string, ApiKey>;

export const NO_KEYS: KeyRing = new Map();

/** A repeated event changes nothing; a revoked key stays revoked; a revocation of a key never issued is ignored. */
export function evolveKeys(ring: KeyRing, event: ControlEvent): KeyRing {
  const known = ring.get(event.keyId);
  if (event.type === 'KeyIssued') {
    if (known) return ring;
    return new Map(ring).set(event.keyId, {
      keyId: event.keyId,
      name: event.name,
      plan: event.plan,
      secretHash: event.secretHash,
      issuedAt: event.at,
      revokedAt: null,
      revokedReason: null,
    });
  }
  if (!known || known.revokedAt !== null) return ring;
  return new Map(ring).set(event.keyId, { ...known, revokedAt: event.at, revokedReason: event.reason });
}

export const isControlEvent = (event: LadderEvent): event is ControlEvent =>
  event.type === 'KeyIssued' || event.type === 'KeyRevoked';

const KEY = /^ll_([a-z0-9]{8,32})_([A-Za-z0-9]{22,128})$/;

export type KeyText = { readonly keyId: string; readonly secret: string };

export const formatKey = (key: KeyText): string => `ll_${key.keyId}_${key.secret}`;

/** Null when the text is not a key of ours. */
export function parseKey(text: string): KeyText | null {
  const match = KEY.exec(text);
  return match ? { keyId: match[1]!, secret: match[2]! } : null;
}

export type KeyCheck =
  | { readonly ok: true; readonly key: ApiKey }
  | { readonly ok: false; readonly reason: 'malformed' | 'unknown' | 'wrong' | 'revoked' };

/**
 * Looks a key up by its id and compares the hash of its secret in constant time. The secret is hashed and compared for an
 * unknown id too, so that the time taken does not say which ids exist.
 */
export function checkKey(ring: KeyRing, text: string, sha256Hex: (text: string) => string): KeyCheck {
  const parsed = parseKey(text);
  if (!parsed) return { ok: false, reason: 'malformed' };
  const known = ring.get(parsed.keyId);
  const equal = equalText(sha256Hex(parsed.secret), known?.secretHash ?? NO_HASH);
  if (!known) return { ok: false, reason: 'unknown' };
  if (!equal) return { ok: false, reason: 'wrong' };
  return known.revokedAt === null ? { ok: true, key: known } : { ok: false, reason: 'revoked' };
}

const NO_HASH = '0'.repeat(64);

/** Touches every character whatever differs. */
export function equalText(left: string, right: string): boolean {
  let difference = left.length ^ right.length;
  for (let at = 0; at < left.length; at++)
    difference |= left.charCodeAt(at) ^ right.charCodeAt(at % (right.length || 1));
  return difference === 0;
}
