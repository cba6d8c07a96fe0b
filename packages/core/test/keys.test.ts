import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ControlEvent, KeyRing } from '@ladderlog/core';
import { NO_KEYS, checkKey, equalText, evolveKeys, formatKey, parseKey } from '@ladderlog/core';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const SECRET = 'S'.repeat(43);
const issued = (keyId: string, secret = SECRET): ControlEvent => ({
  type: 'KeyIssued',
  keyId,
  name: 'research',
  plan: 'quant',
  secretHash: sha256(secret),
  at: 1,
});
const revoked = (keyId: string): ControlEvent => ({ type: 'KeyRevoked', keyId, reason: 'leaked', at: 2 });
const fold = (...events: ControlEvent[]): KeyRing => events.reduce(evolveKeys, NO_KEYS);

describe('the key ring', () => {
  test('an issued key opens, with its secret only', () => {
    const ring = fold(issued('abcdefgh1234'));
    expect(checkKey(ring, `ll_abcdefgh1234_${SECRET}`, sha256)).toMatchObject({
      ok: true,
      key: { plan: 'quant', name: 'research' },
    });
    expect(checkKey(ring, `ll_abcdefgh1234_${'T'.repeat(43)}`, sha256)).toEqual({
      ok: false,
      reason: 'wrong',
    });
    expect(checkKey(ring, `ll_abcdefgh9999_${SECRET}`, sha256)).toEqual({ ok: false, reason: 'unknown' });
    expect(checkKey(ring, 'Bearer', sha256)).toEqual({ ok: false, reason: 'malformed' });
  });
  test('a revoked key stays shut, whatever is repeated after', () => {
    const ring = fold(issued('abcdefgh1234'), revoked('abcdefgh1234'), issued('abcdefgh1234'));
    expect(checkKey(ring, `ll_abcdefgh1234_${SECRET}`, sha256)).toEqual({ ok: false, reason: 'revoked' });
  });
  test('folding events twice is folding them once, and the ring given stays as it was', () => {
    const events = [
      issued('abcdefgh1234'),
      issued('zzzzzzzz0000'),
      revoked('zzzzzzzz0000'),
      revoked('nobody000000'),
    ];
    const once = fold(...events);
    expect([...events].reduce(evolveKeys, once)).toEqual(once);
    expect(NO_KEYS.size).toBe(0);
  });
  test('the ring holds hashes, never a secret', () => {
    expect(JSON.stringify([...fold(issued('abcdefgh1234'))])).not.toContain(SECRET);
  });
});

describe('key text', () => {
  test('is written and read back', () => {
    const key = { keyId: 'abcdefgh1234', secret: SECRET };
    expect(parseKey(formatKey(key))).toEqual(key);
    for (const text of [
      '',
      'll__',
      'll_short_x',
      `ll_ABCDEFGH1234_${SECRET}`,
      `ll_abcdefgh1234_${SECRET}\n`,
      `ll_abcdefgh1234_${SECRET}_x`,
    ])
      expect(parseKey(text)).toBeNull();
  });
  test('equalText is equality', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        expect(equalText(left, right)).toBe(left === right);
        expect(equalText(left, left)).toBe(true);
      }),
    );
  });
});
