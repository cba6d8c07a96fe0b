// Real processes that are stopped as a whole, or the recorder alone: it says so itself when it goes on, and until then the
// service says it.

import { setTimeout as sleep } from 'node:timers/promises';

import type { MarketObserved, StreamMessage, Venue } from '@ladderlog/core';
import { VENUES, toIso } from '@ladderlog/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';

import { eventually } from '../harness/ladderlog.ts';
import { processState } from '../harness/processes.ts';
import type { BookName, RecordedGap } from '../harness/recorded.ts';
import { bookName, recordedEvents, recordedGaps, watchedBooks } from '../harness/recorded.ts';
import type { RunningUp } from '../harness/up.ts';
import { startUp } from '../harness/up.ts';

const STOPPED_MS = 8_000;
/** Three seconds, and as much again as a busy machine takes for the rest. */
const SAYS_SO_MS = 20_000;

let up: RunningUp;

beforeAll(async () => {
  up = await startUp({ args: ['--log-level', 'warn'] });
  await eventually('capture of every venue', venueStates, (states) =>
    states.every((one) => one === 'capturing'),
  );
}, 200_000);

afterAll(() => up?.remove());

type Health = {
  readonly checks: Readonly<Record<string, { readonly ok: boolean; readonly state?: string }>>;
};

async function health(): Promise<Health['checks']> {
  const answer = await fetch(`${up.url}/v3/health`);
  return ((await answer.json()) as { data: Health }).data.checks;
}

async function venueStates(): Promise<readonly (string | undefined)[]> {
  const checks = await health();
  return VENUES.map((venue) => checks[venue]?.state);
}

const get = async (path: string): Promise<{ status: number; body: Record<string, never> }> => {
  const answer = await fetch(`${up.url}/v3/${path}`, { headers: { authorization: `Bearer ${up.demoKey}` } });
  return { status: answer.status, body: (await answer.json()) as Record<string, never> };
};

type Refusal = { error?: { code: string; details?: { gap?: { cause: string } } } };
const codeOf = (body: object): string | undefined => (body as Refusal).error?.code;
const causeOf = (body: object): string | undefined => (body as Refusal).error?.details?.gap?.cause;

/** Stops these processes for so long. Microseconds: when all of them stood still, and when the first went on. */
async function stopFor(ms: number, pids: readonly number[]): Promise<{ from: number; to: number }> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  try {
    await eventually(
      'processes that stand still',
      () => Promise.resolve(pids.map(processState)),
      (states) => states.every((state) => state === 'stopped'),
    );
    const from = Date.now() * 1_000;
    await sleep(ms);
    return { from, to: Date.now() * 1_000 };
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
}

const isOf = (book: BookName, gap: RecordedGap): boolean =>
  gap.venue === book.venue && gap.market === book.market && [null, book.outcome].includes(gap.outcome);

/** Waits until each of these books that is still watched has a gap that holds the whole stop. */
async function stalledGaps(
  books: readonly BookName[],
  { from, to }: { from: number; to: number },
): Promise<readonly RecordedGap[]> {
  const holding = async (): Promise<{ gaps: RecordedGap[]; without: string[] }> => {
    const gaps = (await recordedGaps(up.data)).filter(
      (gap) => gap.cause === 'recorder_stalled' && gap.from <= from && gap.to !== null && gap.to >= to,
    );
    const still = new Set((await watchedBooks(up.data)).map(bookName));
    const without = books.filter((book) => still.has(bookName(book)) && !gaps.some((gap) => isOf(book, gap)));
    return { gaps, without: without.map(bookName) };
  };
  return (
    await eventually(
      'a gap of every book',
      holding,
      ({ gaps, without }) => gaps.length > 0 && without.length === 0,
    )
  ).gaps;
}

