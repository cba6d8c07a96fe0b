// All partitions of a process written together: one intent, one insert a table, one advance, and one repair.

import { createHash } from 'node:crypto';

import type { EventLog } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { PROJECTIONS, fingerprintOf } from '@ladderlog/core';

import type { Bench, Embedded } from '../embedded.ts';
import { openBench, openEmbedded, projectAll, projectorOf, runs, until, verifyAll } from '../embedded.ts';
import { FAIL_POINTS } from '../fail-points.ts';
import { generate } from '../generate.ts';

let embedded: Embedded;
let store: Store;
let bench: Bench;
let generation = 100;

beforeAll(async () => {
  embedded = await openEmbedded();
  ({ store } = embedded);
});
afterAll(() => embedded.close());
const begin = async (): Promise<void> => {
  generation++;
  bench = await openBench(
    embedded.folder,
    generate({ seed: generation, observations: 200, levels: 3, venues: ['venueb', 'venuec'] }),
  );
};
beforeEach(begin);
afterEach(() => bench.close());

const here = () => ({ log: bench.log, cursors: bench.cursors, store, generation, together: true });
const die = (): never => {
  throw new Error('fail point');
};
const isWhole = async (): Promise<boolean> => {
  const { ok, differences } = await verifyAll(here());
  expect(differences).toEqual([]);
  return ok;
};

type Insert = { readonly table: string; readonly token: string; readonly hash: string };

/** The store, and what is sent to it. */
function noting(): { store: Store; inserts: Insert[] } {
  const inserts: Insert[] = [];
  return {
    inserts,
    store: {
      ...store,
      insertRowBinary(...insert) {
        const [table, , bytes, { token }] = insert;
        inserts.push({ table, token, hash: createHash('sha256').update(bytes).digest('hex') });
        return store.insertRowBinary(...insert);
      },
    },
  };
}

test('a set is one insert a table, whatever number of partitions have rows', async () => {
  const { store: noted, inserts } = noting();
  const projector = await projectAll({ ...here(), store: noted, limits: { maxWaitMs: 500 } });
  const used = (await bench.cursors.list(generation)).filter(({ hwm }) => hwm >= 0);
  expect(used.length).toBeGreaterThan(2);
  const sets = new Set(inserts.map(({ token }) => /:set:(\w+)$/.exec(token)?.[1]));
  expect(inserts.length).toBeLessThanOrEqual(sets.size * PROJECTIONS.length);
  expect(projector.status()).toMatchObject({ poison: 0, lag: 0, lastError: null });
  expect(await isWhole()).toBe(true);
});

describe('stopped and begun again', () => {
  test.each(FAIL_POINTS)('a failure at %s neither loses nor doubles', async (point) => {
    for (let time = 0; time < 3; time++) {
      let countdown = 1 + time;
      const failing = runs({
        ...here(),
        limits: { maxRecords: 30 + time },
        failPoints: { [point]: () => (--countdown === 0 ? die() : undefined) },
      });
      await expect(failing).rejects.toThrow('fail point');
    }
    await projectAll(here());
    expect(await isWhole()).toBe(true);
  });

  test('wherever it is stopped, and however the sets are cut, each row is there once', async () => {
    const stop = fc.record({
      point: fc.constantFrom(...FAIL_POINTS),
      times: fc.integer({ min: 1, max: 6 }),
      maxRecords: fc.integer({ min: 5, max: 80 }),
      together: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(stop, { minLength: 1, maxLength: 5 }), async (stops) => {
        await bench.close();
        await begin();
        for (const { point, times, maxRecords, together } of stops) {
          let countdown = times;
          const projector = projectorOf({
            ...here(),
            together,
            limits: { maxRecords },
            failPoints: { [point]: () => (--countdown === 0 ? die() : undefined) },
          });
          const ends = until(projector, (signal) => projector.caughtUp(signal));
          const how = await ends.then(
            () => 'caught up',
            (error: unknown) => (error as Error).message,
          );
          expect(how).toMatch(/caught up|fail point/);
        }
        await projectAll(here());
        expect(await isWhole()).toBe(true);
      }),
      { numRuns: 8 },
    );
  });

  test('what was begun is repeated whole and first: the same tokens and the same bytes', async () => {
    // As the engine that was killed with everything sent and nothing kept.
    const first = noting();
    const lost: Store = {
      ...first.store,
      async insertRowBinary(table, columns, bytes, { token }) {
        first.inserts.push({ table, token, hash: createHash('sha256').update(bytes).digest('hex') });
      },
    };
    await expect(
      runs({ ...here(), store: lost, limits: { maxRecords: 70 }, failPoints: { beforeCursor: die } }),
    ).rejects.toThrow('fail point');
    const pending = (await bench.cursors.list(generation)).filter((cursor) => cursor.pending !== null);
    expect(pending.length).toBeGreaterThan(1);
    expect(new Set(pending.map((cursor) => cursor.pending!.set)).size).toBe(1);
    const second = noting();
    await projectAll({ ...here(), store: second.store, limits: { maxRecords: 11 } });
    const kept = ['latest_books', 'markets', 'coverage', 'gaps'];
    const ofEvents = ({ table }: Insert): boolean => !kept.includes(table);
    const sent = first.inserts.filter(ofEvents);
    expect(sent.length).toBeGreaterThan(1);
    expect(second.inserts.filter(ofEvents).slice(0, sent.length)).toEqual(sent);
    expect(await isWhole()).toBe(true);
  });

  test('ranges that 0.1.0 began, each under its own token, are repaired one by one', async () => {
    await expect(
      runs({ ...here(), together: false, limits: { maxRecords: 20 }, failPoints: { beforeCursor: die } }),
    ).rejects.toThrow('fail point');
    const pending = (await bench.cursors.list(generation)).filter((cursor) => cursor.pending !== null);
    expect(pending.length).toBeGreaterThan(0);
    expect(pending.every((cursor) => cursor.pending!.set === null)).toBe(true);
    const { store: noted, inserts } = noting();
    await projectAll({ ...here(), store: noted });
    const firstSet = inserts.findIndex(({ token }) => token.includes(':set:'));
    const names = pending.map(
      ({ topic, partition, pending: range }) => `${topic}:${partition}:${range!.first}-${range!.last}`,
    );
    const repaired = inserts.findLastIndex(({ token }) => names.some((name) => token.includes(name)));
    expect(repaired).toBeGreaterThanOrEqual(0);
    expect(repaired).toBeLessThan(firstSet);
    expect(await isWhole()).toBe(true);
  });
});

