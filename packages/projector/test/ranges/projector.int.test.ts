import type { Projection } from '@ladderlog/core';
import { LadderlogError, PROJECTIONS } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { LogRecord } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { dropGeneration, verify } from '../../src/index.ts';
import type { Bench, Embedded } from '../embedded.ts';
import { openBench, openEmbedded, projectAll, projectorOf, runs, until, verifyAll } from '../embedded.ts';
import { FAIL_POINTS, withCursors } from '../fail-points.ts';
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
    generate({ seed: generation, observations: 300, levels: 3, venues: ['venueb', 'venuec'] }),
  );
});
afterEach(() => bench.close());

const here = () => ({ log: bench.log, cursors: bench.cursors, store, generation });
const rowsOf = async (table: string): Promise<number> => {
  const [row] = await store.query<{ rows: number }>(
    `SELECT count() AS rows FROM ${table} WHERE generation = ${generation}`,
  );
  return row!.rows;
};

describe('the tables are the log', () => {
  test('every event, once, in every table', async () => {
    const projector = await projectAll({ ...here(), limits: { maxRecords: 60 } });
    const result = await verifyAll(here());
    expect(result.differences).toEqual([]);
    expect(result.ok).toBe(true);
    expect(result.tables.every(({ rows }) => rows > 0)).toBe(true);
    expect(await rowsOf('book_snapshots')).toBe(300);
    expect(projector.status()).toMatchObject({ events: result.events, poison: 0, lastError: null });
  });

  test('what is appended later follows', async () => {
    const projector = projectorOf(here());
    await until(projector, async (signal) => {
      await projector.caughtUp(signal);
      await bench.log.append([...generate({ seed: 5, observations: 50 })]);
      await projector.caughtUp(signal);
      expect(projector.status().lag).toBe(0);
    });
    expect(await rowsOf('book_snapshots')).toBe(350);
    expect(await verifyAll(here())).toMatchObject({ ok: true, differences: [] });
  });

  test('also those that another input than the group hands over', async () => {
    const others = await openBenchTwin(bench);
    await projectAll({
      ...here(),
      input: { consume: (request) => others.consume(request), together: false },
    });
    expect(await rowsOf('book_snapshots')).toBe(300);
    expect(await verifyAll(here())).toMatchObject({ ok: true, differences: [] });
    await others.close();
  });

  test('the cuts of ranges do not show', async () => {
    await projectAll({ ...here(), limits: { maxRecords: 50 } });
    const small = await verifyAll(here());
    await projectAll({ ...here(), generation: ++generation, limits: { maxBytes: 20_000 } });
    const large = await verifyAll(here());
    expect(large.tables).toEqual(small.tables);
    expect(large.ok).toBe(true);
  });
});

describe('stopped and begun again', () => {
  test.each(FAIL_POINTS)('a failure at %s neither loses nor doubles', async (point) => {
    for (let time = 0; time < 3; time++) {
      let countdown = 1 + time;
      const failing = runs({
        ...here(),
        limits: { maxRecords: 20 + time },
        failPoints: {
          [point]: () => {
            if (--countdown === 0) throw new Error('fail point');
          },
        },
      });
      await expect(failing).rejects.toThrow('fail point');
    }
    await projectAll(here());
    expect(await verifyAll(here())).toMatchObject({ ok: true, differences: [] });
  });

  test('a pending range is repeated exactly, whatever the limits are now', async () => {
    const die = () => {
      throw new Error('fail point');
    };
    await expect(
      runs({ ...here(), limits: { maxRecords: 40 }, failPoints: { beforeCursor: die } }),
    ).rejects.toThrow('fail point');
    const pending = (await bench.cursors.list(generation)).filter((cursor) => cursor.pending !== null);
    expect(pending.length).toBeGreaterThan(0);
    const seen: string[] = [];
    await projectAll({
      ...here(),
      limits: { maxRecords: 31 },
      failPoints: {
        afterIntent: (key, range) =>
          void seen.push(`${key.topic}/${key.partition}:${range.first}-${range.last}`),
      },
    });
    for (const { topic, partition, pending: range } of pending)
      expect(seen).toContain(`${topic}/${partition}:${range!.first}-${range!.last}`);
    expect(await verifyAll(here())).toMatchObject({ ok: true, differences: [] });
  });
});

