// Ways in which rows could be lost or doubled without anyone noticing: an engine that acknowledges what it does not keep, tokens
// of an earlier version, a log that passes over records.

import { LadderlogError } from '@ladderlog/core';
import type { EventLog, LogBatch } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import type { Bench, Embedded } from '../embedded.ts';
import { openBench, openEmbedded, projectAll, projectorOf, runs, until, verifyAll } from '../embedded.ts';
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
beforeEach(async () => {
  generation++;
  bench = await openBench(
    embedded.folder,
    // One market is in one partition, and all of it in one range where a test does not cut it smaller.
    generate({ seed: generation, observations: 200, markets: 1, levels: 3, venues: ['venueb'] }),
  );
});
afterEach(() => bench.close());

const here = () => ({ log: bench.log, cursors: bench.cursors, store, generation });
const die = (): never => {
  throw new Error('fail point');
};
const isWhole = async (): Promise<void> => {
  expect(await verifyAll(here())).toMatchObject({ ok: true, differences: [] });
};

describe('a store that acknowledges rows it does not keep', () => {
  /** As an engine does whose token for these rows was spent by an attempt that ended before the part was added. */
  const keeping = (wanted: (table: string, token: string) => boolean): Store => ({
    ...store,
    insertRowBinary: async (table, columns, bytes, options) =>
      wanted(table, options.token)
        ? store.insertRowBinary(table, columns, bytes, options)
        : Promise.resolve(),
  });

  test('is found out by looking, also when further tokens are spent', async () => {
    await expect(
      runs({ ...here(), store: keeping(() => false), failPoints: { beforeCursor: die } }),
    ).rejects.toThrow('fail point');
    const kept = keeping((_table, token) => /:again:([3-9]|\d+:\d+)$/.test(token));
    const tokens: string[] = [];
    const noting: Store = {
      ...kept,
      insertRowBinary(...insert) {
        if (insert[0] === 'book_snapshots') tokens.push(insert[3].token);
        return kept.insertRowBinary(...insert);
      },
    };
    await projectAll({ ...here(), store: noting });
    expect(tokens.map((token) => /:again:(\d+)$/.exec(token)?.[1] ?? 'own')).toEqual(['own', '1', '2', '3']);
    await isWhole();
  });

  test('for ever: no offset is passed, and the failure shows', async () => {
    await expect(runs({ ...here(), failPoints: { afterIntent: die } })).rejects.toThrow('fail point');
    const retried = Promise.withResolvers<void>();
    const projector = projectorOf({
      ...here(),
      store: keeping((table) => table !== 'book_snapshots'),
      observer: { onRetry: () => retried.resolve() },
    });
    await until(projector, async () => {
      await retried.promise;
      expect(projector.status().lastError).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    });
    expect(await bench.cursors.list(generation)).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ hwm: -1, pending: expect.anything() as unknown })]),
    );
    await projectAll(here());
    await isWhole();
  });
});

test('a range begun by a version with other columns, so other tokens, is not inserted twice', async () => {
  const earlier: Store = {
    ...store,
    insertRowBinary: (table, columns, bytes, { token }) =>
      store.insertRowBinary(table, columns, bytes, { token: token.replace(/:v(\d+):\w+:/, ':v$1:earlier:') }),
  };
  await expect(
    runs({ ...here(), store: earlier, limits: { maxRecords: 50 }, failPoints: { beforeCursor: die } }),
  ).rejects.toThrow('fail point');
  expect((await bench.cursors.list(generation)).some(({ pending }) => pending !== null)).toBe(true);
  await projectAll(here());
  await isWhole();
});

describe('a log that passes over records', () => {
  const without = (batch: LogBatch, from: number, to: number): LogBatch => ({
    ...batch,
    records: batch.records.filter(({ offset }) => offset < from || offset >= to),
  });
  const consuming = (log: EventLog, change: (batch: LogBatch) => LogBatch): EventLog => ({
    ...log,
    consume: (request) =>
      log.consume({ ...request, onBatch: (batch, control) => request.onBatch(change(batch), control) }),
  });

  test('although it has them: the projector ends, and the next one has them all', async () => {
    const log = consuming(bench.log, (batch) => without(batch, 20, 25));
    await expect(runs({ ...here(), log, limits: { maxRecords: 10 } })).rejects.toMatchObject({
      code: 'INTERNAL',
      details: { first: 20, end: 25 },
    });
    expect((await bench.cursors.list(generation)).every(({ hwm }) => hwm < 20)).toBe(true);
    await projectAll(here());
    await isWhole();
  });

  test('because they are gone: the projector goes on', async () => {
    const log: EventLog = {
      ...consuming(bench.log, (batch) => without(batch, 20, 25)),
      async *read(request) {
        for await (const batch of bench.log.read(request)) {
          const rest = without(batch, 20, 25);
          if (rest.records.length > 0) yield rest;
        }
      },
    };
    await projectAll({ ...here(), log });
    expect(await verifyAll({ ...here(), log })).toMatchObject({ ok: true });
    expect((await verifyAll(here())).ok).toBe(false);
  });
});

test('a lost acknowledgement of a repair is not repaired twice', async () => {
  await expect(runs({ ...here(), failPoints: { beforeCursor: die } })).rejects.toThrow('fail point');
  await store.exec(
    `ALTER TABLE book_snapshots DELETE IN PARTITION tuple(${generation}, 202609) WHERE offset % 3 = 0
     SETTINGS mutations_sync = 2`,
  );
  let lost = 0;
  const forgetful: Store = {
    ...store,
    async insertRowBinary(...insert) {
      await store.insertRowBinary(...insert);
      if (insert[3].token.includes(':again:') && ++lost <= 4)
        throw new LadderlogError('STORE_UNAVAILABLE', 'lost', { retryable: true });
    },
  };
  await projectAll({ ...here(), store: forgetful });
  expect(lost).toBeGreaterThan(0);
  await isWhole();
});

test('a fenced owner that is still handed records writes nothing, and does not end over it', async () => {
  const more = (seed: number) =>
    bench.log.append([...generate({ seed, observations: 30, markets: 1, levels: 3, venues: ['venueb'] })]);
  const fenced = Promise.withResolvers<void>();
  const projector = projectorOf({ ...here(), observer: { onFenced: () => fenced.resolve() } });
  const claims = async (): Promise<void> => {
    for (const { topic, partition, fingerprint } of await bench.cursors.list(generation))
      await bench.cursors.claim({ generation, topic, partition }, 0, fingerprint);
  };
  await until(projector, async (signal) => {
    await projector.caughtUp(signal);
    await claims();
    await more(1);
    await fenced.promise;
    await more(2);
    await more(3);
    await new Promise((resolve) => setTimeout(resolve, 100));
  });
  expect(projector.status()).toMatchObject({ fenced: 1, lastError: null });
  await projectAll(here());
  await isWhole();
});
