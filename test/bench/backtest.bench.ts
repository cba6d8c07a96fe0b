// Backtest, native replay and audit over one imported recording of venue C, against the bare reading of the same log.

import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { importFile } from '@ladderlog/collectors';
import type { Strategy } from '@ladderlog/core';
import { framesTopic } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { openSqliteLog, positionsFromBeginning, readEvents } from '@ladderlog/log';
import { runAudit, runBacktest, startNativeReplay } from '@ladderlog/replay';
import { WebSocket } from 'ws';

const FRAMES = Number(process.env['LADDERLOG_BENCH_EVENTS'] ?? 40_000);
const TOKENS = 20;
const LEVELS = 20;
const BEGIN_MS = 1_794_700_800_000;

const market = (token: number): string => `0x${String(token).padStart(64, '0')}`;
const level = (price: number, size: number) => ({ price: (price / 100).toFixed(2), size: String(size) });

function frameAt(n: number): object {
  const token = n % TOKENS;
  const base = { market: market(token), timestamp: String(BEGIN_MS + n) };
  if (n < TOKENS)
    return {
      event_type: 'book',
      asset_id: String(1_000 + token),
      ...base,
      bids: Array.from({ length: LEVELS }, (_, at) => level(30 + at, 100 + at)),
      asks: Array.from({ length: LEVELS }, (_, at) => level(70 - at, 100 + at)),
    };
  const side = n % 2 === 0 ? 'BUY' : 'SELL';
  const price = side === 'BUY' ? 30 + (n % LEVELS) : 51 + (n % LEVELS);
  const change = { asset_id: String(1_000 + token), ...level(price, 50 + (n % 97)), side };
  return { event_type: 'price_change', ...base, price_changes: [change] };
}

async function record(folder: string): Promise<EventLog> {
  const file = join(folder, 'recording.jsonl');
  const out = createWriteStream(file);
  for (let n = 0; n < FRAMES; n++) {
    const line = {
      venue: 'venuec',
      channel: 'ws',
      received_at: BEGIN_MS + n,
      frame: JSON.stringify(frameAt(n)),
    };
    if (!out.write(`${JSON.stringify(line)}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
  const log = await openSqliteLog({ path: join(folder, 'log.sqlite') });
  await importFile({ log, file });
  return log;
}

/** The best of three, per second of processor time: others may be at work on the machine. */
async function rate(count: () => Promise<number>): Promise<number> {
  let best = 0;
  for (let round = 0; round < 3; round++) {
    const began = process.cpuUsage();
    const done = await count();
    const { user, system } = process.cpuUsage(began);
    best = Math.max(best, (done / (user + system)) * 1e6);
  }
  return best;
}

const range = { from: BEGIN_MS * 1_000, to: (BEGIN_MS + FRAMES) * 1_000 };

async function readRaw(log: EventLog, topic: string): Promise<number> {
  let count = 0;
  for await (const { records } of log.read({ from: await positionsFromBeginning(log, [topic]) }))
    count += records.length;
  return count;
}

async function readDecoded(log: EventLog, topic: string): Promise<number> {
  let count = 0;
  for await (const events of readEvents(log, { from: await positionsFromBeginning(log, [topic]) }))
    count += events.length;
  return count;
}

const idle: Strategy = { name: 'idle', onBook: () => {} };
const busy: Strategy = {
  name: 'busy',
  onBook(book, context) {
    if (context.random.below(10) !== 0) return;
    const held = context.position(book.market, book.outcome);
    const order = { market: book.market, outcome: book.outcome, size: 5_000_000 };
    context.send({ ...order, side: held > 20_000_000 ? 'sell' : 'buy' });
    context.send({ ...order, side: 'buy', limit: book.bidPrices[0]! });
  },
};

const backtest = (log: EventLog, strategy: Strategy) => async (): Promise<number> =>
  (await runBacktest({ log, strategy, venue: 'venuec', ...range, cash: 1e12, lookbackMs: 0, settleMs: 0 }))
    .result.events;

async function native(log: EventLog): Promise<number> {
  const server = await startNativeReplay({ log, venue: 'venuec', ...range, speed: 'max', lookbackMs: 0 });
  const socket = new WebSocket(server.urls['ws']!);
  let received = 0;
  socket.on('message', () => received++);
  await once(socket, 'open');
  const tokens = Array.from({ length: TOKENS }, (_, token) => String(1_000 + token));
  socket.send(JSON.stringify({ assets_ids: tokens, type: 'market' }));
  await once(socket, 'close');
  await server.close();
  return received;
}

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-bench-'));
  const log = await record(folder);
  try {
    const tape = framesTopic('venuec');
    const show = (name: string, value: number, against = '', base = 0): void =>
      console.log(
        `${name.padEnd(44)}${Math.round(value).toLocaleString('en').padStart(12)} /s${base > 0 ? `   ${(value / base).toFixed(2)} × ${against}` : ''}`,
      );
    console.log(
      `${FRAMES} frames, ${TOKENS} books of ${LEVELS}+${LEVELS} levels; rates per second of processor time`,
    );
    const rawFrames = await rate(() => readRaw(log, tape));
    const decodedFrames = await rate(() => readDecoded(log, tape));
    const decodedBooks = await rate(() => readDecoded(log, 'venuec'));
    show('raw log reads, frames', rawFrames);
    show('log reads decoded, frames', decodedFrames);
    show('log reads decoded, books', decodedBooks);
    show('backtest, idle strategy: events', await rate(backtest(log, idle)), 'decoded books', decodedBooks);
    show(
      'backtest, an order each fifth book: events',
      await rate(backtest(log, busy)),
      'decoded books',
      decodedBooks,
    );
    show('native replay to one client: frames', await rate(() => native(log)), 'raw log reads', rawFrames);
    const audit = await rate(async () => (await runAudit({ log, venue: 'venuec' })).frames);
    show('audit: frames', audit, 'raw log reads', rawFrames);
  } finally {
    await log.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
