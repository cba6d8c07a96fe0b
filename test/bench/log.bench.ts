// The codec against avsc, and the SQLite log against a raw SQLite loop of the same bytes, in one run.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import type { BookObserved } from '@ladderlog/core';
import { EVENT_TYPES, keyOf, timeOf } from '@ladderlog/core';
import type { EventCodec, SqliteLog } from '@ladderlog/log';
import {
  avroTypeOf,
  createCodec,
  EVENT_SCHEMAS,
  openSqliteLog,
  positionsFromBeginning,
  readEvents,
} from '@ladderlog/log';
import { books as madeUp } from '../harness/log-events.ts';
import { recordedBooks } from '../harness/log-recording.ts';

const EVENTS = Number(process.env['LADDERLOG_BENCH_EVENTS'] ?? 20_000);
const BATCH = 100;
const ROUNDS = 5;

const codec: EventCodec = createCodec({
  idOf: (type) => EVENT_TYPES.indexOf(type) + 1,
  schemaOf: (id) => {
    const type = EVENT_TYPES[id - 1];
    return type ? EVENT_SCHEMAS[type].text : null;
  },
});

export async function run(): Promise<void> {
  const { source, books } = recordedBooks(EVENTS);
  const levels = books.reduce((sum, book) => sum + book.bidPrices.length + book.askPrices.length, 0);
  console.log(`${books.length} books of ${(levels / books.length).toFixed(0)} levels: ${source}`);
  const bytes = books.map((book) => codec.encode(book));
  const avro = bytes.reduce((sum, one) => sum + one.length, 0) / bytes.length;

  await benchCodec(books, bytes);
  await benchLog('full ladders', books);
  await benchLog('20+20 levels', madeUp(0, EVENTS, { levels: 20, markets: 50 }));
  await benchStorage(books, avro);
}

/** Best of several rounds in turn: what the code can do, not what else ran on the machine. */
async function best(...works: (() => number | Promise<number>)[]): Promise<number[]> {
  const rates = works.map(() => 0);
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, work] of works.entries()) {
      const began = performance.now();
      const count = await work();
      rates[index] = Math.max(rates[index]!, (count / (performance.now() - began)) * 1_000);
    }
  return rates;
}

const rate = (value: number): string => `${Math.round(value).toLocaleString('en').padStart(9)}/s`;
const line = (name: string, ours: number, theirs: number, other: string, aim: string): void =>
  console.log(
    `${name.padEnd(34)}${rate(ours)}   ${(ours / theirs).toFixed(2)} × ${other} (${rate(theirs).trim()})${aim}`,
  );

