// Audit, backtest and native replay read Kafka as they read the embedded log: the same events give the same answers, to the byte.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VenueEvent } from '@ladderlog/core';
import { VENUES, reportJson } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import { auditReport, runAudit, runBacktest, startNativeReplay } from '@ladderlog/replay';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import coinFlip from '../../packages/replay/examples/coin-flip.ts';
import type { TestCapture } from '../harness/capture.ts';
import { readAll, startCapture } from '../harness/capture.ts';
import { newPrefix, openTestLog, sharedKafka } from '../harness/kafka-log.ts';

const kafka = sharedKafka();

describe.skipIf(!kafka)('readers of the log, on Kafka and on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-readers-'));
  let kafkaLog: EventLog;
  let sqliteLog: EventLog;
  let capture: TestCapture;
  let events: VenueEvent[];

  const booksOf = (seen: readonly VenueEvent[], venue: string) =>
    seen.flatMap((event) => (event.type === 'BookObserved' && event.venue === venue ? [event] : []));

  beforeAll(async () => {
    kafkaLog = await openTestLog(kafka!, newPrefix());
    capture = await startCapture({ log: kafkaLog, timing: { compareMs: 500 } });
    await capture.until('books', (seen) => VENUES.every((venue) => booksOf(seen, venue).length > 100));
    for (const venue of VENUES) capture.simulators.inject({ venue, kind: 'disconnect', duration: 0.5 });
    await capture.until('a closed gap and books after it', (seen) =>
      VENUES.every(
        (venue) =>
          booksOf(seen, venue).length > 200 &&
          seen.some((event) => event.type === 'GapClosed' && event.venue === venue),
      ),
    );
    await capture.stop();
    // Partition by partition, so that each record keeps its offset too.
    events = await readAll(kafkaLog);
    sqliteLog = await openSqliteLog({ path: join(folder, 'log.sqlite') });
    for (let at = 0; at < events.length; at += 1_000) await sqliteLog.append(events.slice(at, at + 1_000));
  });
  afterAll(async () => {
    await capture?.close();
    await sqliteLog?.close();
    await kafkaLog?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(VENUES)('audit of %s', async (venue) => {
    const [one, other] = [
      auditReport(await runAudit({ log: kafkaLog, venue })),
      auditReport(await runAudit({ log: sqliteLog, venue })),
    ];
    expect(one).toEqual(other);
    expect(one.differences).toEqual([]);
    expect(one.match_rate).toBe(1);
  });

  test.each(VENUES)('backtest on %s', async (venue) => {
    const times = booksOf(events, venue).map(({ observedAt }) => observedAt);
    const range = { from: Math.min(...times), to: Math.max(...times) + 1 };
    const run = async (log: EventLog): Promise<string> =>
      reportJson(
        (await runBacktest({ log, strategy: coinFlip, venue, ...range, params: { every: '5' } })).report,
      );
    const report = await run(kafkaLog);
    // All but the name of the log: its positions, too.
    expect(report.replace('"kind": "kafka"', '"kind": "sqlite"')).toBe(await run(sqliteLog));
    expect((JSON.parse(report) as { fills: unknown[] }).fills.length).toBeGreaterThan(0);
  });

  test('native replay of venue C', async () => {
    const books = booksOf(events, 'venuec');
    const ids = [...new Set(books.map(({ outcome }) => outcome))];
    const heard = async (log: EventLog): Promise<string[]> => {
      const to = Math.max(...books.map(({ observedAt }) => observedAt)) + 1;
      const replay = await startNativeReplay({ log, venue: 'venuec', from: 0, to, speed: 'max' });
      const texts: string[] = [];
      const socket = new WebSocket(replay.urls['ws']!);
      socket.on('open', () => socket.send(JSON.stringify({ assets_ids: ids, type: 'market' })));
      socket.on('message', (data: Buffer) => void texts.push(data.toString('utf8')));
      await new Promise((resolve) => socket.on('close', resolve));
      await replay.close();
      return texts;
    };
    const texts = await heard(kafkaLog);
    expect(texts).toEqual(await heard(sqliteLog));
    expect(texts.length).toBeGreaterThan(100);
  });
});
