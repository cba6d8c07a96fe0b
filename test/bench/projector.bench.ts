// The projector, whole (log, groups, cursors, all tables, verification left out), against a bare loop that decodes the same
// records and inserts their books as RowBinary, and against the same rows as JSONEachRow; all in one run, on chDB.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { BookObserved, LadderEvent } from '@ladderlog/core';
import { PROJECTIONS } from '@ladderlog/core';
import type { EventLog, LogRecord } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import { createProjector, openSqliteCursors } from '@ladderlog/projector';
import type { ChdbStore } from '@ladderlog/store';
import { createRowEncoder, openChdbStore } from '@ladderlog/store';
import pino from 'pino';

import { generate, inBatches } from '../../packages/projector/test/generate.ts';

const OBSERVATIONS = Number(process.env['LADDERLOG_BENCH_EVENTS'] ?? 40_000);
const LEVELS = 100;
const ROUNDS = 3;
const RANGE = 20_000;
const PARTITIONS = 1;

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-bench-'));
  const path = join(folder, 'log.db');
  const log = await openSqliteLog({ path, partitions: PARTITIONS, upkeepMs: 0 });
  const store = await openChdbStore({ path: join(folder, 'store') });
  try {
    await store.migrate();
    for (const batch of inBatches(books(), 1_000)) await log.append(batch);
    const records = await read(log);
    console.log(`${OBSERVATIONS} books of ${2 * LEVELS} levels, 1 partition, best of ${ROUNDS} rounds`);
    const some = records.slice(0, Math.ceil(OBSERVATIONS / 4));
    const best = { projector: 0, bare: 0, json: 0 };
    for (let round = 1; round <= ROUNDS; round++) {
      best.bare = Math.max(best.bare, await rate(OBSERVATIONS, () => bare(store, log, records, 100 + round)));
      best.projector = Math.max(
        best.projector,
        await rate(OBSERVATIONS, () => project(store, log, path, round)),
      );
      best.json = Math.max(best.json, await rate(some.length, () => json(store, log, some, 200 + round)));
    }
    const line = (name: string, value: number, aim: string): void =>
      console.log(`${name.padEnd(28)}${Math.round(value).toLocaleString('en').padStart(9)}/s   ${aim}`);
    line('projector', best.projector, '');
    line(
      'bare decode + RowBinary',
      best.bare,
      `projector ${(best.projector / best.bare).toFixed(2)} × (aim ≥ 0.7)`,
    );
    line(
      'decode + JSONEachRow',
      best.json,
      `projector ${(best.projector / best.json).toFixed(1)} × (aim ≥ 3)`,
    );
  } finally {
    await store.close();
    await log.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function* books(): Generator<LadderEvent> {
  for (const event of generate({ observations: OBSERVATIONS, levels: LEVELS, venues: ['venueb'] }))
    if (event.type === 'BookObserved') yield event;
}

async function rate(count: number, work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (count / (performance.now() - began)) * 1_000;
}

async function read(log: EventLog): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  const from = [{ topic: 'venueb', partition: 0, offset: 0 }];
  for await (const batch of log.read({ from })) records.push(...batch.records);
  return records;
}

async function project(store: ChdbStore, log: EventLog, path: string, generation: number): Promise<void> {
  const cursors = openSqliteCursors(path);
  const projector = createProjector({
    log,
    store,
    cursors,
    projections: PROJECTIONS,
    generation,
    logger: pino({ level: 'silent' }),
    topics: ['venueb'],
    limits: { maxRecords: RANGE, maxBytes: 256 * 1024 * 1024, maxWaitMs: 50 },
  });
  const stop = new AbortController();
  const running = projector.run(stop.signal);
  await Promise.race([projector.caughtUp(stop.signal), running]);
  stop.abort();
  await running;
  await cursors.close();
}

const decoded = (log: EventLog, record: LogRecord): BookObserved => {
  const result = log.codec.decode(record.value);
  if (!result.ok || result.event.type !== 'BookObserved') throw new Error('not a book');
  return result.event;
};

const books1 = PROJECTIONS.find(({ table }) => table === 'book_snapshots')!;

/** What nobody could do without: decode, encode, insert. No cursor, no token check, one table. */
async function bare(
  store: ChdbStore,
  log: EventLog,
  records: readonly LogRecord[],
  generation: number,
): Promise<void> {
  const encoder = createRowEncoder('book_snapshots', generation);
  for (const batch of inBatches(records, RANGE)) {
    for (const record of batch) {
      const position = { topic: 'venueb', partition: 0, offset: record.offset };
      for (const row of books1.project(decoded(log, record), position)) encoder.add(row as never);
    }
    const token = `bare:${generation}:${batch[0]!.offset}`;
    await store.insertRowBinary('book_snapshots', encoder.columns, encoder.take(), { token });
  }
}

async function json(
  store: ChdbStore,
  log: EventLog,
  records: readonly LogRecord[],
  generation: number,
): Promise<void> {
  const session = await store.session();
  for (const batch of inBatches(records, 5_000)) {
    const values = batch.map((record) => {
      const position = { topic: 'venueb', partition: 0, offset: record.offset };
      return { generation, ...books1.project(decoded(log, record), position)[0] };
    });
    await session.insert({ table: 'book_snapshots', values, format: 'JSONEachRow' });
  }
  await session.close();
}
