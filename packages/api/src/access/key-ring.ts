// The key ring of one API instance: the fold of the control topic, kept current from its tail. Issuing and revoking append
// events, so every instance on the same log learns of them as soon as the log shows them.

import { createHash, randomBytes } from 'node:crypto';
import type { ApiKey, Clock, KeyCheck, KeyRing, Plan } from '@ladderlog/core';
import {
  CONTROL_TOPIC,
  LadderlogError,
  NO_KEYS,
  checkKey,
  evolveKeys,
  formatKey,
  isControlEvent,
} from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Logger } from 'pino';

export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

export type KeyRingReader = {
  check(text: string): KeyCheck;
  list(): readonly ApiKey[];
};

export type FollowedKeyRing = KeyRingReader & { close(): Promise<void> };

async function foldControl(
  log: EventLog,
  options: { readonly follow: boolean; readonly signal?: AbortSignal },
  onRing: (ring: KeyRing) => void,
  start: KeyRing = NO_KEYS,
  seen: Map<number, number> = new Map(),
): Promise<KeyRing> {
  const control = (await log.topics()).find(({ topic }) => topic === CONTROL_TOPIC);
  if (!control) return start;
  const from = control.partitions.map(({ partition, begin }) => ({
    topic: CONTROL_TOPIC,
    partition,
    offset: Math.max(begin, seen.get(partition) ?? 0),
  }));
  let ring = start;
  const request = { from, follow: options.follow, ...(options.signal ? { signal: options.signal } : {}) };
  for await (const batch of log.read(request)) {
    for (const record of batch.records) {
      seen.set(batch.partition, record.offset + 1);
      const decoded = record.peek();
      // An unreadable control record cannot grant anything; the reject path of the projector reports it.
      if (decoded.ok && isControlEvent(decoded.event)) ring = evolveKeys(ring, decoded.event);
    }
    onRing(ring);
  }
  return ring;
}

/** All keys as the log has them now. */
export const readKeys = (log: EventLog): Promise<KeyRing> => foldControl(log, { follow: false }, () => {});

/** Resolved once every key in the log is known; then follows the tail until closed. */
export async function followKeys(log: EventLog, logger: Logger): Promise<FollowedKeyRing> {
  const stop = new AbortController();
  const seen = new Map<number, number>();
  let ring = await foldControl(log, { follow: false }, () => {}, NO_KEYS, seen);
  const following = (async () => {
    while (!stop.signal.aborted) {
      try {
        await foldControl(
          log,
          { follow: true, signal: stop.signal },
          (next) => {
            ring = next;
          },
          ring,
          seen,
        );
        return;
      } catch (error) {
        if (stop.signal.aborted) return;
        logger.warn(
          { event: 'api.keys_unfollowed', err: error },
          'the control topic cannot be followed, trying again',
        );
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  })();
  return {
    check: (text) => checkKey(ring, text, sha256Hex),
    list: () => [...ring.values()],
    async close() {
      stop.abort();
      await following;
    },
  };
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** 43 characters of 62: 256 bits, without a character that needs escaping anywhere. */
function randomText(length: number, alphabet: string): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 = 4 × 62: beyond it the remainder would favour some characters.
      if (byte < 256 - (256 % alphabet.length) && text.length < length)
        text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

export type IssuedKey = {
  /** The whole key; shown once, kept nowhere. */
  readonly key: string;
  readonly keyId: string;
  readonly plan: Plan;
  readonly name: string;
};

export async function issueKey(
  log: EventLog,
  clock: Clock,
  request: { readonly plan: Plan; readonly name: string },
): Promise<IssuedKey> {
  const keyId = randomText(12, ALPHABET.slice(26));
  const secret = randomText(43, ALPHABET);
  await log.append([
    {
      type: 'KeyIssued',
      keyId,
      name: request.name,
      plan: request.plan,
      secretHash: sha256Hex(secret),
      at: clock(),
    },
  ]);
  return { key: formatKey({ keyId, secret }), keyId, plan: request.plan, name: request.name };
}

export const listKeys = async (log: EventLog): Promise<readonly ApiKey[]> => [
  ...(await readKeys(log)).values(),
];

/** Revoking a key that is revoked already changes nothing. */
export async function revokeKey(
  log: EventLog,
  clock: Clock,
  request: { readonly keyId: string; readonly reason: string },
): Promise<ApiKey> {
  const key = (await readKeys(log)).get(request.keyId);
  if (!key) throw new LadderlogError('BAD_ARGUMENT', `There is no key with id '${request.keyId}'.`);
  if (key.revokedAt === null)
    await log.append([{ type: 'KeyRevoked', keyId: key.keyId, reason: request.reason, at: clock() }]);
  return key;
}

/** A new key of the same plan and name; the old one is revoked after the new one is durable. */
export async function rotateKey(
  log: EventLog,
  clock: Clock,
  request: { readonly keyId: string },
): Promise<IssuedKey> {
  const old = (await readKeys(log)).get(request.keyId);
  if (!old || old.revokedAt !== null)
    throw new LadderlogError('BAD_ARGUMENT', `There is no active key with id '${request.keyId}'.`);
  const next = await issueKey(log, clock, { plan: old.plan, name: old.name });
  await revokeKey(log, clock, { keyId: old.keyId, reason: `rotated to ${next.keyId}` });
  return next;
}
