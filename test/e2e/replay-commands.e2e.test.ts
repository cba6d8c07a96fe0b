// The commands as a person runs them, on a small imported recording: import, audit, backtest twice, and a native server that a
// plain WebSocket client reads.

import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';

const MAIN = 'packages/cli/src/main.ts';
const folder = mkdtempSync(join(tmpdir(), 'ladderlog-commands-'));
const data = join(folder, 'data');
const MARKET = `0x${'b'.repeat(64)}`;
const BEGIN = Date.parse('2026-11-15T00:00:00Z');
let server: ChildProcess | null = null;

type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

function ladderlog(...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [MAIN, ...args, '--data', data],
      { timeout: 60_000 },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
  });
}

const line = (ms: number, frame: object, session = 's1'): string =>
  JSON.stringify({
    venue: 'venuec',
    channel: 'ws',
    received_at: new Date(BEGIN + ms).toISOString(),
    session,
    frame: JSON.stringify(frame),
  });
const book = (ms: number, ask: string): object => ({
  event_type: 'book',
  market: MARKET,
  asset_id: '71',
  timestamp: String(BEGIN + ms),
  bids: [{ price: '0.20', size: '10' }],
  asks: [{ price: ask, size: '8' }],
});

beforeAll(async () => {
  const file = join(folder, 'recording.jsonl');
  const asks = ['0.50', '0.48', '0.45', '0.29', '0.35'];
  writeFileSync(file, asks.map((ask, at) => line(at * 1_000, book(at * 1_000, ask))).join('\n'));
  const imported = await ladderlog('import', file);
  if (!imported.stdout.includes('5 books')) throw new Error(`import failed: ${imported.stderr}`);
});
afterAll(() => {
  server?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const RANGE = ['--from', '2026-11-15T00:00:00Z', '--to', '2026-11-15T00:00:10Z'];

test('audit: everything matches, and a bad venue is a usage error', async () => {
  const audited = await ladderlog('audit', '--venue', 'venuec', '--json');
  expect(audited.code).toBe(0);
  expect(JSON.parse(audited.stdout)).toMatchObject({
    frames: 5,
    // Five books, and each but the first compared with the one before.
    judged: 9,
    matched: 9,
    match_rate: 1,
  });
  expect((await ladderlog('audit', '--venue', 'venuex')).code).toBe(2);
});

test('backtest: the fill is the one by hand, and twice the same bytes', async () => {
  const pages = [join(folder, 'one.html'), join(folder, 'two.html')];
  const example = 'packages/replay/examples/buy-below.ts';
  const run = (page: string) =>
    ladderlog(
      'backtest',
      example,
      '--venue=venuec',
      '--latency-ms=500',
      '--param=price=0.30',
      '--param=size=5',
      `--report-html=${page}`,
      '--json',
      ...RANGE,
    );
  const [first, second] = [await run(pages[0]!), await run(pages[1]!)];
  expect([first.code, first.stderr]).toEqual([0, '']);
  // Offered at 0.29 at second 3; the order arrives at 3.5 on the same book: 5 × 0.29 = 1.45.
  const report = JSON.parse(first.stdout) as { fills: object[]; versions: { strategy_sha256: string } };
  expect(report.fills).toMatchObject([
    { time: '2026-11-15T00:00:03.500Z', price: 0.29, size: 5, amount: 1.45, book_age_ms: 500 },
  ]);
  expect(report.versions.strategy_sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(second.stdout).toBe(first.stdout);
  expect(readFileSync(pages[1]!, 'utf8')).toBe(readFileSync(pages[0]!, 'utf8'));
});

test('backtest: nothing recorded, no strategy, wrong usage', async () => {
  const example = 'packages/replay/examples/coin-flip.ts';
  const later = ['--from', '2027-01-01', '--to', '2027-01-02'];
  const none = await ladderlog('backtest', example, '--venue', 'venuec', ...later);
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('no market of this choice')]);
  expect((await ladderlog('backtest', 'missing.ts', '--venue', 'venuec', ...RANGE)).code).toBe(2);
  expect((await ladderlog('backtest', example, '--venue', 'venuec', ...RANGE, '--fee', 'odd')).code).toBe(2);
});

test('an output that was cut short by an interrupt is not a success; a tail is there to be interrupted', async () => {
  const interrupted = async (...args: string[]): Promise<unknown> => {
    const child = spawn(process.execPath, [MAIN, ...args, '--data', data], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    server = child;
    await once(createInterface({ input: child.stdout }), 'line');
    child.kill('SIGINT');
    return once(child, 'exit');
  };
  // The second book is due in a quarter of an hour.
  expect(await interrupted('replay', '--venue', 'venuec', '--speed', '0.001')).toEqual([130, null]);
  expect(await interrupted('log', 'tail', 'venuec', '--from', '2026-11-15')).toEqual([0, null]);
});

test('replay --native: a client of the venue gets the recorded books, then the end', async () => {
  server = spawn(
    process.execPath,
    [MAIN, 'replay', '--native', 'venuec', '--speed', 'max', '--json', '--data', data, ...RANGE],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [ready] = (await once(createInterface({ input: server.stdout! }), 'line')) as [string];
  const { urls } = JSON.parse(ready) as { urls: { ws: string; clob: string } };
  const socket = new WebSocket(urls.ws);
  const texts: string[] = [];
  socket.on('message', (message: Buffer) => void texts.push(message.toString('utf8')));
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'market', assets_ids: ['71'] }));
  const [code] = (await once(socket, 'close')) as [number];
  expect(code).toBe(1000);
  expect(texts).toEqual(
    ['0.50', '0.48', '0.45', '0.29', '0.35'].map((ask, at) => JSON.stringify(book(at * 1_000, ask))),
  );
  server.kill('SIGINT');
  expect(await once(server, 'exit')).toEqual([0, null]);
});
