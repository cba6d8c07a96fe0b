// What a newcomer does: clone, `npm start`, paste the lines it prints, Ctrl-C, start again.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Started } from '../harness/ladderlog.ts';
import { soak } from '../soak.ts';
import { REPOSITORY, cleanEnv, eventually, launch } from '../harness/ladderlog.ts';
import { linkDependencies } from '../harness/tree-copy.ts';

const run = promisify(execFile);
const full = process.env['LADDERLOG_FULL'] === '1';

type Answer = {
  readonly data: never;
  readonly pagination?: { readonly count: number };
  readonly meta?: { readonly coverage?: { readonly covered_ratio: number | null } };
  readonly error?: { readonly code: string };
};

type Ladders = Readonly<Record<string, readonly number[]>>;

/** Of both sides: near its end a market may have one only. */
const levels = (ladders: Ladders, ...sides: string[]): number =>
  sides.reduce((sum, side) => sum + ladders[side]!.length, 0);

let folder: string;
let clone: string;
let data: string;
let up: Started | null = null;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ladderlog-clone-'));
  clone = join(folder, 'clone');
  data = join(folder, 'data');
  await run('git', ['clone', '--quiet', '--depth', '1', `file://${REPOSITORY}`, clone]);
  if (full) await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: clone, env: cleanEnv() });
  else linkDependencies(clone);
}, 600_000);

afterAll(async () => {
  await up?.kill();
  rmSync(folder, { recursive: true, force: true });
});

const start = (): Started =>
  launch(['--', '--port', '0', '--data', data], { cwd: clone, program: ['npm', 'start'] });

/** The lines that `up` prints to be pasted, as one shell runs them, each with what it printed. */
async function paste(welcome: string): Promise<{ line: string; printed: string }[]> {
  const lines = welcome
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^(export |[A-Z]+=\$|curl )/.test(line));
  const script = join(folder, 'paste.sh');
  writeFileSync(script, lines.map((line) => `${line}\nprintf '\\001'`).join('\n'));
  const { stdout } = await run('bash', [script], { maxBuffer: 64 * 1024 * 1024, env: cleanEnv() });
  const printed = stdout.split('\u0001');
  return lines.map((line, n) => ({ line, printed: printed[n] ?? '' }));
}

test('npm start serves books within seconds, and every line it prints works when pasted', async () => {
  up = start();
  await up.says(/Ctrl-C ends it/);
  const welcome = up.stdout();
  expect(welcome).toMatch(/venues +SIMULATED/);
  expect(welcome).toMatch(/export KEY=ll_\w+/);
  const pasted = await eventually(
    'answers with data to every line',
    () => paste(welcome),
    (lines) =>
      lines
        .filter(({ line }) => line.startsWith('curl') && !line.includes('/gaps?'))
        .every(({ printed }) => {
          const { data: found } = JSON.parse(printed) as Answer;
          return found !== undefined && (!Array.isArray(found) || (found as unknown[]).length > 0);
        }),
  );
  const answerTo = (part: string): Answer => {
    const match = pasted.find(({ line, printed }) => line.includes(part) && printed !== '');
    if (!match) throw new Error(`no pasted line has '${part}'`);
    return JSON.parse(match.printed) as Answer;
  };
  expect((answerTo('/btc/markets?').data as unknown[]).length).toBeGreaterThanOrEqual(2);
  const latest = answerTo('/orderbook/latest').data as { orderbook: Ladders }[];
  expect(latest).toHaveLength(2); // one book an outcome
  expect(levels(latest[0]!.orderbook, 'bid_prices', 'ask_prices')).toBeGreaterThan(0);
  const snapshots = answerTo('/snapshots?include_orderbook=true').data as { orderbook: Ladders }[];
  expect(snapshots).toHaveLength(2);
  expect(levels(snapshots[0]!.orderbook, 'yes_prices', 'no_prices')).toBeGreaterThan(0);
  expect(answerTo('/coverage?')).toMatchObject({ data: { market_id: expect.stringMatching(/^KXBTC15M-/) } });
  expect(answerTo('/timeseries?metric=chance').data).not.toHaveLength(0);
  expect(answerTo('/gaps?').error).toBeUndefined();
  expect(answerTo('/overview').data).not.toHaveLength(0);
});

let before: { table: string; rows: number }[];

test('verify is clean inside the running process', async () => {
  const { stdout } = await command('verify', '--json');
  const result = JSON.parse(stdout) as { ok: boolean; tables: { table: string; rows: number }[] };
  expect(result.ok).toBe(true);
  before = result.tables;
  expect(before.find(({ table }) => table === 'book_snapshots')!.rows).toBeGreaterThan(0);
});

test('a second start on the same data is refused with a clear message and exit code 4', async () => {
  const second = await launch(['up', '--port', '0', '--data', data], { cwd: clone }).ended;
  expect(second.code).toBe(4);
  expect(second.stderr).toMatch(/in use|already/i);
  expect(second.stderr).toContain(data);
});

test('Ctrl-C ends it cleanly', async () => {
  const { code, stdout, tookMs } = await up!.interrupt();
  // Where sh does not give way to its command, it ends by the signal, and npm with it.
  expect([0, null]).toContain(code);
  expect(stdout).toContain('ended cleanly');
  // Ten seconds by itself; beside other tests, on whatever machine there is, only what hangs is wrong.
  expect(tookMs).toBeLessThan(full ? 10_000 : 60_000);
});

test('a restart keeps all data and goes on', async () => {
  up = launch(['up', '--port', '0', '--data', data], { cwd: clone });
  await up.says(/Ctrl-C ends it/);
  const { stdout } = await command('verify', '--json');
  const after = JSON.parse(stdout) as { ok: boolean; tables: { table: string; rows: number }[] };
  expect(after.ok).toBe(true);
  for (const { table, rows } of before)
    expect(after.tables.find((found) => found.table === table)!.rows).toBeGreaterThanOrEqual(rows);
  const pasted = await paste(up.stdout());
  expect(pasted.some(({ line, printed }) => line.includes('/snapshots?') && printed.includes('"data"'))).toBe(
    true,
  );
  expect((await up.interrupt()).code).toBe(0);
});

test('a short soak with faults and a kill: tables and audit clean, every gap explained, every fault noticed', async () => {
  const report = await soak(full ? 30 : 0.75);
  expect(report.problems).toEqual([]);
  expect(report.judgement.faults.length).toBeGreaterThan(0);
  expect(report.observations).toBeGreaterThan(0);
}, 2_400_000);

function command(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return run(process.execPath, [join(clone, 'packages/cli/src/main.ts'), ...args, '--data', data], {
    cwd: clone,
    env: cleanEnv(),
    maxBuffer: 64 * 1024 * 1024,
  });
}
