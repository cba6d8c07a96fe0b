// What every implementation of the store port must do, whichever engine stands behind it.

import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVENT_TABLES, TABLE_NAMES } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';
import { columnsOf, createRowEncoder, loadMigrations, proveDeduplication } from '@ladderlog/store';
import { book, bookRow, T0 } from '../../packages/store/test/book-rows.ts';

export function storeContract(
  name: string,
  open: () => Promise<{ store: Store; close: () => Promise<void> }>,
): void {
  describe(`store contract: ${name}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ store, close } = await open());
    });
    afterAll(() => close());

    const count = async (market: string): Promise<number> =>
      (
        await store.query<{ rows: number }>({
          sql: 'SELECT count() AS rows FROM book_snapshots WHERE market = {market:String}',
          params: { market },
        })
      )[0]!.rows;

    const insert = async (market: string, token: string, rows = 3): Promise<void> => {
      const encoder = createRowEncoder('book_snapshots', 1);
      for (let at = 0; at < rows; at++)
        encoder.add(bookRow(book({ market, observedAt: T0 + at, ordinal: at }), at));
      await store.insertRowBinary('book_snapshots', encoder.columns, encoder.take(), { token });
    };

    test('migrates, and a second time changes nothing', async () => {
      const first = await store.migrate();
      expect(first.applied).toEqual(loadMigrations().map(({ name }) => name));
      expect(await store.migrate()).toEqual({ applied: [], version: first.version });
    });

    test('a statement with settings is held to the limits of the lane', async () => {
      const large =
        'INSERT INTO deduplication_probe SELECT toString(length(groupArray(number))) FROM numbers(10000000)';
      await expect(store.exec(large, { settings: { max_memory_usage: 1_000_000 } })).rejects.toMatchObject({
        details: { clickhouse: 241 },
      });
      const slow = 'INSERT INTO deduplication_probe SELECT toString(sleepEachRow(0.1)) FROM numbers(100)';
      await expect(
        store.exec(slow, { deadlineMs: 500, settings: { max_block_size: 1 } }),
      ).rejects.toMatchObject({ code: 'STORE_BUSY' });
    });

    test('the tables are those of the description', async () => {
      const plain = (type: string): string =>
        type
          .replace(/^SimpleAggregateFunction\(\w+, (.*)\)$/, '$1')
          .replace(/LowCardinality\((Nullable\(String\)|String)\)/g, '$1')
          .replace(/DateTime64\(6, 'UTC'\)/g, 'DateTime64(6)');
      for (const table of TABLE_NAMES) {
        const columns = await store.query<{
          name: string;
          type: string;
          default_kind: string;
          comment: string;
        }>({
          sql: 'SELECT name, type, default_kind, comment FROM system.columns WHERE database = {db:String} AND table = {table:String} ORDER BY position',
          params: { db: store.database, table },
        });
        const written = columns.filter(({ default_kind: kind }) => kind === '');
        expect(Object.fromEntries(written.map((column) => [column.name, plain(column.type)]))).toEqual(
          columnsOf(table),
        );
        expect(columns.filter(({ comment }) => comment === '')).toEqual([]);
      }
      expect(EVENT_TABLES.every((table) => TABLE_NAMES.includes(table))).toBe(true);
    });

    test('rows come back as they went in', async () => {
      const event = book({
        market: 'round-trip',
        sourceTs: T0 - 7,
        observedAt: T0 + 1,
        flags: ['inexact', 'crossed'],
        bidPrices: [Number.MAX_SAFE_INTEGER, 4_294_967_296, 4_294_967_295, 1],
        bidSizes: [1, 2, 3, 4],
        exceptions: [{ side: 'ask', level: 1, price: '.5', size: "é'\\" }],
        nativeIds: { a: '1', b: 'ü' },
        sequence: -5,
        hash: 'h'.repeat(200),
      });
      const row = bookRow(event, 77);
      const encoder = createRowEncoder('book_snapshots', 3);
      encoder.add(row);
      await store.insertRowBinary('book_snapshots', encoder.columns, encoder.take(), { token: 'round-trip' });
      const [back] = await store.query({
        sql: `SELECT * REPLACE (toUnixTimestamp64Micro(observed_at) AS observed_at, toUnixTimestamp64Micro(source_ts) AS source_ts)
              FROM book_snapshots WHERE market = {market:String}`,
        params: { market: 'round-trip' },
      });
      expect(back).toEqual({ generation: 3, ...row });
    });

    test('a repeated token adds nothing, another one does', async () => {
      await insert('twice', 'twice:0-2');
      await insert('twice', 'twice:0-2');
      expect(await count('twice')).toBe(3);
      await insert('twice', 'twice:0-2b');
      expect(await count('twice')).toBe(6);
      await proveDeduplication(store);
    });

    test('one token across several partitions', async () => {
      const encoder = createRowEncoder('book_snapshots', 1);
      const month = 31 * 86_400 * 1_000_000;
      for (let time = 0; time < 2; time++) {
        for (let at = 0; at < 4; at++)
          encoder.add(bookRow(book({ market: 'months', observedAt: T0 + at * month }), at));
        await store.insertRowBinary('book_snapshots', encoder.columns, encoder.take(), { token: 'months' });
      }
      expect(await count('months')).toBe(4);
    });

    test('a store without a window is found out', async () => {
      await store.exec('DROP TABLE deduplication_probe');
      await store.exec('CREATE TABLE deduplication_probe (probe String) ENGINE = MergeTree ORDER BY probe');
      await expect(proveDeduplication(store)).rejects.toMatchObject({ code: 'STORE_NOT_DEDUPLICATING' });
      await store.exec('DROP TABLE deduplication_probe');
      await store.migrate();
    });

    test('settings of one query do not stay for the next', async () => {
      const read = "SELECT getSetting('max_block_size') AS size, getSetting('log_comment') AS comment";
      const [first] = await store.query(read, { name: 'first', settings: { max_block_size: 17 } });
      const [second] = await store.query(read, { name: 'second' });
      expect(first).toMatchObject({ size: 17, comment: 'ladderlog:first' });
      expect(second).toMatchObject({ comment: 'ladderlog:second' });
      expect(second).not.toMatchObject({ size: 17 });
    });

    test('parameters are bound, whatever they hold', async () => {
      const params = {
        text: `it's "a" \\ test\n\t {x:String} ; DROP`,
        list: ["a'b", '\\', '', 'é\n'],
        none: null,
        whole: 9_007_199_254_740_991,
        yes: true,
      };
      const [row] = await store.query({
        sql: 'SELECT {text:String} AS text, {list:Array(String)} AS list, {none:Nullable(String)} AS none, {whole:Int64} AS whole, {yes:Bool} AS yes',
        params,
      });
      expect(row).toEqual(params);
    });

    test('raw answers are the engine’s bytes, at once or in pieces', async () => {
      const sql = "SELECT number AS n, 'a\\nb' AS t FROM numbers(3)";
      const bytes = await store.queryRaw(sql, 'JSONEachRow');
      expect(Buffer.from(bytes).toString()).toBe(
        '{"n":0,"t":"a\\nb"}\n{"n":1,"t":"a\\nb"}\n{"n":2,"t":"a\\nb"}\n',
      );
      expect(await buffer(await store.queryStream(sql, 'JSONEachRow'))).toEqual(Buffer.from(bytes));
      expect(Buffer.from(await store.queryRaw('SELECT 1 WHERE 0', 'JSONEachRow')).length).toBe(0);
      expect(await store.query('SELECT 1 WHERE 0')).toEqual([]);
    });

    test('a long answer has all its rows, each once, whatever they hold', async () => {
      const rows = await store.query<{ n: number; t: string }>(
        "SELECT number AS n, concat(repeat('ä', number % 300), '\\n') AS t FROM numbers(10000)",
      );
      expect(rows).toEqual(Array.from({ length: 10_000 }, (_, n) => ({ n, t: `${'ä'.repeat(n % 300)}\n` })));
    });

    test('errors have codes', async () => {
      await expect(store.query('SELECT nothing FROM nowhere')).rejects.toMatchObject({
        code: 'STORE_QUERY_FAILED',
        retryable: false,
        details: { clickhouse: 60 },
      });
      await expect(store.query('SELECT sleep(3)', { deadlineMs: 300 })).rejects.toMatchObject({
        code: 'STORE_BUSY',
        retryable: true,
      });
      await expect(
        store.query('SELECT groupArray(repeat(toString(number), 100)) FROM numbers(3000000)', {
          settings: { max_memory_usage: 20_000_000 },
        }),
      ).rejects.toMatchObject({ code: 'STORE_BUSY', details: { clickhouse: 241 } });
      expect((await store.health()).ok).toBe(true);
    });

    test('reads and writes go on side by side', async () => {
      const before = await count('busy');
      const work = Array.from({ length: 12 }, async (_, at) => {
        await insert('busy', `busy:${at}`, 5);
        return store.query('SELECT count() FROM book_snapshots');
      });
      await Promise.all(work);
      expect(await count('busy')).toBe(before + 60);
    });

    test('the served generation is switched by one row, and back', async () => {
      expect(await store.generation()).toBe(1);
      await store.switchGeneration(2, 'rebuild');
      expect(await store.generation()).toBe(2);
      await store.switchGeneration(1, 'rollback');
      expect(await store.generation()).toBe(1);
    });

    test('views show the served generation in decimals', async () => {
      const encode = async (generation: number, market: string) => {
        const encoder = createRowEncoder('book_snapshots', generation);
        encoder.add(bookRow(book({ market, askPrices: [550_000, 560_001] }), 500 + generation));
        await store.insertRowBinary('book_snapshots', encoder.columns, encoder.take(), {
          token: `view:${generation}`,
        });
      };
      await encode(1, 'view');
      await encode(2, 'view');
      expect(
        await store.query(
          "SELECT best_bid, best_ask, mid, spread, best_bid_size FROM v_best_quotes WHERE market = 'view'",
        ),
      ).toEqual([{ best_bid: 0.53, best_ask: 0.55, mid: 0.54, spread: 0.02, best_bid_size: 212.5 }]);
      expect(
        await store.query(
          "SELECT side, level, price, size FROM v_levels WHERE market = 'view' ORDER BY side, level",
        ),
      ).toEqual([
        { side: 'ask', level: 1, price: 0.55, size: 3 },
        { side: 'ask', level: 2, price: 0.560001, size: 30_000_000 },
        { side: 'bid', level: 1, price: 0.53, size: 212.5 },
        { side: 'bid', level: 2, price: 0.52, size: 1 },
      ]);
    });
  });
}