/** The path of a market's books. */
async function pathOf({ venue, market }: BookName): Promise<string> {
  const known = (await recordedEvents(up.data, ['MarketObserved'])).findLast(
    (one: MarketObserved) => one.venue === venue && one.market === market,
  );
  if (venue === 'venuea') return `venuea-prediction/${market}`;
  return venue === 'venueb' ? `venueb/${market}` : `${known!.asset!.toLowerCase()}/markets/${market}`;
}

const ofVenue = (books: readonly BookName[], venue: Venue): readonly BookName[] =>
  books.filter((book) => book.venue === venue);

test(
  'everything stopped for 8 s: every book has the gap, and nothing is claimed in it',
  { timeout: 600_000 },
  async () => {
    const books = await watchedBooks(up.data);
    for (const venue of VENUES) expect(ofVenue(books, venue).length).toBeGreaterThan(0);
    const stop = await stopFor(STOPPED_MS, up.everyPid());
    const gaps = await stalledGaps(books, stop);
    const inside = toIso(Math.round((stop.from + stop.to) / 2));
    for (const venue of VENUES) {
      const gap = gaps.find((one) => one.venue === venue)!;
      const path = `${await pathOf(gap)}/snapshots/at/${inside}`;
      const { body } = await eventually(
        'the gap in the tables',
        () => get(path),
        // Until the tables have it, what they lack is not captured: no book is claimed in either case.
        (answer) => causeOf(answer.body) === 'recorder_stalled',
      );
      expect(codeOf(body)).toBe('DATA_GAP');
    }
  },
);

/** A client that keeps what it is told of the venues. */
async function follow(): Promise<{ readonly states: Map<string, string>; close(): void }> {
  const socket = new WebSocket(`${up.url.replace('http', 'ws')}/v3/stream`, {
    headers: { authorization: `Bearer ${up.demoKey}` },
  });
  const states = new Map<string, string>();
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString('utf8')) as StreamMessage;
    if (message.type === 'status') states.set(message.data.venue, message.data.state);
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.send('{"type":"subscribe"}');
  await eventually(
    'the state of every venue',
    () => Promise.resolve(states.size),
    (size) => size === VENUES.length,
  );
  return { states, close: () => socket.terminate() };
}

test(
  'the recorder alone stopped: health, latest books and feed say so, and it says so itself when it goes on',
  { timeout: 600_000 },
  async () => {
    const books = await watchedBooks(up.data);
    await eventually('capture of every venue', venueStates, (states) =>
      states.every((one) => one === 'capturing'),
    );
    const client = await follow();
    const latest = `${await pathOf(ofVenue(books, 'venueb').at(-1)!)}/orderbook/latest`;
    const said = <T>(name: string, ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> =>
      eventually(name, ask, holds, SAYS_SO_MS);
    const recorder = up.pid('recorder');
    process.kill(recorder, 'SIGSTOP');
    const from = Date.now() * 1_000;
    let to = from;
    try {
      await Promise.all([
        said('health', health, ({ recorder: check }) => check?.ok === false),
        said('every venue in health', venueStates, (states) => states.every((one) => one === 'disconnected')),
        said(
          'latest books',
          () => get(latest),
          ({ body }) => (body['meta'] as { gap: unknown } | undefined)?.gap != null,
        ),
        said(
          'the feed',
          () => Promise.resolve([...client.states.values()]),
          (states) => states.every((state) => state === 'disconnected'),
        ),
      ]);
      expect(processState(recorder)).toBe('stopped');
    } finally {
      to = Date.now() * 1_000;
      process.kill(recorder, 'SIGCONT');
    }
    await stalledGaps(books, { from, to });
    await eventually('capture of every venue', venueStates, (states) =>
      states.every((one) => one === 'capturing'),
    );
    await eventually(
      'a feed that is well',
      () => Promise.resolve([...client.states.values()]),
      (states) => states.every((state) => state === 'healthy'),
    );
    client.close();
    expect(up.pid('recorder')).toBe(recorder);
  },
);
