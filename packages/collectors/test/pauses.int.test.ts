// Who has stopped, the venue or we? A wire that carries nothing any more is silence; a pause of our own process is a stall.

import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

import type { VenueEvent } from '@ladderlog/core';
import { afterEach, expect, test } from 'vitest';

import type { TestCapture } from '../../../test/harness/capture.ts';
import { startCapture } from '../../../test/harness/capture.ts';

let capture: TestCapture | null = null;
const closing: (() => void)[] = [];
afterEach(async () => {
  await capture?.close();
  capture = null;
  for (const close of closing.splice(0)) close();
});

const BOOKS = 12;
/** Probes of quiet books would be the first to notice. */
const SLOW_PROBES = { quietMs: 600_000 };

const gapsOf = (events: readonly VenueEvent[]) =>
  events.flatMap((event) =>
    event.type === 'GapOpened' && event.dataset === 'books' && event.cause !== 'tick_change' ? [event] : [],
  );
const booksOf = (events: readonly VenueEvent[]) =>
  events.filter((event) => event.type === 'BookObserved') as Extract<VenueEvent, { type: 'BookObserved' }>[];
const distinct = (events: readonly { market: string; outcome: string | null }[]): number =>
  new Set(events.map(({ market, outcome }) => `${market}/${outcome}`)).size;

/** Nothing happens in this process for so long. */
const stand = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

/** A wire that can be cut so that neither end hears of it. */
async function openWire(): Promise<{ wire: (url: string) => string; cut(): void }> {
  let port = 0;
  const ends = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from);
      from.pipe(to).on('error', () => from.destroy());
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const end of ends) end.destroy();
    server.close();
  });
  return {
    wire(url) {
      const through = new URL(url);
      port = Number(through.port);
      through.port = String((server.address() as AddressInfo).port);
      return through.href;
    },
    cut() {
      for (const end of ends) end.unpipe().pause();
      ends.clear();
    },
  };
}

test('a wire that carries nothing any more is silence, from the last thing it carried', async () => {
  const { wire, cut } = await openWire();
  capture = await startCapture({ venues: ['venuec'], timing: { ...SLOW_PROBES, silenceMs: 4_000 }, wire });
  await capture.until('the first books', (events) => distinct(booksOf(events)) >= BOOKS);
  cut();
  const events = await capture.until('gaps that opened and closed', (now) => {
    const closed = new Set(now.flatMap((event) => (event.type === 'GapClosed' ? [event.gapId] : [])));
    const gaps = gapsOf(now);
    return distinct(gaps) >= BOOKS - 1 && gaps.every(({ gapId }) => closed.has(gapId));
  });
  for (const gap of gapsOf(events)) {
    expect(gap).toMatchObject({ cause: 'silence', scope: 'connection' });
    expect(gap.observedAt - gap.from).toBeGreaterThan(4_000_000);
  }
});

test('a pause of our own is no silence: all books are in a gap of ours, until what came meanwhile is read', async () => {
  const timing = { ...SLOW_PROBES, silenceMs: 2_000 };
  capture = await startCapture({ venues: ['venuec'], timing, stampLimitMs: 1_000 });
  const before = await capture.until('the first books', (events) => distinct(booksOf(events)) >= BOOKS);
  for (let pause = 0; pause < 2; pause++) {
    stand(3_500);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  const events = await capture.until(
    'books after the pauses',
    (now) => booksOf(now).length > booksOf(before).length + 50,
  );
  const gaps = gapsOf(events);
  expect(distinct(gaps)).toBeGreaterThanOrEqual(BOOKS);
  expect(new Set(gaps.map(({ cause }) => cause))).toEqual(new Set(['recorder_stalled']));
});
