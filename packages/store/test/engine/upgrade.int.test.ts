// Tables that an earlier version made and filled, brought up to date.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChdbStore } from '@ladderlog/store';
import { createRowEncoder, loadMigrations, openChdbStore } from '@ladderlog/store';
import { SILENT } from '../../src/engine/logger.ts';
import { migrateStore } from '../../src/engine/migrate.ts';
import { book, bookRow, insertBooks } from '../book-rows.ts';

const path = mkdtempSync(join(tmpdir(), 'ladderlog-upgrade-'));
let store: ChdbStore;
beforeAll(async () => {
  store = await openChdbStore({ path });
});
afterAll(async () => {
  await store.close();
  rmSync(path, { recursive: true, force: true });
});

const insert = async (offset: number, levels: number): Promise<void> => {
  const ladder = Array.from({ length: levels }, (_, at) => 1_000_000 - at);
  const event = book({ bidPrices: ladder, bidSizes: ladder });
  const exceptions = [{ side: 'bid', level: levels - 1, price: '.5', size: '1' }] as const;
  const encoder = createRowEncoder('book_snapshots', 1);
  encoder.add(bookRow({ ...event, exceptions }, offset));
  await store.insertRowBinary('book_snapshots', encoder.columns, encoder.take(), { token: `t${offset}` });
};

test('books of before the upgrade stay, wider ones are counted right, and ladders are packed harder', async () => {
  const target = { database: store.database };
  const all = loadMigrations();
  await migrateStore(store, target, SILENT, all.slice(0, 2));
  await store.exec(
    `INSERT INTO book_snapshots (generation, topic, offset, venue, market, bid_levels, ask_levels, bid_prices, exception_levels)
     VALUES (1, 'venueb', 1, 'venueb', 'old', 3, 65535, [3, 2, 1], [2])`,
  );
  expect((await migrateStore(store, target, SILENT, all.slice(0, 3))).applied).toEqual(['ladder_storage']);
  expect((await migrateStore(store, target, SILENT, all.slice(0, 3))).applied).toEqual([]);
  await insert(2, 70_000);
  expect(
    await store.query(
      `SELECT offset, bid_levels, ask_levels, length(bid_prices) AS bids, exception_levels
       FROM book_snapshots ORDER BY offset`,
    ),
  ).toMatchObject([
    { offset: 1, bid_levels: 3, ask_levels: 65_535, bids: 3, exception_levels: [2] },
    { offset: 2, bid_levels: 70_000, bids: 70_000, exception_levels: [69_999] },
  ]);
  expect(await store.query('SELECT max(bid_levels) AS levels FROM v_books')).toEqual([{ levels: 70_000 }]);
  const columns = await store.query(
    `SELECT name, compression_codec AS codec, comment FROM system.columns
     WHERE database = currentDatabase() AND table = 'book_snapshots' AND name IN ('bid_levels', 'bid_sizes') ORDER BY name`,
  );
  expect(columns).toEqual([
    { name: 'bid_levels', codec: '', comment: 'Number of bids' },
    { name: 'bid_sizes', codec: 'CODEC(ZSTD(6))', comment: '1e-6, aligned with bid_prices' },
  ]);
});

test('a side without levels has no price and no size', async () => {
  await migrateStore(store, { database: store.database }, SILENT, loadMigrations());
  await insertBooks(store, [
    book({ market: 'asks', bidPrices: [], bidSizes: [] }),
    book({ market: 'bids', askPrices: [], askSizes: [] }),
    book({ market: 'both' }),
  ]);
  const { bidPrices, bidSizes, askPrices, askSizes } = book({});
  const [bid, ask] = [
    { best_bid: bidPrices[0]! / 1e6, best_bid_size: bidSizes[0]! / 1e6 },
    { best_ask: askPrices[0]! / 1e6, best_ask_size: askSizes[0]! / 1e6 },
  ];
  const [noBid, noAsk] = [
    { best_bid: null, best_bid_size: null, mid: null, spread: null },
    { best_ask: null, best_ask_size: null, mid: null, spread: null },
  ];
  expect(
    await store.query("SELECT * FROM v_best_quotes WHERE market IN ('asks', 'bids', 'both') ORDER BY market"),
  ).toMatchObject([
    { market: 'asks', ...ask, ...noBid },
    { market: 'bids', ...bid, ...noAsk },
    { market: 'both', ...bid, ...ask },
  ]);
});