describe('a token that was spent without rows', () => {
  test('the rows are found missing and sent again, and only those', async () => {
    const die = () => {
      throw new Error('fail point');
    };
    await expect(runs({ ...here(), failPoints: { beforeCursor: die } })).rejects.toThrow('fail point');
    // What an engine leaves behind that is killed after noting the token and before adding the part.
    for (const table of ['book_snapshots', 'market_history'])
      await store.exec(
        `ALTER TABLE ${table} DELETE IN PARTITION tuple(${generation}, 202609) WHERE offset % 2 = 0
         SETTINGS mutations_sync = 2`,
      );
    await store.exec(`ALTER TABLE gaps DROP PARTITION ${generation}`);
    await projectAll(here());
    expect(await verifyAll(here())).toMatchObject({ ok: true, differences: [] });
  });
});

describe('a store in trouble', () => {
  test('a lost acknowledgement is repeated under its token and adds nothing', async () => {
    let lost = 0;
    const forgetful: Store = {
      ...store,
      async insertRowBinary(...insert) {
        await store.insertRowBinary(...insert);
        if (++lost % 3 === 1) throw new LadderlogError('STORE_UNAVAILABLE', 'lost', { retryable: true });
      },
    };
    const projector = await projectAll({ ...here(), store: forgetful, limits: { maxRecords: 100 } });
    expect(projector.status().retries).toBeGreaterThan(5);
    expect(await verifyAll(here())).toMatchObject({ ok: true, differences: [] });
  });

  test('while it fails no offset is passed and the lag shows; then it goes on', async () => {
    let down = true;
    const failing: Store = {
      ...store,
      async insertRowBinary(...insert) {
        if (down) throw new LadderlogError('STORE_UNAVAILABLE', 'down', { retryable: true });
        await store.insertRowBinary(...insert);
      },
    };
    const failures = Promise.withResolvers<void>();
    let attempts = 0;
    const projector = projectorOf({
      ...here(),
      store: failing,
      observer: { onRetry: () => ++attempts === 8 && failures.resolve() },
    });
    await until(projector, async (signal) => {
      await failures.promise;
      const status = projector.status();
      expect(status.lag).toBeGreaterThan(0);
      expect(status.lastError).toMatchObject({ code: 'STORE_UNAVAILABLE' });
      expect((await bench.cursors.list(generation)).every(({ hwm }) => hwm === -1)).toBe(true);
      down = false;
      await projector.caughtUp(signal);
      expect(projector.status().lastError).toBeNull();
    });
    expect(await verifyAll(here())).toMatchObject({ ok: true, differences: [] });
  });

  test('an insert that hangs is given up and repeated', async () => {
    let hung = 0;
    const hanging: Store = {
      ...store,
      insertRowBinary: (...insert) =>
        ++hung === 3 ? new Promise(() => undefined) : store.insertRowBinary(...insert),
    };
    await projectAll({ ...here(), store: hanging, limits: { insertTimeoutMs: 3_000 } });
    expect(await verifyAll(here())).toMatchObject({ ok: true, differences: [] });
  });

  test('what no retry can cure ends the projector with its error', async () => {
    const broken: Store = {
      ...store,
      insertRowBinary: () => Promise.reject(new LadderlogError('STORE_QUERY_FAILED', 'no such column')),
    };
    await expect(runs({ ...here(), store: broken })).rejects.toMatchObject({
      code: 'STORE_QUERY_FAILED',
    });
  });
});

describe('a log in trouble', () => {
  /** Ends `times` memberships of the group with the error. */
  const failing = (error: LadderlogError, times: number): EventLog => ({
    ...bench.log,
    consume: (request) =>
      bench.log.consume({
        ...request,
        async onAssigned(topic, partition) {
          if (times-- > 0) throw error;
          return request.onAssigned(topic, partition);
        },
      }),
  });

  test('a failure that may pass, such as a full disk, is waited out', async () => {
    const full = new LadderlogError('LOG_DISK_FULL', 'full', { retryable: true });
    const retried: unknown[] = [];
    await projectAll({
      ...here(),
      log: failing(full, 20),
      observer: { onRetry: (retry) => void retried.push(retry) },
    });
    expect(retried[0]).toEqual({ step: 'consume', code: 'LOG_DISK_FULL', attempts: 1 });
    expect(retried.length).toBeGreaterThan(1);
    expect(await verifyAll(here())).toMatchObject({ ok: true, differences: [] });
  });

  test('one that will not pass ends the projector with its error', async () => {
    const corrupt = new LadderlogError('LOG_CORRUPT', 'damaged');
    await expect(runs({ ...here(), log: failing(corrupt, 1) })).rejects.toBe(corrupt);
  });
});

