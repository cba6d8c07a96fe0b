// The engine in a process of its own, killed and stopped under a store that goes on asking.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { isLadderlogError } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';
import { createRowEncoder, openEngineStore } from '@ladderlog/store';
import type { Started } from '../../../../test/harness/ladderlog.ts';
import { launch, REPOSITORY } from '../../../../test/harness/ladderlog.ts';
import { book, bookRow, T0 } from '../book-rows.ts';

const root = mkdtempSync(join(tmpdir(), 'ladderlog-killed-'));
const socket = join(root, 'engine.sock');
let engine: Started | null = null;
afterEach(() => engine?.kill());
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function startEngine(): Promise<void> {
  const script = join(REPOSITORY, 'test', 'harness', 'chdb-server.ts');
  engine = launch([join(root, 'store'), socket], { program: [process.execPath, script] });
  await engine.says(/ready/);
}

const unavailable = { code: 'STORE_UNAVAILABLE', retryable: true };
const ROWS = 200;

async function insert(store: Store, market: string): Promise<void> {
  const encoder = createRowEncoder('book_snapshots', 1);
  for (let at = 0; at < ROWS; at++) encoder.add(bookRow(book({ market, observedAt: T0 + at }), at));
  await store.insertRowBinary('book_snapshots', encoder.columns, encoder.take(), { token: market });
}

test('a killed engine is STORE_UNAVAILABLE until it is back, and has all it acknowledged', async () => {
  await expect(openEngineStore({ socket })).rejects.toMatchObject(unavailable);
  await startEngine();
  const store = await openEngineStore({ socket });
  await store.migrate();
  const acknowledged: string[] = [];
  const lengths = new Set<number>();
  const failures: unknown[] = [];
  const over = new AbortController();
  const busy = async (work: (round: number) => Promise<void>): Promise<void> => {
    for (let round = 0; !over.signal.aborted; round++)
      await work(round).catch((error: unknown) => {
        failures.push(error);
        // Away for a while: other work than asking again at once.
        return new Promise((resolve) => setTimeout(resolve, 5));
      });
  };
  const working = [
    busy(async (round) => {
      const market = `m-${round}`;
      await insert(store, market);
      acknowledged.push(market);
    }),
    ...[0, 1].map(() =>
      busy(async () => {
        lengths.add((await store.queryRaw('SELECT number FROM numbers(400000)', 'RowBinary')).length);
      }),
    ),
  ];
  for (let kill = 0; kill < 6; kill++) {
    const before = acknowledged.length;
    const failed = failures.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 2 + kill);
    await engine!.kill();
    await expect.poll(() => failures.length).toBeGreaterThan(failed);
    expect(await store.health()).toMatchObject({ ok: false, kind: 'chdb', error: 'STORE_UNAVAILABLE' });
    await startEngine();
  }
  over.abort();
  await Promise.all(working);
  const unlike = failures.filter(
    (error) => !(isLadderlogError(error, 'STORE_UNAVAILABLE') && error.retryable),
  );
  expect(unlike).toEqual([]);
  expect([...lengths]).toEqual([8 * 400_000]);
  const rows = await store.query<{ market: string; rows: number }>(
    'SELECT market, count() AS rows FROM book_snapshots GROUP BY market',
  );
  const kept = new Map(rows.map((row) => [row.market, row.rows]));
  expect(acknowledged.filter((market) => kept.get(market) !== ROWS)).toEqual([]);
  expect(new Set(kept.values())).toEqual(new Set([ROWS]));
  await store.close();
});

test('an engine that hangs is given up some time after the deadline', async () => {
  await startEngine();
  const store = await openEngineStore({ socket });
  process.kill(engine!.pid, 'SIGSTOP');
  const late = { deadlineMs: 100, settings: {} };
  const [read, write] = await Promise.allSettled([
    store.query('SELECT 1', late),
    store.exec('INSERT INTO deduplication_probe SELECT 1', late),
  ]);
  expect(read).toMatchObject({ reason: unavailable });
  expect(write).toMatchObject({ reason: unavailable });
  process.kill(engine!.pid, 'SIGCONT');
  expect(await store.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await store.close();
});