async function benchCodec(books: readonly BookObserved[], bytes: readonly Uint8Array[]): Promise<void> {
  const type = avroTypeOf('BookObserved');
  const raw = books.map((book) => type.toBuffer(book));
  const some = books.slice(0, 5_000);
  const [encode, theirEncode, decode, theirDecode] = (await best(
    () => some.map((book) => codec.encode(book)).length,
    () => some.map((book) => type.toBuffer(book)).length,
    () => bytes.slice(0, 5_000).filter((one) => codec.decode(one).ok).length,
    () => raw.slice(0, 5_000).map((one) => type.fromBuffer(one) as object).length,
  )) as [number, number, number, number];
  line('encode', encode, theirEncode, 'avsc', '');
  line('decode', decode, theirDecode, 'avsc', '');
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchLog(name: string, books: readonly BookObserved[]): Promise<void> {
  await inFolder(async (folder) => {
    const log = await openSqliteLog({ path: join(folder, 'log.db'), upkeepMs: 0 });
    const raw = rawLog(join(folder, 'raw.db'));
    const encoded = books.map((book) => ({
      key: keyOf(book),
      time: timeOf(book),
      value: codec.encode(book),
    }));
    let [appended, piped] = [0, 0];
    const [one, several, bare, bareEncoding] = (await best(
      async () => {
        for (let n = 0; n < books.length; n += BATCH) await log.append(books.slice(n, n + BATCH));
        return (appended += books.length) && books.length;
      },
      async () => {
        // Callers that do not wait for each other: what group commit is for.
        for (let n = 0; n < books.length; n += BATCH * 8)
          await Promise.all(
            Array.from({ length: 8 }, (_, index) =>
              log.append(books.slice(n + index * BATCH, n + (index + 1) * BATCH)),
            ),
          );
        return (piped += books.length) && books.length;
      },
      () => {
        for (let n = 0; n < encoded.length; n += BATCH) raw.append(encoded.slice(n, n + BATCH));
        return encoded.length;
      },
      () => {
        const type = avroTypeOf('BookObserved');
        for (let n = 0; n < books.length; n += BATCH)
          raw.append(
            books
              .slice(n, n + BATCH)
              .map((book) => ({ key: book.market, time: book.observedAt, value: type.toBuffer(book) })),
          );
        return books.length;
      },
    )) as [number, number, number, number];
    line(`append ${name}, batches of ${BATCH}`, one, bare, 'raw SQLite FULL of encoded bytes', ', aim ≥ 0.8');
    line(`append ${name}, 8 callers`, several, bare, 'the same', '');
    line(`append ${name}, batches of ${BATCH}`, one, bareEncoding, 'raw SQLite FULL with avsc encoding', '');
    await benchThread(folder, name, books, bare);
    await log.tidy();
    await benchRead(name, log, raw);
    await log.close();
    raw.close();
  });
}

/** The recorder's thread: as fast over all, and how long the caller's loop was ever held up. */
async function benchThread(
  folder: string,
  name: string,
  books: readonly BookObserved[],
  bare: number,
): Promise<void> {
  const roles = ['writer', 'recorder'] as const;
  const logs = await Promise.all(
    roles.map((role) => openSqliteLog({ path: join(folder, `${role}.db`), role, upkeepMs: 200 })),
  );
  const longest = roles.map((): number[] => []);
  const busy = roles.map((): number[] => []);
  const rates = await best(
    ...logs.map((log, index) => async () => {
      const loop = monitorEventLoopDelay({ resolution: 1 });
      loop.enable();
      const before = performance.eventLoopUtilization();
      for (let n = 0; n < books.length; n += BATCH) await log.append(books.slice(n, n + BATCH));
      loop.disable();
      busy[index]!.push((performance.eventLoopUtilization(before).active * 1_000) / books.length);
      longest[index]!.push(loop.max / 1e6);
      return books.length;
    }),
  );
  line(`append ${name}, recorder's thread`, rates[1]!, bare, 'raw SQLite FULL of encoded bytes', '');
  const median = (values: number[]): string => values.sort((a, b) => a - b)[values.length >> 1]!.toFixed(1);
  for (const [index, role] of roles.entries())
    console.log(
      `the loop of a ${role} while it appends and packs: longest hold ${median(longest[index]!)} ms, ` +
        `${median(busy[index]!)} µs an event`,
    );
  for (const log of logs) await log.close();
}

async function benchRead(name: string, log: SqliteLog, raw: RawLog): Promise<void> {
  const from = await positionsFromBeginning(log, ['venueb']);
  const type = avroTypeOf('BookObserved');
  const limit = EVENTS;
  const records = async (): Promise<number> => {
    let count = 0;
    for await (const batch of log.read({ from })) if ((count += batch.records.length) >= limit) break;
    return count;
  };
  const events = async (): Promise<number> => {
    let count = 0;
    for await (const batch of readEvents(log, { from })) if ((count += batch.length) >= limit) break;
    return count;
  };
  const bare = async (): Promise<number> => {
    let count = 0;
    for await (const batch of log.read({ from })) {
      for (const record of batch.records) type.fromBuffer((record.value as Buffer).subarray(5));
      if ((count += batch.records.length) >= limit) break;
    }
    return count;
  };
  const [read, decoded, bareDecoded, rawRead] = (await best(records, events, bare, () =>
    raw.read(limit),
  )) as [number, number, number, number];
  line(`read ${name}`, read, rawRead, 'raw SQLite rows', '');
  line(`read ${name}, decoded`, decoded, bareDecoded, 'log read + avsc decode', ', aim ≥ 0.7');
}

type RawRecord = { readonly key: string; readonly time: number; readonly value: Uint8Array };
type RawLog = {
  readonly append: (records: readonly RawRecord[]) => void;
  readonly read: (limit: number) => number;
  readonly close: () => void;
};

/** One row a record, one transaction a batch, a full wait for the disk each: nothing else. */
function rawLog(path: string): RawLog {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE log (id INTEGER PRIMARY KEY, key TEXT, time INTEGER, value BLOB)`);
  const insert = db.prepare('INSERT INTO log (key, time, value) VALUES (?, ?, ?)');
  const all = db.prepare('SELECT id, key, time, value FROM log ORDER BY id LIMIT ?');
  return {
    append(records) {
      db.exec('BEGIN IMMEDIATE');
      for (const record of records) insert.run(record.key, record.time, record.value);
      db.exec('COMMIT');
    },
    read(limit) {
      let count = 0;
      for (const _ of all.iterate(limit)) count++;
      return count;
    },
    close: () => db.close(),
  };
}

async function benchStorage(books: readonly BookObserved[], avro: number): Promise<void> {
  await inFolder(async (folder) => {
    const path = join(folder, 'log.db');
    const log = await openSqliteLog({ path, upkeepMs: 0 });
    for (let n = 0; n < books.length; n += BATCH) await log.append(books.slice(n, n + BATCH));
    const loose = bodies(path) / books.length;
    await log.tidy();
    const packed = bodies(path) / books.length;
    await log.close();
    const db = new DatabaseSync(path);
    db.exec('VACUUM');
    db.close();
    const file = statSync(path).size / books.length;
    console.log(
      `bytes per observation: Avro ${avro.toFixed(0)}; batches as appended (${BATCH}) ${loose.toFixed(1)}; ` +
        `packed ${packed.toFixed(1)}; file ${file.toFixed(1)}`,
    );
  });
}

function bodies(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true });
  const { bytes } = db.prepare('SELECT sum(bytes) AS bytes FROM batches').get() as { bytes: number };
  db.close();
  return bytes;
}
