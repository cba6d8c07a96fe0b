// Clients that do not read beside clients that do: the server's memory stays bounded, those that read get everything.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog } from '@ladderlog/log';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { keyText } from '../../packages/feed/test/harness.ts';
import { startFeedProcess } from '../harness/feed-process.ts';
import { bookAt } from '../harness/log-events.ts';

const FULL = process.env['LADDERLOG_FULL'] === '1';
const STALLED = FULL ? 1_000 : 100;
const HEALTHY = FULL ? 100 : 10;
/** Of some 9 KB each: more than a socket's buffers and the soft cap together. */
const MESSAGES = FULL ? 2_000 : 1_500;

const folder = mkdtempSync(join(tmpdir(), 'ladderlog-stalled-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function connect(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { headers: { 'x-api-key': keyText('desk') }, perMessageDeflate: false });
  socket.on('error', () => {});
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.on('open', () => {
      socket.send(JSON.stringify({ type: 'subscribe', venue: 'venueb' }));
      resolve(socket);
    });
  });
}

test(`${STALLED} stalled beside ${HEALTHY} healthy`, { timeout: 600_000 }, async () => {
  const path = join(folder, 'log.sqlite');
  const log = await openSqliteLog({ path });
  const server = await startFeedProcess(path, 0, {
    clientsPerKey: 10_000,
    heartbeatMs: 600_000,
    stalledMs: 8_000,
    softBytes: 512 * 1024,
  });
  const got = Array.from({ length: HEALTHY }, () => 0);
  let skipped = 0;
  const sockets: WebSocket[] = [];
  for (let n = 0; n < HEALTHY; n++) {
    const socket = await connect(server.url);
    sockets.push(socket);
    socket.on('message', (data: Buffer) => {
      // `{"type":"book"` and `{"type":"skipped"`: parsing all of it here would be the load.
      if (data.subarray(9, 13).toString() === 'book') got[n]!++;
      else if (data.subarray(9, 16).toString() === 'skipped') skipped++;
    });
  }
  for (let n = 0; n < STALLED; n += 50)
    await Promise.all(
      Array.from({ length: Math.min(50, STALLED - n) }, async () => {
        const socket = await connect(server.url);
        socket.pause();
        sockets.push(socket);
      }),
    );
  await expect.poll(async () => (await server.counts()).clients).toBe(STALLED + HEALTHY);
  const before = await server.counts();

  for (let n = 0; n < MESSAGES; n += 20) {
    await log.append(Array.from({ length: 20 }, (_, at) => bookAt(n + at, { markets: 40, levels: 100 })));
    // The healthy ones set the pace of this test, as the venue does in life: never so far ahead that a slow machine would
    // make them look stalled (40 of 9 KB are less than the soft cap).
    while (Math.min(...got) < n - 20) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await expect.poll(() => Math.min(...got), { timeout: 120_000, interval: 50 }).toBe(MESSAGES);
  expect(Math.max(...got)).toBe(MESSAGES);
  expect(skipped).toBe(0);
  // Those that took nothing are closed with 1013, and only those.
  await expect
    .poll(async () => (await server.counts()).closed, { timeout: 120_000, interval: 200 })
    .toEqual({ 1013: STALLED });
  const after = await server.counts();
  const grown = (after.peakRss - before.rss) / 1024 / 1024;
  console.log(
    `${STALLED} stalled, ${HEALTHY} healthy: ${MESSAGES} messages each to the healthy, ${after.conflated} conflated; ` +
      `server ${(before.rss / 2 ** 20).toFixed(0)} MB before, ${(after.peakRss / 2 ** 20).toFixed(0)} MB at most`,
  );
  expect(after.conflated).toBeGreaterThan(0);
  // Queues hold references to shared frames; without a bound it would be messages × clients × 9 KB.
  expect(grown).toBeLessThan(300);
  for (const socket of sockets) socket.terminate();
  await server.kill();
  await log.close();
});
