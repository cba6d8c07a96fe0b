import { PROJECTIONS } from '@ladderlog/core';
import type { Position } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { copyRowsBefore } from '../../src/rebuild/copy-rows.ts';
import type { RebuildOptions } from '../../src/index.ts';
import { createFollower, dropGeneration, listGenerations, rebuild, rollback } from '../../src/index.ts';
import type { Bench, Embedded } from '../embedded.ts';
import { openBench, openEmbedded, projectAll, silent, tableChecksums, verifyAll } from '../embedded.ts';
import { withCursors, withFailPoints } from '../fail-points.ts';
import { generate } from '../generate.ts';

let embedded: Embedded;
let store: Store;
let bench: Bench;
/** Served at the beginning of a test, and built from its log. */
let served: number;

const VENUES = ['venueb', 'venuec'] as const;

beforeAll(async () => {
  embedded = await openEmbedded();
  ({ store } = embedded);
});
afterAll(() => embedded.close());
beforeEach(async () => {
  bench = await openBench(
    embedded.folder,
    generate({ seed: 3, observations: 400, levels: 3, venues: VENUES }),
  );
  const before = await store.generation();
  served = before + 50;
  await projectAll({ ...here(), generation: served });
  await store.switchGeneration(served, 'rebuild');
});
afterEach(() => bench.close());

const here = () => ({ log: bench.log, cursors: bench.cursors, store, projections: PROJECTIONS });
const options = (more: Partial<RebuildOptions> = {}): RebuildOptions => ({
  ...here(),
  logger: silent,
  signal: new AbortController().signal,
  ...more,
});
const contentOf = (generation: number) => tableChecksums(store, generation);

test('dropped and rebuilt, every table has the same content', async () => {
  const before = await contentOf(served);
  expect(before.every(({ rows }) => rows > 0)).toBe(true);
  const progress: number[] = [];
  const result = await rebuild(options({ onProgress: ({ events }) => progress.push(events) }));
  expect(result).toMatchObject({ previous: served, resumed: false, verified: { ok: true } });
  expect(await store.generation()).toBe(result.generation);
  await dropGeneration(here(), served);
  expect((await contentOf(served)).every(({ rows }) => rows === 0)).toBe(true);
  expect(await contentOf(result.generation)).toEqual(before);
  expect(progress.length).toBeGreaterThan(0);
});

test('all tables dropped: the log alone brings them back', async () => {
  const before = await contentOf(served);
  for (const { table } of PROJECTIONS) await store.exec(`TRUNCATE TABLE ${table}`);
  const { generation } = await rebuild(options());
  expect(await contentOf(generation)).toEqual(before);
});

/** What runs when a rebuild comes to a step, at the first thing that the step asks of its ports. */
type Step = 'chosen' | 'copied' | 'projected' | 'verified' | 'caughtUp' | 'switched';

function at(step: Step, run: () => void | Promise<void>): Partial<RebuildOptions> {
  const { log, cursors } = bench;
  switch (step) {
    case 'chosen':
      return {
        cursors: withCursors(cursors, {
          claim: async (...claim) => {
            await run();
            return cursors.claim(...claim);
          },
        }),
      };
    case 'projected':
      return {
        store: {
          ...store,
          query: async (query, asked) => {
            if (asked?.name === 'verify') await run();
            return store.query(query, asked);
          },
        },
      };
    case 'copied':
      return {
        log: {
          ...log,
          consume: async (request) => {
            await run();
            return log.consume(request);
          },
        },
      };
    case 'verified':
      return {
        log: {
          ...log,
          // Only verifying reads the log; projecting consumes it.
          async *read(request) {
            yield* log.read(request);
            await run();
          },
        },
      };
    case 'caughtUp':
    case 'switched':
      return {
        store: {
          ...store,
          switchGeneration: async (...to) => {
            if (step === 'switched') await store.switchGeneration(...to);
            await run();
            if (step === 'caughtUp') await store.switchGeneration(...to);
          },
        },
      };
  }
}

const die = (): never => {
  throw new Error('killed');
};
/** For what is to happen once. */
const once = (work: () => Promise<void>): (() => Promise<void>) => {
  let done: Promise<void> | null = null;
  return () => (done ??= work());
};

describe('ended at any step', () => {
  test.each(['chosen', 'projected', 'verified', 'caughtUp', 'switched'] as const)(
    'after "%s" readers have the old tables or the new ones, and a second rebuild ends the same',
    async (step) => {
      const before = await contentOf(served);
      await expect(rebuild(options(at(step, die)))).rejects.toThrow('killed');
      expect(await contentOf(await store.generation())).toEqual(before);
      const result = await rebuild(options());
      expect(result.resumed).toBe(step !== 'switched' && step !== 'chosen');
      expect(await contentOf(result.generation)).toEqual(before);
    },
  );

  test('in the middle of a range', async () => {
    const before = await contentOf(served);
    let ranges = 0;
    const failPoints = {
      afterInsert: () => {
        if (++ranges === 7) die();
      },
    };
    await expect(
      rebuild(options({ ...withFailPoints(here(), failPoints), limits: { maxRecords: 60 } })),
    ).rejects.toThrow('killed');
    expect(await store.generation()).toBe(served);
    const result = await rebuild(options());
    expect(result.resumed).toBe(true);
    expect(await contentOf(result.generation)).toEqual(before);
  });
});

