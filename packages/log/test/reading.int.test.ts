import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventType } from '@ladderlog/core';
import type { SqliteLog } from '@ladderlog/log';
import { LogRecord, openSqliteLog, positionsAtEnd, positionsFromBeginning, readEvents } from '@ladderlog/log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { allEvents, books, FULL_EVENTS } from '../../../test/harness/log-events.ts';
import { decodeBatch } from '../src/reading.ts';
import { firstBatch } from '../../../test/harness/log-reading.ts';

let folder: string;
let log: SqliteLog;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ladderlog-reading-'));
  log = await openSqliteLog({ path: join(folder, 'log.db') });
});
afterEach(async () => {
  await log.close();
  await rm(folder, { recursive: true, force: true });
});

test('only the wanted types are given, and batches without any are left out', async () => {
  await log.append([...allEvents(), ...books(0, 20)]);
  const types = new Set<EventType>(['GapOpened', 'GapClosed']);
  const given: string[] = [];
  for await (const batch of readEvents(log, { from: await positionsFromBeginning(log, ['venueb']), types })) {
    expect(batch.length).toBeGreaterThan(0);
    for (const one of batch) given.push(one.event!.type);
  }
  expect(given.sort()).toEqual(['GapClosed', 'GapClosed', 'GapOpened', 'GapOpened']);
});

test('a record that is no event of ours is given with its position and the reason', async () => {
  await log.append([FULL_EVENTS.KeyIssued]);
  const batch = (await firstBatch(log.read({ from: await positionsFromBeginning(log, ['control']) })))!;
  const { offset, key, time } = batch.records[0]!;
  const value = new Uint8Array([7, 7, 7]);
  const foreign = new LogRecord(log.codec, { offset, key, time, value, fault: null });
  const [one] = decodeBatch({ ...batch, records: [foreign] }, new Set<EventType>(['KeyIssued']));
  expect(one).toMatchObject({
    event: null,
    position: { topic: 'control', partition: batch.partition, offset: 0 },
    error: { code: 'CODEC_FOREIGN_BYTES' },
  });
});

test('a reader that begins at the ends sees only what is new', async () => {
  await log.append(books(0, 30));
  const abort = new AbortController();
  const from = await positionsAtEnd(log, ['venueb']);
  const append = log.append(books(30, 31));
  const seen: number[] = [];
  for await (const batch of readEvents(log, { from, follow: true, signal: abort.signal })) {
    for (const one of batch) seen.push((one.event as { ordinal: number }).ordinal);
    abort.abort();
  }
  await append;
  expect(seen).toEqual([30]);
});

test('positions of a topic that does not exist are refused', async () => {
  await expect(positionsFromBeginning(log, ['nowhere'])).rejects.toMatchObject({ code: 'LOG_UNKNOWN_TOPIC' });
});
