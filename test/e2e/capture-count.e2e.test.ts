// Nothing is dropped: every frame the venues sent is in the log, or lies inside a recorded gap of its market; and every book
// on a frame in the log left an observation, or lies in a gap. Counted, not sampled; with faults, and with a SIGKILL of the
// collector in the middle. The collector is the real command in a process of its own; the venues are the simulators, which
// remember what they sent.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Venue, VenueEvent } from '@ladderlog/core';
import { VENUES } from '@ladderlog/core';
import { openSqliteLog } from '@ladderlog/log';
import type { Fault, SentFrame, Simulators } from '@ladderlog/simulators';
import { startSimulators } from '@ladderlog/simulators';
import { afterAll, expect, test } from 'vitest';

import { readAll } from '../harness/capture.ts';
import { eventually } from '../harness/ladderlog.ts';

const FULL = process.env['LADDERLOG_FULL'] === '1';
const SECONDS = FULL ? 600 : 24;
const folder = mkdtempSync(join(tmpdir(), 'ladderlog-count-'));
let simulators: Simulators | null = null;
let child: ChildProcess | null = null;
afterAll(async () => {
  child?.kill('SIGKILL');
  await simulators?.close();
  rmSync(folder, { recursive: true, force: true });
});

function startCollector(data: string, { settings }: Simulators): ChildProcess {
  const [venuea, venueb, venuec] = [settings('venuea'), settings('venueb'), settings('venuec')];
  const key = join(folder, 'venueb.pem');
  writeFileSync(key, venueb.privateKeyPem!);
  return spawn(
    process.execPath,
    [
      'packages/cli/src/main.ts',
      'collect',
      '--venues',
      'venuea,venueb,venuec',
      '--data',
      data,
      '--json',
      '--log-level',
      'error',
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        LADDERLOG_VENUEA_REST_URL: venuea.restUrl,
        LADDERLOG_VENUEA_WS_URL: venuea.wsUrl,
        LADDERLOG_VENUEA_API_KEY: venuea.apiKey,
        LADDERLOG_VENUEA_API_SECRET: venuea.apiSecret,
        LADDERLOG_VENUEB_REST_URL: venueb.restUrl,
        LADDERLOG_VENUEB_WS_URL: venueb.wsUrl,
        LADDERLOG_VENUEB_KEY_ID: venueb.keyId,
        LADDERLOG_VENUEB_PRIVATE_KEY_FILE: key,
        LADDERLOG_VENUEB_SERIES: 'KXBTC15M,KXETH15M,KXBTCD',
        LADDERLOG_VENUEC_GAMMA_URL: venuec.gammaUrl,
        LADDERLOG_VENUEC_CLOB_URL: venuec.clobUrl,
        LADDERLOG_VENUEC_WS_URL: venuec.wsUrl,
        LADDERLOG_BEAT_SECONDS: '1',
      },
    },
  );
}

const ready = (process: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout!.once('data', () => resolve());
    process.once('exit', (code) => reject(new Error(`the collector ended with ${code}`)));
  });
const ended = (process: ChildProcess): Promise<void> =>
  new Promise((resolve) => process.once('exit', () => resolve()));

const faultsOf = (seconds: number): Fault[] => {
  const kinds: [Fault['venue'], Fault['kind']][] = [
    ['venueb', 'skip_sequence'],
    ['venuec', 'disconnect'],
    ['venuea', 'disconnect'],
    ['venuec', 'garbage'],
    ['venueb', 'delta_below_zero'],
    ['venueb', 'disconnect'],
    ['venuec', 'unknown_message'],
    ['venuea', 'close_24h'],
    ['venueb', 'overflow'],
  ];
  const step = Math.max(1, (seconds * 0.6) / kinds.length);
  return Array.from({ length: FULL ? Math.floor(seconds / 12) : kinds.length }, (_, at) => {
    const [venue, kind] = kinds[at % kinds.length]!;
    return { venue, kind, at: 4 + at * (FULL ? 12 : step) };
  });
};

type Interval = { readonly from: number; readonly to: number };

/** The venues have sent so many more frames, each of them. */
async function flowing({ sent }: Simulators, more: number): Promise<void> {
  const counts = (): number[] => VENUES.map((venue) => sent(venue).frames.length);
  const before = counts();
  await eventually(
    `${more} frames of every venue`,
    async () => counts(),
    (now) => now.every((count, at) => count >= before[at]! + more),
  );
}

/**
 * When each market was not covered: before its capture began, in its gaps, and after it ended. The simulators stamp when they
 * write, we when we read: `slack` is the time between.
 */
function uncovered(events: readonly VenueEvent[], slack: number): (market: string, at: number) => boolean {
  const gaps = new Map<string, Interval[]>();
  const starts = new Map<string, number>();
  const stops = new Map<string, number>();
  const closed = new Map<string, number>();
  for (const event of events) if (event.type === 'GapClosed') closed.set(event.gapId, event.to);
  for (const event of events) {
    if (event.type === 'GapOpened') {
      const list = gaps.get(event.market) ?? [];
      list.push({ from: event.from, to: closed.get(event.gapId) ?? Number.POSITIVE_INFINITY });
      gaps.set(event.market, list);
    } else if (event.type === 'CaptureStarted')
      starts.set(
        event.market,
        Math.min(starts.get(event.market) ?? Number.POSITIVE_INFINITY, event.observedAt),
      );
    else if (event.type === 'CaptureStopped')
      stops.set(event.market, Math.max(stops.get(event.market) ?? 0, event.observedAt));
  }
  return (market, at) => {
    if (at < (starts.get(market) ?? Number.POSITIVE_INFINITY) + slack) return true;
    if (at > (stops.get(market) ?? Number.POSITIVE_INFINITY) - slack) return true;
    return (gaps.get(market) ?? []).some(({ from, to }) => at >= from - slack && at <= to + slack);
  };
}