describe('from the middle of the log', () => {
  const middle = async (): Promise<Position[]> =>
    (await bench.log.topics())
      .filter(({ topic }) => (VENUES as readonly string[]).includes(topic))
      .flatMap(({ topic, partitions }) =>
        partitions.map(({ partition, end }) => ({ topic, partition, offset: Math.floor(end / 2) })),
      );

  test('keeps the rows before and gives the same content', async () => {
    const before = await contentOf(served);
    const { generation } = await rebuild(options({ from: await middle() }));
    expect(await contentOf(generation)).toEqual(before);
  });

  test('copies in pieces, each within limits, and gives the same content', async () => {
    const before = await contentOf(served);
    const ends = (await bench.log.topics()).flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, end }) => ({ topic, partition, offset: end })),
    );
    const target = served + 1;
    const pieces = new Map<string, number>();
    const counting: Store = {
      ...store,
      async exec(sql, given) {
        const table = /INSERT INTO (\w+)/.exec(sql)![1]!;
        pieces.set(table, (pieces.get(table) ?? 0) + 1);
        expect(given?.settings).toBeDefined();
        await store.exec(sql, given);
      },
    };
    const signal = new AbortController().signal;
    await copyRowsBefore({
      ...here(),
      store: counting,
      source: served,
      target,
      before: ends,
      signal,
      pieceRows: 10,
    });
    expect(await contentOf(target)).toEqual(before);
    for (const table of ['book_snapshots', 'latest_books', 'market_history'])
      expect([table, pieces.get(table)! > VENUES.length]).toEqual([table, true]);
  });

  test('killed between copy and projection, a later rebuild ends the same', async () => {
    const before = await contentOf(served);
    await expect(rebuild(options({ from: await middle(), ...at('copied', die) }))).rejects.toThrow('killed');
    const { generation } = await rebuild(options());
    expect(await contentOf(generation)).toEqual(before);
  });
});

test('a rebuild that is not the log is not served', async () => {
  const spoil = once(async () => {
    const building = Math.max(...(await bench.cursors.generations()));
    await store.exec(
      `INSERT INTO metric_samples SELECT * FROM metric_samples WHERE generation = ${building} LIMIT 1`,
    );
  });
  await expect(rebuild(options(at('projected', spoil)))).rejects.toMatchObject({ code: 'TABLES_DIFFER' });
  expect(await store.generation()).toBe(served);
});

test('one rebuild at a time', async () => {
  const step = Promise.withResolvers<void>();
  const chosen = Promise.withResolvers<void>();
  const first = rebuild(
    options(
      at('chosen', () => {
        chosen.resolve();
        return step.promise;
      }),
    ),
  );
  await chosen.promise;
  await expect(rebuild(options())).rejects.toMatchObject({ code: 'REBUILD_RUNNING', retryable: true });
  step.resolve();
  expect(await first).toMatchObject({ verified: { ok: true } });
  expect(await rebuild(options())).toMatchObject({ verified: { ok: true } });
});

describe('a rebuild whose generation another process drops ends, and is not served', () => {
  const drop = async (): Promise<void> =>
    dropGeneration(here(), Math.max(...(await bench.cursors.generations())));
  test.each<[string, () => Partial<RebuildOptions>]>([
    ['while it projects', () => withFailPoints(here(), { afterIntent: once(drop) })],
    ['when it is verified', () => at('verified', drop)],
  ])('%s', async (_when, more) => {
    await expect(rebuild(options(more()))).rejects.toMatchObject({ code: 'PROJECTOR_FENCED' });
    expect(await store.generation()).toBe(served);
  });
});

test('a generation of another version is not served again by this one', async () => {
  const other = PROJECTIONS.map((projection) => ({ ...projection, version: projection.version + 1 }));
  const { generation } = await rebuild(options());
  await expect(rollback(options({ projections: other }), served)).rejects.toMatchObject({
    code: 'PROJECTIONS_CHANGED',
    message: expect.stringContaining(`ladderlog rebuild --rollback ${served}`) as string,
  });
  expect(await store.generation()).toBe(generation);
  await rollback(options(), served);
  expect(await store.generation()).toBe(served);
});

test('a follower goes over to the rebuilt generation, and back', async () => {
  const follower = createFollower({ ...here(), logger: silent, pollMs: 20, limits: { maxWaitMs: 20 } });
  const stop = new AbortController();
  const running = follower.run(stop.signal);
  const { generation } = await rebuild(options());
  await bench.log.append([...generate({ seed: 9, observations: 30, venues: VENUES })]);
  await follower.caughtUp();
  expect(follower.status()).toMatchObject({ generation });
  await rollback(options(), served);
  await follower.caughtUp();
  expect(follower.status()).toMatchObject({ generation: served });
  stop.abort();
  await running;
  expect(await verifyAll({ ...here(), generation })).toMatchObject({ ok: true });
  expect(await verifyAll({ ...here(), generation: served })).toMatchObject({ ok: true });
  const kept = (await listGenerations(here())).filter(({ complete }) => complete);
  expect(kept.map((info) => info.generation)).toEqual(expect.arrayContaining([served, generation]));
  await expect(rollback(options(), 9_999)).rejects.toMatchObject({ code: 'BAD_ARGUMENT' });
});