describe('fenced', () => {
  test('an owner that was paused after its intent writes nothing when it wakes', async () => {
    const paused = Promise.withResolvers<void>();
    const wake = Promise.withResolvers<void>();
    const projector = projectorOf({
      ...here(),
      topics: ['venueb'],
      limits: { recheckMs: -1 },
      failPoints: {
        async afterIntent() {
          paused.resolve();
          await wake.promise;
        },
      },
    });
    await until(projector, async () => {
      await paused.promise;
      for (const { topic, partition, fingerprint } of await bench.cursors.list(generation))
        await bench.cursors.claim({ generation, topic, partition }, 0, fingerprint);
      wake.resolve();
      while (projector.status().fenced < projector.status().partitions.length)
        await new Promise((resolve) => setTimeout(resolve, 5));
    });
    expect(await rowsOf('book_snapshots')).toBe(0);
    expect((await bench.cursors.list(generation)).every(({ hwm }) => hwm === -1)).toBe(true);
    await projectAll(here());
    expect(await verifyAll(here())).toMatchObject({ ok: true, differences: [] });
  });

  test('woken in the middle of an insert, its rows are those of the new owner', async () => {
    const paused = Promise.withResolvers<void>();
    const wake = Promise.withResolvers<void>();
    let sleepers = 0;
    const slow: Store = {
      ...store,
      async insertRowBinary(...insert) {
        if (++sleepers === 1) {
          paused.resolve();
          await wake.promise;
        }
        await store.insertRowBinary(...insert);
      },
    };
    const old = projectorOf({ ...here(), store: slow, topics: ['venueb'], limits: { maxRecords: 50 } });
    await until(old, async () => {
      await paused.promise;
      const other = await openBenchTwin(bench);
      await projectAll({ ...here(), log: other, topics: ['venueb'], limits: { maxRecords: 30 } });
      await other.close();
      wake.resolve();
    });
    await projectAll(here());
    expect(await verifyAll(here())).toMatchObject({ ok: true, differences: [] });
  });
});

/** The same file as another process would see it, in a group of its own: both believe that the partitions are theirs. */
async function openBenchTwin(of: Bench): Promise<EventLog> {
  const { openSqliteLog } = await import('@ladderlog/log');
  const log = await openSqliteLog({ path: of.path, upkeepMs: 0, heartbeatMs: 200 });
  return { ...log, consume: (request) => log.consume({ ...request, group: `${request.group}-twin` }) };
}

describe('poison', () => {
  test('an unreadable record goes to rejects with its position, and the stream goes on', async () => {
    const poisoned = new Set([3, 40, 41]);
    const at = (topic: string, partition: number, offset: number): boolean =>
      topic === 'venueb' && partition === 1 && poisoned.has(offset);
    const log = withFaults(bench.log, at);
    await projectAll({ ...here(), log });
    expect(await verifyAll({ ...here(), log })).toMatchObject({ ok: true, differences: [] });
    const rejected = await store.query(
      `SELECT topic, partition, offset, reason, length(body) > 0 AS has_body FROM rejects
       WHERE generation = ${generation} AND origin = 'record' ORDER BY offset`,
    );
    expect(rejected).toEqual(
      [...poisoned].map((offset) => ({
        topic: 'venueb',
        partition: 1,
        offset,
        reason: 'CODEC_CORRUPT',
        has_body: 1,
      })),
    );
  });

  test('an event on which a projection throws is rejected, and the others are not', async () => {
    const fussy = PROJECTIONS.map((projection): Projection =>
      projection.table !== 'metric_samples'
        ? projection
        : {
            ...projection,
            project(event, position) {
              if (position.offset % 2 === 0) throw new Error('even');
              return projection.project(event, position);
            },
          },
    );
    const projector = await projectAll({ ...here(), projections: fussy });
    expect(await verifyAll({ ...here(), projections: fussy })).toMatchObject({ ok: true, differences: [] });
    const [rejected] = await store.query<{ rows: number; detail: string }>(
      `SELECT count() AS rows, any(detail) AS detail FROM rejects
       WHERE generation = ${generation} AND origin = 'projection'`,
    );
    expect(rejected).toEqual({ rows: projector.status().poison, detail: 'metric_samples: even' });
    expect(rejected!.rows).toBeGreaterThan(0);
    expect(await rowsOf('book_snapshots')).toBe(300);
  });
});

