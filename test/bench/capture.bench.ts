// Frame to durable event, batch path, against JSON.parse of the same frames alone; full-book frames and delta frames apart.
// Then what 1,000 markets cost: CPU per observation and memory.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import type { VenueAdapter } from '@ladderlog/core';
import { Capture, adapterOf } from '@ladderlog/core';
import { openSqliteLog } from '@ladderlog/log';

import { RECORDINGS } from '../harness/recordings.ts';

const venueA = adapterOf('venuea');
const venueB = adapterOf('venueb');
const venueC = adapterOf('venuec');

const BATCH = 1_000;

type Work = {
  readonly name: string;
  readonly adapter: VenueAdapter;
  readonly frames: readonly string[];
  readonly aim: string;
};

export async function run(): Promise<void> {
  for (const work of [
    fullBooks('venue A pushes, 40+40 levels', venueA, pushA),
    fullBooks('venue C books, 40+40 levels', venueC, bookC),
    deltas(),
  ])
    await measure(work);
  await thousandMarkets();
}

async function measure({ name, adapter, frames, aim }: Work): Promise<void> {
  const bodies = frames.map((text) => Buffer.from(text));
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0) / bodies.length;
  let parsed = 0;
  for (let round = 0; round < 2; round++) {
    const began = performance.now();
    for (const body of bodies) {
      const value = JSON.parse(body.toString()) as { data?: unknown };
      // Venue A's push is JSON within JSON.
      if (typeof value.data === 'string') JSON.parse(value.data);
    }
    parsed = Math.max(parsed, (frames.length / (performance.now() - began)) * 1_000);
  }
  let best = 0;
  let observations = 0;
  for (let round = 0; round < 3; round++) {
    const folder = mkdtempSync(join(tmpdir(), 'ladderlog-bench-'));
    const log = await openSqliteLog({ path: join(folder, 'log.sqlite'), upkeepMs: 0 });
    const session = new Capture({ adapter, collector: 'bench', provenance: 'captured' }).openSession('bench');
    observations = 0;
    const began = performance.now();
    let pending: Promise<unknown> = Promise.resolve();
    for (let at = 0; at < bodies.length; at += BATCH) {
      const events = [];
      for (let i = at; i < Math.min(at + BATCH, bodies.length); i++) {
        const body = bodies[i]!;
        const frame = {
          channel: 'ws',
          direction: 'in' as const,
          text: body.toString(),
          observedAt: 1_794_700_800_000_000 + i * 1_000,
          settings: {},
        };
        for (const event of session.frame(frame, body).events) {
          if (event.type === 'BookObserved') observations++;
          events.push(event);
        }
      }
      await pending;
      pending = log.append(events);
    }
    await pending;
    best = Math.max(best, (frames.length / (performance.now() - began)) * 1_000);
    await log.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const rate = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`;
  console.log(
    `${name}: ${frames.length} frames of ${Math.round(bytes)} bytes, ${observations} observations: ${rate(best)} frame to durable event, JSON.parse alone ${rate(parsed)}, ratio ${(best / parsed).toFixed(2)} (aim ${aim}), ${rate((best * observations) / frames.length)} observations`,
  );
}

const random = (seed: number) => () =>
  (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;

function fullBooks(
  name: string,
  adapter: VenueAdapter,
  frame: (next: () => number, at: number) => string,
): Work {
  const next = random(7);
  return { name, adapter, frames: Array.from({ length: 10_000 }, (_, at) => frame(next, at)), aim: '≥ 0.25' };
}

function levels(next: () => number, best: number, step: number): [string, string][] {
  return Array.from({ length: 40 }, (_, level) => [
    ((best + step * level) / 100).toFixed(2),
    (next() * 900 + 1).toFixed(2),
  ]);
}

function pushA(next: () => number, at: number): string {
  const book = {
    msgType: 'orderbook',
    marketId: 6815131 + (at % 20),
    updateTimestampMs: 1_794_700_800_000 + at,
    asks: levels(next, 51, 1),
    bids: levels(next, 49, -1),
  };
  return JSON.stringify({
    type: 'TOPIC',
    topic: `web3_prediction_orderbook_${book.marketId}`,
    data: JSON.stringify(book),
  });
}

function bookC(next: () => number, at: number): string {
  const side = (rows: [string, string][]) => rows.map(([price, size]) => ({ price, size })).reverse();
  return JSON.stringify({
    event_type: 'book',
    market: `0x${String(at % 20).padStart(64, '0')}`,
    asset_id: `7118396081070582095507141584488172818197034051489489694381204606545239501335${at % 20}`,
    timestamp: String(1_794_700_800_000 + at),
    hash: '0a1b2c3d4e5f60718293a4b5c6d7e8f901234567',
    bids: side(levels(next, 49, -1)),
    asks: side(levels(next, 51, 1)),
  });
}

/** Real deltas on books of about 100+100 levels where the recording is at hand, made-up ones otherwise. */
function deltas(): Work {
  const path = join(RECORDINGS, 'venue-b/ws_btc15m_run_20260515T0916.jsonl.gz');
  if (existsSync(path)) {
    const frames: string[] = [];
    for (const line of gunzipSync(readFileSync(path)).toString().split('\n')) {
      if (!line.includes('"orderbook_')) continue;
      const row = JSON.parse(line) as { event_type: string; sequence_number: number; payload_json: unknown };
      if (row.event_type !== 'orderbook_snapshot' && row.event_type !== 'orderbook_delta') continue;
      frames.push(
        JSON.stringify({ type: row.event_type, sid: 2, seq: row.sequence_number, msg: row.payload_json }),
      );
    }
    return {
      name: 'venue B deltas (recording)',
      adapter: venueB,
      frames: frames.slice(0, 40_000),
      aim: '≥ 20,000 observations/s',
    };
  }
  const next = random(3);
  const ladder = (): [string, string][] =>
    Array.from({ length: 99 }, (_, at) => [((at + 1) / 200).toFixed(4), (next() * 900 + 100).toFixed(2)]);
  const ticker = {
    market_ticker: 'KXBTC15M-26NOV141915-15',
    market_id: '9b0f6b43-5b68-4f9f-9f02-9a2d1b8ac1a1',
  };
  const frames = [
    JSON.stringify({
      type: 'orderbook_snapshot',
      sid: 2,
      seq: 1,
      msg: { ...ticker, yes_dollars_fp: ladder(), no_dollars_fp: ladder() },
    }),
  ];
  for (let seq = 2; seq < 40_000; seq++) {
    const price = ((Math.floor(next() * 99) + 1) / 200).toFixed(4);
    frames.push(
      JSON.stringify({
        type: 'orderbook_delta',
        sid: 2,
        seq,
        msg: {
          ...ticker,
          price_dollars: price,
          delta_fp: '1.00',
          side: seq % 2 ? 'yes' : 'no',
          ts_ms: 1_794_700_800_000 + seq,
        },
      }),
    );
  }
  return { name: 'venue B deltas (made up)', adapter: venueB, frames, aim: '≥ 20,000 observations/s' };
}

async function thousandMarkets(): Promise<void> {
  const perMarket = async (markets: number): Promise<{ micros: number; heap: number }> => {
    const session = new Capture({ adapter: venueC, collector: 'bench', provenance: 'captured' }).openSession(
      'bench',
    );
    const next = random(5);
    const frames: { text: string; body: Buffer }[] = [];
    for (let at = 0; at < 4_000; at++) {
      const text = bookC(next, at % 20)
        .replace(/"0x[0-9]{64}"/, `"0x${String(at % markets).padStart(64, '0')}"`)
        .replace(/501335[0-9]+"/, `5013${at % markets}"`);
      frames.push({ text, body: Buffer.from(text) });
    }
    globalThis.gc?.();
    const heap = process.memoryUsage().heapUsed;
    let began = 0;
    for (let round = 0; round < 2; round++) {
      began = performance.now();
      frames.forEach(
        ({ text, body }, at) =>
          void session.frame(
            {
              channel: 'ws',
              direction: 'in',
              text,
              observedAt: 1_794_700_800_000_000 + round * 1e7 + at,
              settings: {},
            },
            body,
          ),
      );
    }
    return {
      micros: ((performance.now() - began) / frames.length) * 1_000,
      heap: (process.memoryUsage().heapUsed - heap) / 1024 / 1024,
    };
  };
  const one = await perMarket(1);
  const thousand = await perMarket(1_000);
  console.log(
    `books of 1 market ${one.micros.toFixed(1)} µs a frame, of 1,000 markets ${thousand.micros.toFixed(1)} µs (ratio ${(thousand.micros / one.micros).toFixed(2)}, aim ≤ 1.2); heap after ${thousand.heap.toFixed(0)} MiB`,
  );
}
