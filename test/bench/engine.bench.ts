// The engine in a process of its own, through its socket, against the same engine in this process: the same statements over the
// same rows, in turn.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BookObserved, TableRow } from '@ladderlog/core';
import { PROJECTIONS } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';
import { createRowEncoder, openChdbStore, openEngineStore, snapshotsPage } from '@ladderlog/store';
import { recordedBooks } from '../harness/log-recording.ts';

const BOOKS = 10_000;
const BATCH = 2_000;
const ENGINE = join(import.meta.dirname, '..', 'harness', 'chdb-server.ts');

export async function run(): Promise<void> {
  const { source, books } = recordedBooks(BOOKS);
  console.log(`${books.length} books: ${source}`);
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-bench-engine-'));
  const socket = join(folder, 'engine.sock');
  const engine = spawn(process.execPath, [ENGINE, join(folder, 'apart'), socket], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(engine, 'close');
  await once(engine.stdout, 'data');
  const inside = await openChdbStore({ path: join(folder, 'inside') });
  const through = await openEngineStore({ socket });
  try {
    for (const store of [inside, through]) {
      await store.migrate();
      for (let at = 0; at < books.length; at += BATCH)
        await insert(store, books.slice(at, at + BATCH), `load:${at}`);
      await store.exec('OPTIMIZE TABLE book_snapshots FINAL');
    }
    await compare(inside, through, books);
  } finally {
    await through.close();
    await inside.close();
    engine.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

type BookRow = TableRow<'book_snapshots'>;
const projection = PROJECTIONS.find(({ name }) => name === 'book_snapshots')!;

async function insert(store: Store, books: readonly BookObserved[], token: string): Promise<void> {
  const encoder = createRowEncoder('book_snapshots', 1);
  books.forEach((book, offset) =>
    encoder.add(projection.project(book, { topic: book.venue, partition: 0, offset })[0] as BookRow),
  );
  await store.insertRowBinary('book_snapshots', encoder.columns, encoder.take(), { token });
}

async function compare(inside: Store, through: Store, books: readonly BookObserved[]): Promise<void> {
  const { market, venue, observedAt: from } = books[0]!;
  const to = books.at(-1)!.observedAt + 1;
  const selection = { generation: 1, venue, market, outcomes: ['yes'], identity: null } as const;
  const page = (limit: number) =>
    snapshotsPage({ ...selection, shape: 'arrays', from, to, after: null, limit });
  const some = books.slice(0, BATCH);
  let round = 0;
  const work: [name: string, rounds: number, (store: Store) => Promise<unknown>][] = [
    ['SELECT 1', 200, (store) => store.queryRaw('SELECT 1', 'RowBinary')],
    ['page of 100 ladders', 40, (store) => store.queryRaw(page(100), 'JSONEachRow')],
    ['page of 1,000 ladders', 20, (store) => store.queryRaw(page(1_000), 'JSONEachRow')],
    ['insert of 2,000 rows, encoding included', 20, (store) => insert(store, some, `again:${round++}`)],
  ];
  for (const [name, rounds, statement] of work) {
    const took: [number[], number[]] = [[], []];
    for (let turn = 0; turn < rounds; turn++)
      for (const [index, store] of [inside, through].entries()) {
        const began = performance.now();
        await statement(store);
        took[index]!.push(performance.now() - began);
      }
    const [own, apart] = [median(took[0]), median(took[1])];
    console.log(
      `${name.padEnd(44)}${apart.toFixed(2)} ms   ${(apart / own).toFixed(2)} × in process (${own.toFixed(2)} ms), ${(apart - own).toFixed(2)} ms more`,
    );
  }
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;
