// A backup taken while everything runs, put back elsewhere, is the same recording; what is damaged or newer is refused.

import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Started } from '../harness/ladderlog.ts';
import { eventually, ladderlog, launch, readyFacts } from '../harness/ladderlog.ts';

const folder = mkdtempSync(join(tmpdir(), 'ladderlog-backup-'));
const data = join(folder, 'data');
const copy = join(folder, 'backup');
const restored = join(folder, 'restored');
let up: Started | null = null;

type Verified = {
  ok: boolean;
  events: number;
  upTo: { topic: string; partition: number; offset: number }[];
  tables: { table: string; rows: number; checksum: string }[];
};
type Manifest = { layout: number; files: { name: string; sha256: string }[] };

const ask = (path: string, sql: string): unknown => {
  const log = new DatabaseSync(path, { readOnly: true });
  try {
    return log.prepare(sql).get();
  } finally {
    log.close();
  }
};

const caughtUp = (url: string): Promise<number | null> =>
  eventually(
    'tables built from the log',
    async () => {
      const answer = await fetch(`${url}/v3/health`);
      const { data: health } = (await answer.json()) as {
        data: { checks: { projector: { lag: number | null } } };
      };
      return health.checks.projector.lag;
    },
    (lag) => lag === 0,
  );

const verify = async (directory: string): Promise<Verified> => {
  const { stdout, stderr } = await ladderlog(['verify', '--json', '--data', directory]);
  try {
    return JSON.parse(stdout) as Verified;
  } catch {
    throw new Error(`verify said: ${stdout} ${stderr}`);
  }
};

/** What the next start after a restore does. */
async function buildTables(directory: string): Promise<void> {
  const started = launch(['up', '--json', '--venues', 'none', '--port', '0', '--data', directory]);
  try {
    await caughtUp((await readyFacts<{ url: string }>(started)).url);
    expect((await started.interrupt()).code).toBe(0);
  } finally {
    await started.kill();
  }
}

const offsets = async (directory: string): Promise<Map<string, number>> => {
  const { stdout } = await ladderlog(['log', 'offsets', '--json', '--data', directory]);
  const rows = JSON.parse(stdout) as { topic: string; partition: number; end: number }[];
  return new Map(rows.map(({ topic, partition, end }) => [`${topic}/${partition}`, end]));
};

beforeAll(async () => {
  up = launch(['up', '--json', '--port', '0', '--data', data, '--log-level', 'warn']);
  const { url } = await readyFacts<{ url: string }>(up);
  await eventually(
    'something in the tables',
    async () => ((await (await fetch(`${url}/v3/overview`)).json()) as { data: { dataset: string }[] }).data,
    (rows) => rows.some(({ dataset }) => dataset === 'books'),
  );
});

afterAll(async () => {
  await up?.kill();
  rmSync(folder, { recursive: true, force: true });
});

test('a backup is taken while everything runs, with a manifest of its files', async () => {
  const taken = await ladderlog(['backup', copy, '--json', '--data', data]);
  expect(taken.code).toBe(0);
  const manifest = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8')) as Manifest;
  expect(manifest.layout).toBe(1);
  expect(manifest.files.map(({ name }) => name)).toEqual(['log.sqlite', 'cursor-secret', 'VERSION']);
  expect(ask(join(copy, 'log.sqlite'), 'PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
  // A lease of the process that runs now would keep the next one waiting.
  expect(
    ask(join(copy, 'log.sqlite'), `SELECT count(*) AS tables FROM sqlite_schema WHERE name LIKE 'group%'`),
  ).toEqual({ tables: 0 });
  const again = await ladderlog(['backup', copy, '--data', data]);
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('not empty');
  expect((await up!.interrupt()).code).toBe(0);
});

test('restored elsewhere and started, it holds what was recorded up to the backup', async () => {
  const put = await ladderlog(['restore', copy, '--data', restored]);
  expect(put).toMatchObject({ code: 0, stdout: expect.stringContaining('restored') });
  const ends = await offsets(restored);
  const original = await offsets(data);
  for (const [partition, end] of ends) expect(original.get(partition)).toBeGreaterThanOrEqual(end);

  await buildTables(restored);
  const verified = await verify(restored);
  expect(verified.ok).toBe(true);
  for (const { topic, partition, offset } of verified.upTo)
    expect(offset).toBe(ends.get(`${topic}/${partition}`));
  expect(verified.tables.find(({ table }) => table === 'book_snapshots')!.rows).toBeGreaterThan(0);
});

test('two restores of one backup give the same tables, checksum for checksum', async () => {
  const other = join(folder, 'other');
  expect((await ladderlog(['restore', copy, '--data', other])).code).toBe(0);
  await buildTables(other);
  const [one, two] = [await verify(restored), await verify(other)];
  expect(two.tables).toEqual(one.tables);
});

test('a restore into a directory that holds something is refused', async () => {
  const refused = await ladderlog(['restore', copy, '--data', data]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('is not empty');
});

test('a damaged backup is refused and leaves nothing behind', async () => {
  const damaged = join(folder, 'damaged');
  cpSync(copy, damaged, { recursive: true });
  appendFileSync(join(damaged, 'log.sqlite'), 'x');
  const refused = await ladderlog(['restore', damaged, '--data', join(folder, 'from-damaged')]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('the backup is damaged');
  expect((await ladderlog(['restore', join(folder, 'nothing'), '--data', join(folder, 'x')])).code).toBe(2);
});

test('a backup or a data directory of a newer layout is refused, and nothing is changed', async () => {
  const newer = join(folder, 'newer');
  cpSync(copy, newer, { recursive: true });
  const path = join(newer, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  writeFileSync(path, JSON.stringify({ ...manifest, layout: manifest.layout + 1 }));
  const refused = await ladderlog(['restore', newer, '--data', join(folder, 'from-newer')]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('newer Ladderlog');

  writeFileSync(join(restored, 'VERSION'), '99\n');
  const started = await ladderlog(['up', '--venues', 'none', '--port', '0', '--data', restored]);
  expect(started.code).toBe(1);
  expect(started.stderr).toMatch(/newer Ladderlog.*nothing was changed/);
  expect(readFileSync(join(restored, 'VERSION'), 'utf8')).toBe('99\n');
});
