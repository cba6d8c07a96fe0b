// The timeline of a native replay, without sockets.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog, type SqliteLog } from '@ladderlog/log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FULL_EVENTS } from '../../../test/harness/log-events.ts';
import { Timeline } from '../src/native/timeline.ts';
import { Pace } from '../src/source/pace.ts';

const T0 = 1_780_000_000_000_000;
const FRAMES = 300;

let folder: string;
let log: SqliteLog;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ladderlog-timeline-'));
  log = await openSqliteLog({ path: join(folder, 'log.sqlite'), upkeepMs: 0 });
  const push = (n: number): Uint8Array =>
    new TextEncoder().encode(
      JSON.stringify({
        type: 'TOPIC',
        topic: 'web3_prediction_orderbook_7',
        data: `{"marketId":7,"n":${n}}`,
      }),
    );
  await log.append(
    Array.from({ length: FRAMES }, (_, n) => ({
      ...FULL_EVENTS.FrameCaptured,
      venue: 'venuea' as const,
      channel: 'ws',
      observedAt: T0 + n,
      ordinal: n,
      body: push(n),
    })),
  );
});
afterEach(async () => {
  await log.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a reader that stalls is waited for without spinning, and misses nothing', async () => {
  const timeline = await Timeline.open({ log, venue: 'venuea', from: T0, to: T0 + FRAMES }, new Pace('max'));
  let asked = 0;
  let backlog = Infinity;
  const stalled = Promise.withResolvers<number>();
  timeline.clients = {
    backlog() {
      // Twenty looks of a timer take a while; those of a loop take none.
      if (++asked === 20) stalled.resolve(performance.now());
      return backlog;
    },
  };
  const seen: string[] = [];
  const connection = timeline.source().connect((frame) => seen.push((frame as { data?: string }).data ?? ''));
  connection.watching!(new Set(['7']));
  const begun = performance.now();
  // Nineteen waits of 5 ms; a timer may be up to one millisecond early.
  expect((await stalled.promise) - begun).toBeGreaterThan(19 * 4);
  expect(seen.length).toBeLessThan(FRAMES);
  backlog = 0;
  await connection.ended;
  expect(seen).toEqual(Array.from({ length: FRAMES }, (_, n) => `{"marketId":7,"n":${n}}`));
  connection.close();
});
