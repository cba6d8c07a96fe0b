// Whatever a strategy, a query or a client does, it cannot hold up a stamp: they run where nothing is recorded.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';

import { eventually, ladderlog, launch } from '../harness/ladderlog.ts';
import type { Load } from '../harness/load/load.ts';
import { startLoad } from '../harness/load/load.ts';
import { cpuSeconds, processState } from '../harness/processes.ts';
import { observations, recordedEvents, recordedGaps } from '../harness/recorded.ts';
import type { RunningUp } from '../harness/up.ts';
import { startUp } from '../harness/up.ts';

const RATE = 100;
/** Books that come in while all of them do their worst: many seconds' worth. */
const MEANWHILE = 15 * RATE;
/** What is held up by them would be for as long as they go on; a busy machine delays a stamp by much less. */
const LATEST_MS = 5_000;

let load: Load;
let up: RunningUp;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ladderlog-hostile-'));
  load = await startLoad();
  up = await startUp({
    args: ['--venues', 'venueb,venuec', '--sql-port', '0', '--log-level', 'error'],
    env: { ...load.env, LADDERLOG_STAMP_LIMIT_MS: String(LATEST_MS) },
  });
  load.rate(RATE);
  await recordedAtLeast(RATE);
}, 200_000);

afterAll(async () => {
  await up?.remove();
  await load?.close();
  rmSync(folder, { recursive: true, force: true });
});

const recorded = async (): Promise<number> =>
  Object.values(await observations(up.data)).reduce((sum, count) => sum + count, 0);

const recordedAtLeast = (count: number): Promise<number> =>
  eventually(`${count} books`, recorded, (found) => found >= count);

/** Never comes back from its first book. */
const ENDLESS = `export default { name: 'endless', onBook() { for (;;); } };`;

const STATEMENTS = [
  'SELECT sum(sipHash64(number)) FROM numbers(100000000000)',
  "SELECT max(editDistance(repeat('a', 60000), repeat('b', 60000))) FROM numbers(100)",
  'SELECT count() FROM v_levels AS a CROSS JOIN v_levels AS b WHERE a.size > b.size',
];

/** Asks for all history, takes nothing of it, and talks nonsense. */
async function rudeClient(key: string): Promise<WebSocket> {
  const socket = new WebSocket(`${up.url.replace('http', 'ws')}/v3/stream`, {
    headers: { authorization: `Bearer ${key}` },
  });
  socket.on('error', () => undefined);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.pause();
  for (let n = 0; n < 8; n++)
    socket.send(JSON.stringify({ type: 'subscribe', id: `s${n}`, from: { time: '2020-01-01T00:00:00Z' } }));
  for (let n = 0; n < 4; n++) socket.send('x'.repeat(60_000));
  return socket;
}

test(
  'a hostile strategy, hostile queries and hostile clients delay no stamp',
  { timeout: 600_000 },
  async () => {
    const issued = await ladderlog([
      'keys',
      'issue',
      '--plan',
      'desk',
      '--name',
      'rude',
      '--json',
      '--data',
      up.data,
    ]);
    const { key } = JSON.parse(issued.stdout) as { key: string };
    const began = Date.now() * 1_000;
    const file = join(folder, 'endless.ts');
    writeFileSync(file, ENDLESS);
    const range = ['--venue', 'venueb', '--from', '2020-01-01T00:00:00Z', '--to', '2100-01-01T00:00:00Z'];
    const strategy = launch(['backtest', file, ...range, '--data', up.data]);
    const hangUp = new AbortController();
    const asked = STATEMENTS.map((body) =>
      fetch(up.sqlUrl!, { method: 'POST', body, signal: hangUp.signal }).then(
        (answer) => answer.text(),
        () => '',
      ),
    );
    const clients = await Promise.all(Array.from({ length: 10 }, () => rudeClient(key)));
    try {
      await recordedAtLeast((await recorded()) + MEANWHILE);
      expect(processState(strategy.pid)).toBe('running');
      expect(cpuSeconds(strategy.pid)).toBeGreaterThan(1);
    } finally {
      await strategy.kill();
      hangUp.abort();
      for (const client of clients) client.terminate();
    }
    await Promise.all(asked);
    expect(await recordedGaps(up.data)).toEqual([]);
    const delays = (await recordedEvents(up.data, ['BookObserved'])).flatMap(({ observedAt, sourceTs }) =>
      observedAt < began || sourceTs === null ? [] : [(observedAt - sourceTs) / 1_000],
    );
    expect(delays.length).toBeGreaterThanOrEqual(MEANWHILE);
    expect(delays.reduce((most, delay) => Math.max(most, delay), 0)).toBeLessThan(LATEST_MS);
  },
);
