// What every cursor store must do.

import { beforeEach, describe, expect, test } from 'vitest';

import type { CursorStore } from '../../src/index.ts';

export function cursorContract(name: string, open: () => Promise<CursorStore>): void {
  describe(`cursors in ${name}`, () => {
    let cursors: CursorStore;
    let generation = 0;
    const key = () => ({ generation, topic: 'venueb', partition: 3 });

    beforeEach(async () => {
      cursors ??= await open();
      generation++;
    });

    test('a first claim is fresh and begins before the first offset', async () => {
      const claim = await cursors.claim(key(), 40, 'a:v1');
      expect(claim).toMatchObject({
        fresh: true,
        cursor: { epoch: 1, hwm: 39, pending: null, fingerprint: 'a:v1' },
      });
    });

    test('intent and advance are what the next claim finds', async () => {
      const first = await cursors.claim(key(), 0, 'a:v1');
      expect(await cursors.intend(first, { first: 0, last: 9 })).toBe(true);
      expect(await cursors.advance(first, 9)).toBe(true);
      expect(await cursors.intend(first, { first: 10, last: 14 })).toBe(true);
      const second = await cursors.claim(key(), 0, 'b:v2');
      expect(second).toMatchObject({
        fresh: false,
        cursor: { epoch: 2, hwm: 9, pending: { first: 10, last: 14 }, fingerprint: 'a:v1' },
      });
      expect(await cursors.advance(second, 14)).toBe(true);
      expect(await cursors.list(generation)).toMatchObject([{ ...key(), hwm: 14, pending: null }]);
    });

    test('an older owner is fenced and changes nothing', async () => {
      const old = await cursors.claim(key(), 0, 'a:v1');
      await cursors.intend(old, { first: 0, last: 4 });
      expect(await cursors.owns(old)).toBe(true);
      const now = await cursors.claim(key(), 0, 'a:v1');
      expect(await cursors.owns(old)).toBe(false);
      expect(await cursors.intend(old, { first: 0, last: 7 })).toBe(false);
      expect(await cursors.advance(old, 7)).toBe(false);
      expect(await cursors.list(generation)).toMatchObject([
        { epoch: 2, hwm: -1, pending: { first: 0, last: 4 } },
      ]);
      expect(await cursors.advance(now, 4)).toBe(true);
      expect(await cursors.owns(now)).toBe(true);
    });

    test('a repeated intent or advance is the same as one', async () => {
      const claim = await cursors.claim(key(), 0, 'a:v1');
      expect(await cursors.intend(claim, { first: 0, last: 4 })).toBe(true);
      expect(await cursors.intend(claim, { first: 0, last: 4 })).toBe(true);
      expect(await cursors.advance(claim, 4)).toBe(true);
      expect(await cursors.advance(claim, 4)).toBe(true);
      expect(await cursors.list(generation)).toMatchObject([{ hwm: 4, pending: null }]);
    });

    test('of claims at one time, each gets an epoch of its own and only the last may write', async () => {
      const claims = await Promise.all(Array.from({ length: 5 }, () => cursors.claim(key(), 0, 'a:v1')));
      expect(new Set(claims.map(({ cursor }) => cursor.epoch)).size).toBe(5);
      const owners = [];
      for (const claim of claims) owners.push(await cursors.intend(claim, { first: 0, last: 1 }));
      expect(owners.filter(Boolean)).toHaveLength(1);
      expect(claims[owners.indexOf(true)]!.cursor.epoch).toBe(5);
    });

    test('partitions, topics and generations are apart', async () => {
      const one = await cursors.claim(key(), 0, 'a:v1');
      const other = await cursors.claim({ ...key(), partition: 1 }, 0, 'a:v1');
      await cursors.advance(one, 5);
      await cursors.advance(other, 6);
      expect((await cursors.list(generation)).map(({ partition, hwm }) => [partition, hwm])).toEqual([
        [1, 6],
        [3, 5],
      ]);
      expect(await cursors.list(generation + 1_000)).toEqual([]);
    });

    test('a dropped generation fences its writers, begins afresh, and keeps its number', async () => {
      const claim = await cursors.claim(key(), 0, 'a:v1');
      await cursors.advance(claim, 5);
      await cursors.drop(generation);
      expect(await cursors.list(generation)).toEqual([]);
      expect(await cursors.generations()).toContain(generation);
      expect(await cursors.advance(claim, 9)).toBe(false);
      const again = await cursors.claim(key(), 2, 'b:v2');
      expect(again).toMatchObject({ fresh: true, cursor: { hwm: 1, pending: null, fingerprint: 'b:v2' } });
    });
  });
}
