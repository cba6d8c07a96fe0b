// Commands that only read a recording, in this process: what they refuse, and what they say where there is nothing.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { openSqliteLog } from '@ladderlog/log';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { FULL_EVENTS, bookAt } from '../../../test/harness/log-events.ts';
import { openDataDirectory } from '../src/data/data-directory.ts';
import { run } from '../src/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'ladderlog-reading-'));
const data = join(folder, 'data');
const example = 'packages/replay/examples/buy-below.ts';
const BEGIN = Date.parse('2026-11-15T00:00:00Z') * 1_000;
const RANGE = ['--from', '2026-11-15T00:00:00Z', '--to', '2026-11-15T00:00:10Z'];

async function record(directory: string): Promise<string> {
  const { log: path } = openDataDirectory(directory, pino({ level: 'silent' }));
  const log = await openSqliteLog({ path });
  await log.append([
    { ...FULL_EVENTS.MarketObserved, market: 'M', observedAt: BEGIN, closesAt: BEGIN + 900_000_000 },
    { ...bookAt(1), market: 'M', outcome: 'yes', observedAt: BEGIN + 1_000_000 },
  ]);
  await log.close();
  return path;
}

beforeAll(async () => {
  await record(data);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function ladderlog(directory: string, ...args: string[]) {
  const written = { out: '', err: '' };
  const keep = (name: 'out' | 'err') => (text: unknown) => {
    written[name] += String(text);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(keep('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(keep('err')),
  ];
  try {
    return { code: await run([...args, '--data', directory]), ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

test('a mistyped directory is not an empty recording, and is not made', async () => {
  const mistyped = join(folder, 'typo');
  for (const args of [
    ['log', 'ls'],
    ['audit', '--venue', 'venueb'],
    ['replay'],
    ['backtest', example, '--venue', 'venueb', ...RANGE],
  ])
    expect(await ladderlog(mistyped, ...args), `${args[0]}`).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is no recording in') as string,
    });
  expect(existsSync(mistyped)).toBe(false);
});

test('a choice of which nothing was recorded is not a success', async () => {
  for (const choice of [
    ['--market', 'none'],
    ['--asset', 'doge'],
    ['--from', '2027-01-01', '--to', '2027-01-02'],
  ])
    expect(await ladderlog(data, 'replay', ...choice), `${choice[0]}`).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('nothing of this choice') as string,
    });
  expect(await ladderlog(data, 'audit', '--venue', 'venuea')).toMatchObject({
    code: 1,
    err: expect.stringContaining('nothing was judged') as string,
  });
});

test('a wrong flag is named with its value, also one that could not be obeyed', async () => {
  const reversed = ['--from', '2026-11-16', '--to', '2026-11-15'];
  const backtest = ['backtest', example, '--venue', 'venueb', ...RANGE];
  const wrong: readonly (readonly [args: string[], words: string])[] = [
    [['replay', ...reversed], "--to '2026-11-15' is not after --from '2026-11-16'"],
    [['audit', '--venue', 'venueb', ...reversed], 'the range is empty'],
    [['log', 'cat', ...reversed], 'the range is empty'],
    [['audit', '--venue', 'venuex'], "--venue is 'venuex'"],
    [['audit', '--venue', 'venueb', '--from', 'soon'], "--from is 'soon'"],
    [['audit', '--venue', 'venueb', '--differences', 'all'], "--differences is 'all'"],
    [[...backtest, '--cash', 'much'], "--cash is 'much'"],
    [[...backtest, '--seed', '-1'], "--seed is '-1'"],
    [[...backtest, '--fee', 'odd'], "--fee is 'odd'"],
    [['replay', '--native', 'venueb', '--market', 'x', '--clock', 'source'], '--market, --clock'],
    [['replay', '--port', '0', '--format', 'frames'], '--format frames'],
  ];
  for (const [args, words] of wrong)
    expect(await ladderlog(data, ...args), `with ${args.join(' ')}`).toMatchObject({
      code: 2,
      err: expect.stringContaining(words) as string,
    });
});

test('flags that may be repeated do not swallow the strategy, and take commas', async () => {
  const flags = ['--venue=venueb', '--param', 'price=0.30', '--market', 'none,M'];
  const ran = await ladderlog(data, 'backtest', ...flags, example, '--json', ...RANGE);
  expect(ran).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(ran.out)).toMatchObject({ inputs: { params: { price: '0.30' } } });
  expect(ran.out).toContain('"none"');
});

test('records that cannot be read are told with exit code 3', async () => {
  const broken = join(folder, 'broken');
  const db = new DatabaseSync(await record(broken));
  db.exec('UPDATE batches SET body = zeroblob(length(body))');
  db.close();
  for (const args of [['audit', '--venue', 'venueb'], ['replay'], ['log', 'cat', 'venueb']])
    expect(await ladderlog(broken, ...args), `${args[0]}`).toMatchObject({ code: 3 });
});