/** The log with some records gone bad, as an implementation reports them. */
function withFaults(
  log: EventLog,
  isBad: (topic: string, partition: number, offset: number) => boolean,
): EventLog {
  const spoil: EventLog['consume'] = (request) =>
    log.consume({
      ...request,
      onBatch: (batch, control) => request.onBatch(spoiled(batch), control),
    });
  type Batch = Parameters<Parameters<EventLog['consume']>[0]['onBatch']>[0];
  const faulty = ({ offset, key, time, value }: LogRecord): LogRecord =>
    new LogRecord(log.codec, { offset, key, time, value, fault });
  const fault = new LadderlogError('CODEC_CORRUPT', 'spoiled');
  const spoiled = (batch: Batch): Batch => ({
    ...batch,
    records: batch.records.map((record) =>
      isBad(batch.topic, batch.partition, record.offset) ? faulty(record) : record,
    ),
  });
  return {
    ...log,
    consume: spoil,
    async *read(request) {
      for await (const batch of log.read(request)) yield spoiled(batch);
    },
  };
}

describe('refused', () => {
  test('projections that changed need a new generation', async () => {
    await projectAll(here());
    const raised = PROJECTIONS.map((projection) => ({ ...projection, version: projection.version + 1 }));
    await expect(runs({ ...here(), projections: raised })).rejects.toMatchObject({
      code: 'PROJECTIONS_CHANGED',
    });
  });

  test('a log that ends before the tables is not their log', async () => {
    await projectAll(here());
    const other = await openBench(embedded.folder, generate({ seed: 1, observations: 10 }));
    await expect(runs({ ...here(), log: other.log })).rejects.toMatchObject({
      code: 'LOG_OFFSET_OUT_OF_RANGE',
    });
    await other.close();
  });

  test('rows without a cursor, and a cursor without rows, are foreign', async () => {
    await projectAll(here());
    const other = await openBench(embedded.folder, generate({ seed: 1, observations: 10 }));
    await expect(runs({ ...here(), log: other.log, cursors: other.cursors })).rejects.toMatchObject({
      code: 'TABLES_FOREIGN',
    });
    await other.close();
    const kept = withCursors(bench.cursors, { drop: async () => undefined });
    await dropGeneration({ store, cursors: kept, projections: PROJECTIONS }, generation);
    await expect(runs(here())).rejects.toMatchObject({ code: 'TABLES_FOREIGN' });
  });
});

describe('verify', () => {
  beforeEach(() => projectAll(here()));

  test('names the market that lost a row', async () => {
    const [lost] = await store.query<{ venue: string; market: string; offset: number }>(
      `SELECT venue, market, offset FROM book_snapshots WHERE generation = ${generation} LIMIT 1`,
    );
    await store.exec(
      `ALTER TABLE book_snapshots DELETE IN PARTITION tuple(${generation}, 202609) WHERE market = '${lost!.market}'
       AND offset = ${lost!.offset} SETTINGS mutations_sync = 2`,
    );
    const result = await verifyAll(here());
    expect(result.ok).toBe(false);
    expect(result.differences).toMatchObject([
      { table: 'book_snapshots', venue: lost!.venue, market: lost!.market, kind: 'missing_rows' },
    ]);
  });

  test('sees a doubled row', async () => {
    await store.exec(
      `INSERT INTO metric_samples SELECT * FROM metric_samples WHERE generation = ${generation} LIMIT 1`,
    );
    const { differences } = await verifyAll(here());
    expect(differences.map(({ kind }) => kind)).toEqual(['repeated_positions', 'extra_rows']);
  });

  test('sees a changed size deep in one ladder', async () => {
    const [deep] = await store.query<{ topic: string; partition: number; offset: number }>(
      `SELECT topic, partition, offset FROM book_snapshots
       WHERE generation = ${generation} AND length(ask_sizes) >= 3 ORDER BY topic, partition, offset LIMIT 1`,
    );
    const { topic, partition, offset } = deep!;
    await store.exec(
      `ALTER TABLE book_snapshots UPDATE ask_sizes = arrayMap((s, i) -> s + (i = 3), ask_sizes, arrayEnumerate(ask_sizes))
       IN PARTITION tuple(${generation}, 202609)
       WHERE topic = '${topic}' AND partition = ${partition} AND offset = ${offset} SETTINGS mutations_sync = 2`,
    );
    const { differences } = await verifyAll(here());
    expect(differences.map(({ table, kind }) => [table, kind])).toEqual([
      ['book_snapshots', 'other_content'],
    ]);
  });

  test('can be held against a running projector', async () => {
    const projector = projectorOf(here());
    await until(projector, async (signal) => {
      await projector.caughtUp(signal);
      const appending = bench.log.append([...generate({ seed: 6, observations: 400 })]);
      const result = await verify({
        ...here(),
        projections: PROJECTIONS,
        hold: (work) => projector.quiesced(work),
      });
      expect(result.differences).toEqual([]);
      await appending;
      await projector.caughtUp(signal);
    });
    expect(await verifyAll(here())).toMatchObject({ ok: true });
  });
});