/** The books that a frame of a socket is about, read without our normalizers; `stated` is the venue's time of a whole book. */
function booksOn(venue: Venue, text: string): { market: string; stated: number | null }[] {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return [];
  }
  const items = (Array.isArray(message) ? message : [message]) as Record<string, unknown>[];
  if (venue === 'venuea')
    return items.flatMap(({ type, data }) => {
      if (type !== 'TOPIC') return [];
      const book = JSON.parse(String(data)) as { marketId: number; updateTimestampMs: number };
      return [{ market: String(book.marketId), stated: book.updateTimestampMs }];
    });
  if (venue === 'venueb')
    return items.flatMap(({ type, msg }) =>
      type === 'orderbook_snapshot' || type === 'orderbook_delta'
        ? [{ market: (msg as { market_ticker: string }).market_ticker, stated: null }]
        : [],
    );
  return items.flatMap(({ event_type: type, bids, market }) =>
    type === 'price_change' || bids ? [{ market: String(market), stated: null }] : [],
  );
}

/** Book frames in the log that left nothing behind: no event of their own, no gap around them, and not overtaken (venue A). */
function withoutEffect(events: readonly VenueEvent[]): { books: number; silent: string[] } {
  const effects = new Set<string>();
  for (const { type, session, ordinal, market } of events)
    if (type === 'BookObserved' || type === 'GapOpened' || type === 'FrameRejected')
      effects.add(`${session} ${ordinal} ${market}`);
  const missing = uncovered(
    events.filter((event) => !('dataset' in event) || event.dataset === 'books'),
    0,
  );
  const newest = new Map<string, number>();
  const silent: string[] = [];
  let books = 0;
  const frames = events
    .filter((event) => event.type === 'FrameCaptured' && event.channel === 'ws' && event.direction === 'in')
    .sort((a, b) => a.ordinal - b.ordinal) as Extract<VenueEvent, { type: 'FrameCaptured' }>[];
  for (const { venue, session, ordinal, observedAt, body } of frames)
    for (const { market, stated } of booksOn(venue, Buffer.from(body).toString())) {
      books++;
      const last = newest.get(`${session} ${market}`);
      const overtaken = stated !== null && last !== undefined && stated <= last;
      if (stated !== null && !overtaken) newest.set(`${session} ${market}`, stated);
      if (!overtaken && !effects.has(`${session} ${ordinal} ${market}`) && !missing(market, observedAt))
        silent.push(`${venue} ${market} ${session} ${ordinal} ${observedAt}`);
    }
  return { books, silent };
}

test(
  `${SECONDS} s of all three venues with faults and a kill: every frame is in the log or inside a recorded gap`,
  async () => {
    const running = await startSimulators({ seed: 11, record: true });
    simulators = running;
    const began = performance.now();
    const data = join(folder, 'data');
    child = startCollector(data, running);
    await ready(child);
    await flowing(running, 50);
    const faults = faultsOf(SECONDS);
    const passed = (performance.now() - began) / 1_000;
    for (const fault of faults) running.inject({ ...fault, at: passed + Number(fault.at) });
    await eventually(
      'every fault',
      async () => running.faultsApplied().length,
      (applied) => applied === faults.length,
      2 * SECONDS * 1_000 + 60_000,
    );
    await flowing(running, 200);
    child.kill('SIGKILL');
    await ended(child);
    await sleep(2_000);
    child = startCollector(data, running);
    await ready(child);
    await flowing(running, 50);
    child.kill('SIGTERM');
    await ended(child);

    const log = await openSqliteLog({ path: join(data, 'log.sqlite') });
    const events = await readAll(log);
    await log.close();
    const captured = new Map<string, number[]>();
    for (const event of events) {
      if (event.type !== 'FrameCaptured' || event.direction === 'out') continue;
      const key = `${event.venue} ${event.channel} ${Buffer.from(event.body).toString()}`;
      captured.set(key, [...(captured.get(key) ?? []), event.observedAt]);
    }
    const lost: SentFrame[] = [];
    let slack = 250_000;
    let sent = 0;
    let found = 0;
    for (const { frames } of VENUES.map(running.sent)) {
      for (const frame of frames) {
        if (frame.kind === 'control' || frame.markets.length === 0) continue;
        sent++;
        const key = `${frame.venue} ${frame.channel} ${frame.text}`;
        const observed = captured.get(key) ?? [];
        const at = observed.shift();
        if (at === undefined) lost.push(frame);
        else {
          found++;
          // Only what was sent once says for certain how long it was under way.
          if (frame.channel === 'ws' && observed.length === 0) slack = Math.max(slack, at - frame.at);
        }
      }
    }
    const missing = uncovered(events, slack);
    const unexplained = lost.filter(({ markets, at }) => !markets.some((market) => missing(market, at)));
    expect(sent).toBeGreaterThan(SECONDS * 20);
    expect(
      unexplained.map(({ venue, channel, at, text }) => `${venue} ${channel} ${at} ${text.slice(0, 120)}`),
    ).toEqual([]);
    expect(found / sent).toBeGreaterThan(0.5);
    const { books, silent } = withoutEffect(events);
    expect(books).toBeGreaterThan(found / 2);
    expect(silent).toEqual([]);
    const down = events.filter((event) => event.type === 'GapOpened' && event.cause === 'collector_down');
    expect(down.length).toBeGreaterThan(0);
    console.log(
      `${sent} frames sent, ${found} in the log, ${books} books on them, ${sent - found} inside recorded gaps, ${events.filter(({ type }) => type === 'GapClosed').length} gaps`,
    );
  },
  2 * SECONDS * 1_000 + 600_000,
);
