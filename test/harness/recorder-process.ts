// A recorder in a process of its own, which a test can stop: told over its channel what to record, how long to stand still, and
// when to end. It tells how it is doing.

import { collect } from '@ladderlog/collectors';
import type { Venue } from '@ladderlog/core';
import { VENUES } from '@ladderlog/core';
import { openSqliteLog } from '@ladderlog/log';
import { pino } from 'pino';

import { plansOf } from './capture.ts';

export type RecorderOrder =
  | {
      readonly type: 'record';
      readonly path: string;
      readonly stampLimitMs: number;
      /** Milliseconds by which the simulated time is ahead. */
      readonly aheadMs: number;
      readonly settings: Readonly<Record<Venue, Readonly<Record<string, string>>>>;
    }
  /** Nothing else runs for so long. */
  | { readonly type: 'block'; readonly ms: number }
  | { readonly type: 'end' };

export type RecorderReport = ReturnType<Awaited<ReturnType<typeof collect>>['status']>;

const stop = new AbortController();

async function record(order: Extract<RecorderOrder, { type: 'record' }>): Promise<void> {
  const wall = (): number => (Date.now() + order.aheadMs) * 1_000;
  const log = await openSqliteLog({ path: order.path });
  const simulators = { settings: (venue: Venue) => order.settings[venue] ?? {} };
  const timing = { quietMs: 600_000, compareMs: 500 };
  const collecting = await collect(
    {
      log,
      venues: plansOf(simulators, { venues: VENUES, timing }, () => wall() / 1_000),
      collector: 'stopped',
      logger: pino({ level: process.env['LADDERLOG_TEST_LOG'] ?? 'silent' }),
      beatMs: 300,
      clocks: { wall, monotonic: () => performance.now() },
      clockJumpMs: 20_000,
      backoff: { baseMs: 50, maxMs: 200 },
      stampLimitMs: order.stampLimitMs,
    },
    stop.signal,
  );
  const telling = setInterval(() => process.send?.(collecting.status()), 100);
  await collecting.done;
  clearInterval(telling);
  await log.close();
  process.disconnect();
}

process.on('message', (order: RecorderOrder) => {
  if (order.type === 'record') void record(order);
  else if (order.type === 'end') stop.abort();
  else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, order.ms);
});