describe('an engine that outlives its projector', () => {
  test.each(['before the new one looks', 'after it looked', 'after it sent the same'])(
    'an insert that was under way is done %s: each row is there once',
    async (moment) => {
      const late = Promise.withResolvers<void>();
      const arrived = Promise.withResolvers<void>();
      const insert = { now: async (): Promise<void> => undefined };
      const holding: Store = {
        ...store,
        async insertRowBinary(...sent) {
          if (sent[0] !== 'book_snapshots') return store.insertRowBinary(...sent);
          insert.now = () => store.insertRowBinary(...sent);
          arrived.resolve();
          await late.promise;
          throw new Error('killed');
        },
      };
      const stop = new AbortController();
      const killed = projectorOf({ ...here(), store: holding, limits: { maxRecords: 100 } }).run(stop.signal);
      await arrived.promise;
      // From here on the killed one does nothing any more, but its insert is in the engine.
      if (moment === 'before the new one looks') await insert.now();
      let isDone = false;
      const done = async (): Promise<void> => {
        if (!isDone && moment !== 'before the new one looks') await insert.now();
        isDone = true;
      };
      const repairing: Store = {
        ...store,
        async insertRowBinary(...sent) {
          const isBooks = sent[0] === 'book_snapshots';
          if (isBooks && moment === 'after it looked') await done();
          await store.insertRowBinary(...sent);
          if (isBooks && moment === 'after it sent the same') await done();
        },
      };
      // The group still knows the killed one.
      const consume: EventLog['consume'] = (request) => bench.log.consume({ ...request, group: 'others' });
      await projectAll({ ...here(), store: repairing, input: { consume, together: true } });
      stop.abort();
      late.resolve();
      await killed;
      expect(await isWhole()).toBe(true);
    },
  );
});

describe('fenced', () => {
  test('who lost one partition of the set writes none of it', async () => {
    const paused = Promise.withResolvers<void>();
    const wake = Promise.withResolvers<void>();
    const fenced = Promise.withResolvers<void>();
    const projector = projectorOf({
      ...here(),
      limits: { recheckMs: -1 },
      observer: { onFenced: () => fenced.resolve() },
      failPoints: {
        async afterIntent() {
          paused.resolve();
          await wake.promise;
        },
      },
    });
    await until(projector, async () => {
      await paused.promise;
      const [one] = (await bench.cursors.list(generation)).filter((cursor) => cursor.pending !== null);
      const { topic, partition, fingerprint } = one!;
      await bench.cursors.claim({ generation, topic, partition }, 0, fingerprint);
      wake.resolve();
      await fenced.promise;
    });
    expect((await bench.cursors.list(generation)).every(({ hwm }) => hwm === -1)).toBe(true);
    await projectAll(here());
    expect(await isWhole()).toBe(true);
  });

  test('a step of several cursors is taken for all or for none', async () => {
    const fingerprint = fingerprintOf(PROJECTIONS);
    const keys = [0, 1].map((partition) => ({ generation, topic: 'venueb', partition, begin: 0 }));
    const sets = bench.cursors.sets!;
    const claims = await sets.claim(keys, fingerprint);
    const ranges = claims.map((claim) => ({ claim, range: { first: 0, last: 5 } }));
    expect(await sets.intend(ranges, 'set:a')).toBe(true);
    expect(await sets.owns(claims)).toBe(true);
    await bench.cursors.claim(keys[1]!, 0, fingerprint);
    expect(await sets.owns(claims)).toBe(false);
    expect(await sets.advance(ranges)).toBe(false);
    const further = claims.map((claim) => ({ claim, range: { first: 6, last: 9 } }));
    expect(await sets.intend(further, 'set:b')).toBe(false);
    expect(await bench.cursors.list(generation)).toMatchObject([
      { epoch: 1, hwm: -1, pending: { first: 0, last: 5, set: 'set:a' } },
      { epoch: 2, hwm: -1, pending: { first: 0, last: 5, set: 'set:a' } },
    ]);
    const again = await sets.claim(keys, fingerprint);
    expect(again.map(({ fresh, cursor }) => [fresh, cursor.epoch])).toEqual([
      [false, 2],
      [false, 3],
    ]);
    expect(await sets.advance(again.map((claim) => ({ claim, range: { first: 0, last: 5 } })))).toBe(true);
    expect(await bench.cursors.list(generation)).toMatchObject([
      { hwm: 5, pending: null },
      { hwm: 5, pending: null },
    ]);
  });
});
