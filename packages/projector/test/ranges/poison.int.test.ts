// Records that no projection can take, as they really lie in a log file: the largest there can be, foreign, cut short, lying about
// their lengths, in the middle of good ones. Each becomes a reject at its position, and what is around it is projected.

import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

import type { BookObserved, LadderEvent } from '@ladderlog/core';
import { MAX_RECORD_BYTES } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { BatchBuilder, unpack } from '../../../log/src/sqlite/batch-format.ts';
import type { OffsetRange } from '../../src/index.ts';
import type { Bench, Embedded } from '../embedded.ts';
import { openBench, openEmbedded, projectAll, verifyAll } from '../embedded.ts';
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
beforeEach(() => void generation++);

const here = () => ({ log: bench.log, cursors: bench.cursors, store, generation });
const open = async (events: Iterable<LadderEvent>): Promise<void> => {
  bench = await openBench(embedded.folder, events);
};
const one = { markets: 1, levels: 3, venues: ['venueb'] } as const;

type Spoil = (good: Uint8Array) => Uint8Array;

/** Rewrites values of the log's first batch of venue B in the file itself; its checksums hold, as if they had been appended. */
function poison(values: ReadonlyMap<number, Spoil>): void {
  const file = new DatabaseSync(bench.path);
  try {
    const row = file
      .prepare(
        `SELECT b.rowid AS id, b.first_offset AS first, b.raw_bytes AS bytes, b.body AS body
         FROM batches b JOIN partitions p ON p.id = b.partition_id WHERE p.topic = 'venueb'
         ORDER BY b.last_offset - b.first_offset DESC LIMIT 1`,
      )
      .get() as { id: number; first: number; bytes: number; body: Uint8Array };
    expect(row.first).toBe(0);
    const builder = new BatchBuilder();
    unpack(row.body, row.bytes).forEach(({ key, time, value }, offset) =>
      builder.add(key, time, values.get(offset)?.(value) ?? value),
    );
    const body = builder.pack(1);
    file
      .prepare('UPDATE batches SET body = ?, raw_bytes = ? WHERE rowid = ?')
      .run(body, builder.bytes, row.id);
  } finally {
    file.close();
  }
}

const rejects = () =>
  store.query<{ offset: number; reason: string; bytes: number }>(
    `SELECT offset, reason, length(body) AS bytes FROM rejects
     WHERE generation = ${generation} AND origin IN ('record', 'projection') ORDER BY offset`,
  );

test('the largest records there can be, in a row: rejected, and never many in memory at once', async () => {
  await open(generate({ ...one, observations: 60 }));
  const large = [10, 11, 12, 13, 14, 15];
  poison(new Map(large.map((offset) => [offset, () => randomBytes(MAX_RECORD_BYTES)])));
  const ranges: OffsetRange[] = [];
  const projector = await projectAll({
    ...here(),
    limits: { maxBytes: 16 * 1024 * 1024 },
    failPoints: { afterIntent: (_key, range) => void ranges.push(range) },
  });
  expect(projector.status()).toMatchObject({ poison: large.length, lastError: null });
  expect((await rejects()).map(({ offset, bytes }) => [offset, bytes])).toEqual(
    large.map((offset) => [offset, 64 * 1024]),
  );
  for (const { first, last } of ranges)
    expect(large.filter((offset) => offset >= first && offset <= last).length).toBeLessThanOrEqual(2);
  expect(await verifyAll(here())).toMatchObject({ ok: true, differences: [] });
  const [books] = await store.query(
    `SELECT count() AS rows, max(offset) > 15 AS beyond FROM book_snapshots WHERE generation = ${generation}`,
  );
  expect(books).toMatchObject({ beyond: 1 });
  await bench.close();
});

test('Avro that is cut short, lies about a length, goes on after its end, or has an unknown schema', async () => {
  await open(generate({ ...one, observations: 60 }));
  const edit = (change: (bytes: Buffer) => void) => (good: Uint8Array) => {
    const bytes = Buffer.from(good);
    change(bytes);
    return bytes;
  };
  poison(
    new Map<number, Spoil>([
      [5, (good) => good.subarray(0, good.length >> 1)],
      // The first string after the header and the venue claims 2^34 bytes.
      [9, edit((bytes) => bytes.fill(0xff, 6, 10))],
      [13, (good) => Buffer.concat([good, Buffer.from([1, 2, 3])])],
      [17, edit((bytes) => bytes.writeUInt32BE(4_000_000_000, 1))],
      [21, () => new Uint8Array(0)],
      [25, edit((bytes) => bytes.fill(0xff, bytes.length >> 1))],
    ]),
  );
  await projectAll({ ...here(), limits: { maxRecords: 7 } });
  const found = await rejects();
  expect(found.map(({ offset }) => offset)).toEqual([5, 9, 13, 17, 21, 25]);
  for (const { reason } of found) expect(reason).toMatch(/^CODEC_/);
  expect(await verifyAll(here())).toMatchObject({ ok: true, differences: [] });
  await bench.close();
});

test('hostile but readable: a huge book is stored whole, a number that does not fit and a time far off are no end', async () => {
  const events = [...generate({ ...one, observations: 60 })];
  const at = events.findIndex(({ type }) => type === 'BookObserved');
  const book = events[at] as BookObserved;
  const ladder = Array.from({ length: 70_000 }, (_, level) => 1_000_000 - level);
  const asks = ladder.map((price) => price + 1_000_000);
  const exceptions = [{ side: 'bid', level: 69_999, price: '.930001', size: '0.930001' }] as const;
  const huge: BookObserved = {
    ...book,
    bidPrices: ladder,
    bidSizes: ladder,
    askPrices: asks,
    askSizes: asks,
    exceptions,
  };
  const month = 31 * 86_400_000_000;
  const scattered = Array.from({ length: 105 }, (_, n) => ({
    ...book,
    observedAt: book.observedAt - n * month,
  }));
  const hostile = [huge, { ...book, entry: 65_536 }, ...scattered];
  await open([...events.slice(0, at + 1), ...hostile, ...events.slice(at + 1)]);
  await projectAll(here());
  expect(
    await store.query(
      `SELECT bid_levels, ask_levels, length(ask_prices) AS asks, exception_levels
       FROM book_snapshots WHERE generation = ${generation} ORDER BY bid_levels DESC LIMIT 1`,
    ),
  ).toEqual([{ bid_levels: 70_000, ask_levels: 70_000, asks: 70_000, exception_levels: [69_999] }]);
  const [refused] = await store.query<{ reason: string; detail: string }>(
    `SELECT reason, detail FROM rejects WHERE generation = ${generation} AND origin = 'projection'`,
  );
  expect(refused).toMatchObject({ reason: 'PROJECTION_FAILED' });
  expect(refused!.detail).toContain('column entry');
  const [months] = await store.query(
    `SELECT uniqExact(toYYYYMM(observed_at)) > 100 AS many FROM book_snapshots WHERE generation = ${generation}`,
  );
  expect(months).toEqual({ many: 1 });
  expect(await verifyAll(here())).toMatchObject({ ok: true, differences: [] });
  await bench.close();
});
