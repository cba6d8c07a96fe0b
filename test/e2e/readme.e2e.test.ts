// Every command of the README, in shell blocks and in the text, is run as it stands, against a running `ladderlog up` with
// simulated venues, and must succeed; so is its Python. Only installing, testing and starting are not repeated here
// (test/e2e/one-command.e2e.test.ts does that).

import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { freePorts } from '../harness/ports.ts';
import { pythonWith } from '../harness/python.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'ladderlog-readme-'));
const run = promisify(execFile);

type Ready = { readonly url: string; readonly demoKey: string; readonly sqlUrl: string };
let child: ChildProcess | null = null;
let ready: Ready;

beforeAll(async () => {
  const args = [
    'packages/cli/src/main.ts',
    'up',
    '--json',
    '--data',
    join(folder, 'data'),
    '--port',
    '0',
    '--sql-port',
    String((await freePorts(1))[0]),
    '--log-level',
    'error',
  ];
  child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await new Promise<string[]>((resolve, reject) => {
    createInterface({ input: child!.stdout! }).once('line', (text) => resolve([text]));
    child!.once('exit', (code) => reject(new Error(`ladderlog up ended with ${code}`)));
  });
  ready = JSON.parse(line!) as Ready;
  // Until the tables show books of the market that the README asks about.
  const get = async (path: string): Promise<{ data: { market_id: string }[] }> =>
    (await (
      await fetch(`${ready.url}${path}`, { headers: { authorization: `Bearer ${ready.demoKey}` } })
    ).json()) as { data: { market_id: string }[] };
  const deadline = performance.now() + 200_000;
  for (;;) {
    const now = new Date().toISOString();
    const open = (await get(`/v3/venueb/markets?series=KXBTC15M&start_time=${now}&end_time=${now}&limit=1`))
      .data[0];
    if (open && (await get(`/v3/venueb/${open.market_id}/snapshots?limit=1`)).data.length > 0) break;
    if (performance.now() > deadline) throw new Error('no book of venue B');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
});

afterAll(async () => {
  if (child && child.exitCode === null) {
    const ended = new Promise((resolve) => child!.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const fenced = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text]) => text!);
const blocks = fenced('sh');
/** In the text; those with an ellipsis are for the reader to fill in. */
const inline = [...readme.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`(npx ladderlog [^`]+)`/g)].map(
  ([, text]) => text!,
);
const env = { ...process.env, LADDERLOG_DATA: join(folder, 'data'), LADDERLOG_LOG_LEVEL: 'error' };
const ladderlog = `"${process.execPath}" "${join(root, 'packages/cli/src/main.ts')}"`;
const elsewhere = (block: string): boolean => block.includes('npm ci');
const RECORDING =
  '{"venue":"venueb","channel":"ws","received_at":"2026-05-15T09:17:05.873Z","frame":"{\\"type\\":\\"orderbook_snapshot\\",\\"sid\\":1,\\"seq\\":1,\\"msg\\":{\\"market_ticker\\":\\"KXTEST-1\\",\\"market_id\\":\\"x\\",\\"yes_dollars_fp\\":[[\\"0.5000\\",\\"1.00\\"]]}}"}\n';

describe('the README', () => {
  test('has shell blocks to run', () => {
    expect(blocks.filter((block) => !elsewhere(block)).length).toBeGreaterThanOrEqual(4);
  });

  test('holds commands that work when pasted, one block after another', async () => {
    writeFileSync(join(folder, 'recording.jsonl.gz'), RECORDING);
    const script = blocks
      .filter((block) => !elsewhere(block))
      .join('\n')
      .replace(/^export KEY=.*$/m, `export KEY=${ready.demoKey}`)
      .replace(/^export URL=.*$/m, `export URL=${ready.url}`)
      .replaceAll('http://127.0.0.1:8123', ready.sqlUrl)
      .replaceAll('npx ladderlog', ladderlog);
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env,
      maxBuffer: 64 * 1024 * 1024,
    });
    expect(stdout).not.toContain('"error"');
    expect(stdout).toContain('"orderbook"');
    expect(stdout).toContain('covered_ratio');
    expect(stdout).toContain('manifest.json');
    expect(stdout).toMatch(/^venue[abc]\t\d+$/m);
    expect(stdout).toContain('1 frames, 1 books');
  });

  const whole = inline.filter((command) => !command.includes('…'));
  test('names commands in its text', () => {
    expect(whole.length).toBeGreaterThanOrEqual(5);
  });
  test.each(whole)('%s', async (command) => {
    const { stdout } = await run('bash', ['-c', command.replace('npx ladderlog', ladderlog)], {
      cwd: folder,
      env,
      maxBuffer: 64 * 1024 * 1024,
    });
    expect(stdout).not.toBe('');
  });

  // DuckDB is one package; the others are large, and fetched only for a full run.
  const python = fenced('python').map((text) => [/^import (\w+)/.exec(text)?.[1] ?? '', text] as const);
  test('reads its export with DuckDB, pandas and polars', () => {
    expect(python.map(([tool]) => tool)).toEqual(['duckdb', 'pandas', 'polars']);
  });
  const packages: Readonly<Record<string, readonly string[]>> = {
    duckdb: ['duckdb==2.0.0'],
    pandas: ['pandas==3.1.1', 'pyarrow==26.0.1'],
    polars: ['polars==2.1.0'],
  };
  const full = process.env['LADDERLOG_FULL'] === '1';
  test.for(python.filter(([tool]) => full || tool === 'duckdb'))(
    '%s reads the export',
    async ([tool, text], { skip }) => {
      const interpreter = await pythonWith(`parquet-${tool}`, packages[tool]!);
      if (interpreter === null) return skip();
      const { stdout } = await run(interpreter, ['-c', text], { cwd: folder });
      expect(stdout).toContain('KX');
    },
  );
});
