// The server is killed again and again while books are written and a client follows: by the positions of what it has, the client
// goes on without a hole and without a duplicate.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamMessage } from '@ladderlog/core';
import { parsePosition } from '@ladderlog/core';
import { openSqliteLog } from '@ladderlog/log';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { keyText } from '../../packages/feed/test/harness.ts';
import { startFeedProcess } from '../harness/feed-process.ts';
import { bookAt } from '../harness/log-events.ts';
import { freePorts } from '../harness/ports.ts';

const FULL = process.env['LADDERLOG_FULL'] === '1';
const MESSAGES = FULL ? 100_000 : 5_000;
const KILLS = FULL ? 20 : 4;
const MARKETS = 23;

const folder = mkdtempSync(join(tmpdir(), 'ladderlog-resume-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A client as docs/stream.md describes it: it keeps the last seq of each partition, and resumes with them. */
class Follower {
  readonly got: string[] = [];
  readonly ordinals: number[] = [];
  private readonly places = new Map<string, string>();
  private socket: WebSocket | null = null;
  problem: string | null = null;

  connect(url: string): void {
    const socket = new WebSocket(url, { headers: { 'x-api-key': keyText('desk') } });
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('open', () =>
      socket.send(
        JSON.stringify({
          type: 'subscribe',
          venue: 'venueb',
          ...(this.places.size > 0 ? { from: { position: [...this.places.values()] } } : {}),
        }),
      ),
    );
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString('utf8')) as StreamMessage;
      if (message.type === 'subscribed' && this.places.size === 0)
        message.positions.forEach((seq) => this.keep(seq));
      else if (message.type === 'error' || message.type === 'skipped')
        this.problem ??= JSON.stringify(message);
      else if (message.type === 'book') {
        this.got.push(message.seq);
        this.ordinals.push(message.data.native.ordinal);
        this.keep(message.seq);
      }
    });
  }

  private keep(seq: string): void {
    this.places.set(seq.slice(0, seq.lastIndexOf('/')), seq);
  }

  close(): void {
    this.socket?.terminate();
  }
}

test(`${MESSAGES} messages over ${KILLS} kills`, { timeout: FULL ? 900_000 : 400_000 }, async () => {
  const path = join(folder, 'log.sqlite');
  const log = await openSqliteLog({ path });
  const [port] = await freePorts(1);
  let server = await startFeedProcess(path, port);
  const follower = new Follower();
  follower.connect(server.url);
  await expect.poll(() => follower['places'].size).toBe(4);

  const written: string[] = [];
  const writer = (async () => {
    for (let n = 0; n < MESSAGES; n += 50) {
      const events = Array.from({ length: Math.min(50, MESSAGES - n) }, (_, at) =>
        bookAt(n + at, { markets: MARKETS, levels: 5 }),
      );
      const positions = await log.append(events);
      written.push(...positions.map(({ topic, partition, offset }) => `${topic}/${partition}/${offset}`));
      await sleep(2);
    }
  })();

  for (let kill = 1; kill <= KILLS; kill++) {
    const until = (MESSAGES / (KILLS + 1)) * kill;
    while (written.length < MESSAGES && follower.got.length < until) await sleep(5);
    await server.kill();
    // Some are written while nobody serves.
    await sleep(50);
    server = await startFeedProcess(path, port);
    follower.close();
    follower.connect(server.url);
  }
  await writer;
  await expect
    .poll(() => follower.got.length, { timeout: 200_000, interval: 100 })
    .toBeGreaterThanOrEqual(MESSAGES);
  await sleep(200);
  follower.close();
  await server.kill();
  await log.close();

  expect(follower.problem).toBeNull();
  expect(follower.got).toHaveLength(MESSAGES);
  expect(new Set(follower.got)).toEqual(new Set(written));
  // In log order within each partition.
  const last = new Map<number, number>();
  for (const seq of follower.got) {
    const { partition, offset } = parsePosition(seq)!;
    expect(offset).toBe((last.get(partition) ?? -1) + 1);
    last.set(partition, offset);
  }
});
