// docs/operations.md, "Rebuild and rollback": every line of it, on the embedded default, inside a running process and when nothing runs.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Finished, Started } from '../harness/ladderlog.ts';
import { eventually, ladderlog, launch, readyFacts } from '../harness/ladderlog.ts';

const folder = mkdtempSync(join(tmpdir(), 'ladderlog-tables-'));
const data = join(folder, 'data');
let up: Started | null = null;
let url: string;
let key: string;
let recordedAt: string;

type Generation = { generation: number; served: boolean; complete: boolean; rows: number };
type Page = { data: unknown[]; pagination: { next_cursor: string | null }; error?: { code: string } };

const command = (...args: string[]): Promise<Finished> => ladderlog([...args, '--data', data]);

async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await command(...args, '--json');
  expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}
const generations = (): Promise<Generation[]> => json('rebuild', '--list');
const served = async (): Promise<number> => (await generations()).find((one) => one.served)!.generation;

async function get<T>(path: string): Promise<T> {
  const answer = await fetch(`${url}/v3/${path}`, { headers: { authorization: `Bearer ${key}` } });
  return (await answer.json()) as T;
}
const health = () => get<{ data: { generation: number; checks: { projector: { lag: number } } } }>('health');

async function start(...args: string[]): Promise<void> {
  up = launch(['up', '--json', '--port', '0', '--log-level', 'warn', '--data', data, ...args]);
  ({ url, demoKey: key } = await readyFacts<{ url: string; demoKey: string }>(up));
}

async function end(): Promise<void> {
  expect((await up!.interrupt()).code).toBe(0);
  up = null;
}

const expectClean = async (): Promise<void> =>
  expect(await json('verify')).toMatchObject({ ok: true, differences: [] });

beforeAll(async () => {
  await start();
  await eventually(
    'books in the tables',
    async () => (await get<{ data: { dataset: string; available_until: string }[] }>('overview')).data,
    (rows) => rows.some(({ dataset }) => dataset === 'books'),
  );
  recordedAt = new Date().toISOString();
  // What follows needs no more than this: capture would only make a small machine slow.
  await end();
  await start('--venues', 'none');
});

afterAll(async () => {
  await up?.kill();
  rmSync(folder, { recursive: true, force: true });
});

test('a rebuild inside the running process is served when it is verified, and what was there stays', async () => {
  expect(await generations()).toMatchObject([{ generation: 1, served: true }]);
  const markets = await get<Page>('btc/markets?limit=1');
  const cursor = markets.pagination.next_cursor!;
  expect(cursor).not.toBeNull();
  expect(await json('rebuild')).toMatchObject({ generation: 2, previous: 1, verified: { ok: true } });
  await eventually('generation 2', health, ({ data: { generation } }) => generation === 2);
  const [before, now] = await generations();
  expect(before).toMatchObject({ generation: 1, served: false, complete: true });
  expect(before!.rows).toBeGreaterThan(0);
  expect(now).toMatchObject({ generation: 2, served: true, complete: true });
  // A page of another build would skip or repeat rows.
  const next = await get<Page>(`btc/markets?limit=1&cursor=${encodeURIComponent(cursor)}`);
  expect(next.error?.code).toBe('INVALID_CURSOR');
  await expectClean();
});

test('a rollback serves the generation before, which catches up with the log', async () => {
  expect(await json('rebuild', '--rollback')).toEqual({ generation: 1 });
  await eventually(
    'generation 1, caught up',
    health,
    ({ data: { generation, checks } }) => generation === 1 && checks.projector.lag < 1_000,
  );
  await expectClean();
  const none = await command('rebuild', '--rollback');
  expect(none).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no generation before 1') as string,
  });
  expect(await json('rebuild', '--rollback', '2')).toEqual({ generation: 2 });
  await expectClean();
});

test('the served generation cannot be dropped; another one is gone with its rows', async () => {
  const refused = await command('rebuild', '--drop', '2');
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('is served') as string });
  expect(await json('rebuild', '--drop', '1')).toEqual({ dropped: 1 });
  expect((await generations()).map(({ generation }) => generation)).toEqual([2]);
  expect((await command('rebuild', '--drop', 'first')).code).toBe(2);
});

test('--from a time projects what came after and copies the rest, also when nothing runs', async () => {
  await end();
  expect(await json('rebuild', '--from', recordedAt)).toMatchObject({
    generation: 3,
    previous: 2,
    verified: { ok: true },
  });
  expect(await served()).toBe(3);
  await expectClean();
  const bad = await command('rebuild', '--from', 'yesterday');
  expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining('--from') as string });
});

test('--from an offset takes it in every partition, also in those that end before it', async () => {
  for (const [index, offset] of ['1', '999999999'].entries())
    expect(await json('rebuild', '--from', offset)).toMatchObject({
      generation: 4 + index,
      previous: 3 + index,
      verified: { ok: true },
    });
});

test('without a store directory a start builds the tables from the log', async () => {
  const before = await json<{ tables: { table: string; checksum: string }[] }>('verify');
  rmSync(join(data, 'store'), { recursive: true });
  await start('--venues', 'none');
  await eventually(
    'all of the log in the tables',
    health,
    ({ data: { checks } }) => checks.projector.lag === 0,
  );
  await end();
  const after = await json<{ ok: boolean; tables: { table: string; checksum: string }[] }>('verify');
  expect(after.ok).toBe(true);
  expect(after.tables).toEqual(before.tables);
});

test('an export has all of the log, also what nothing has projected yet', async () => {
  const place = join(folder, 'imported');
  const recording = join(folder, 'recording.jsonl');
  const frame =
    '{"type":"orderbook_snapshot","sid":1,"seq":1,"msg":{"market_ticker":"KXTEST-1","market_id":"x","yes_dollars_fp":[["0.5000","1.00"]]}}';
  const line = { venue: 'venueb', channel: 'ws', received_at: '2026-05-15T09:17:05.873Z', frame };
  writeFileSync(recording, `${JSON.stringify(line)}\n`);
  expect((await ladderlog(['import', recording, '--data', place])).code).toBe(0);
  const out = join(folder, 'exported');
  const exported = await ladderlog(['export', '--format', 'ndjson', '--out', out, '--json', '--data', place]);
  expect(exported).toMatchObject({ code: 0 });
  const { files } = JSON.parse(exported.stdout) as { files: { dataset: string; rows: number }[] };
  expect(files.find(({ dataset }) => dataset === 'books')?.rows).toBe(1);
});
