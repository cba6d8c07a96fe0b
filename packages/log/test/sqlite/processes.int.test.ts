// Several processes on one file: what one appends the others see, and a group's partitions move when a member dies.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SqliteLog } from '@ladderlog/log';
import { openSqliteLog, positionsFromBeginning, readEvents } from '@ladderlog/log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { books } from '../../../../test/harness/log-events.ts';
import { LogProcess } from '../../../../test/harness/log-process.ts';
import { Consumer, readAll } from '../../../../test/harness/log-reading.ts';

let folder: string;
let path: string;
let log: SqliteLog;
const children: LogProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ladderlog-processes-'));
  path = join(folder, 'log.db');
  log = await openSqliteLog({ path, heartbeatMs: 100, sessionMs: 1_500 });
});
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
  await log.close();
  await rm(folder, { recursive: true, force: true });
});
const start = (...parameters: ConstructorParameters<typeof LogProcess>): LogProcess => {
  const child = new LogProcess(...parameters);
  children.push(child);
  return child;
};

test('two processes and this one append at once; a follower here sees it all', async () => {
  const writers = [start('log-writer.ts', [path, 'a', '5']), start('log-writer.ts', [path, 'b', '5'])];
  const seen = new Map<string, number>();
  const abort = new AbortController();
  let own = 0;
  for await (const batch of readEvents(log, {
    from: await positionsFromBeginning(log, ['venueb']),
    follow: true,
    signal: abort.signal,
  })) {
    for (const one of batch) {
      if (one.error) throw one.error;
      const { session } = one.event as { session: string };
      seen.set(session, (seen.get(session) ?? 0) + 1);
    }
    if (own < 50) {
      await log.append(books(own, own + 10, { session: 'own' }));
      own += 10;
    }
    if (['a', 'b', 'own'].every((session) => (seen.get(session) ?? 0) >= 50)) abort.abort();
  }
  await Promise.all(writers.map((writer) => writer.kill()));
  const all = await readAll(log, ['venueb']);
  const next = new Map<number, number>();
  for (const { position } of all) {
    expect(position.offset).toBe(next.get(position.partition) ?? 0);
    next.set(position.partition, position.offset + 1);
  }
});

test('a killed member loses its partitions to the one that lives', async () => {
  const mine = new Consumer(log, { group: 'g', topics: ['venueb'], commit: true });
  await mine.owns(4);
  const child = start('log-member.ts', [path, 'g', '1500']);
  await mine.owns(2);
  await child.line((line) => line.includes('assigned'));
  await child.kill();
  await mine.owns(4);
  await log.append(books(0, 100, { markets: 40 }));
  await mine.saw(100);
  await mine.stop();
  expect(mine.ordinals()).toEqual(Array.from({ length: 100 }, (_, index) => index));
});

test('a member that died before the clock was set back holds nothing', async () => {
  // Makes the file of the groups.
  await log.committed('g', 'venueb');
  const db = new DatabaseSync(`${path}-groups`, { timeout: 30_000 });
  db.exec(`ATTACH '${path}' AS log`);
  db.prepare('INSERT INTO group_members VALUES (?, ?, ?, ?)').run(
    'g',
    'dead',
    '["venueb"]',
    Date.now() + 3_600_000,
  );
  db.exec(`INSERT INTO group_claims SELECT 'g', id, 'dead' FROM log.partitions WHERE topic = 'venueb'`);
  db.close();
  const mine = new Consumer(log, { group: 'g', topics: ['venueb'] });
  await mine.owns(4);
  await log.append(books(0, 100, { markets: 40 }));
  await mine.saw(100);
  await mine.stop();
  expect(mine.ordinals()).toHaveLength(100);
});

test('a member that slept while its partition moved is told so before it writes', async () => {
  await log.append(books(0, 100, { markets: 40 }));
  const child = start('log-member.ts', [path, 'g', '1500']);
  await child.line((line) => line.includes('began'));
  child.child.kill('SIGSTOP');
  const mine = new Consumer(log, { group: 'g', topics: ['venueb'], commit: true });
  // Its lease runs out, then all four are ours.
  await mine.owns(4);
  await mine.saw(100);
  const told = child.lines.length;
  child.child.kill('SIGCONT');
  const line = await child.line((text) => text.includes('after'), told);
  expect(JSON.parse(line)).toMatchObject({ before: false, after: true });
  await mine.stop();
});
