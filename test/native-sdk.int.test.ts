// Public SDKs of the venues (pykalshi, py-clob-client) connect to a native replay as they would to the venue: only the address is
// another. Skipped, visibly, where they cannot be installed.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { BookObserved, VenueEvent } from '@ladderlog/core';
import { formatMicro } from '@ladderlog/core';
import type { NativeReplay } from '@ladderlog/replay';
import { startNativeReplay } from '@ladderlog/replay';
import { nodePrimitives } from '@ladderlog/servers';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { TestCapture } from './harness/capture.ts';
import { startCapture } from './harness/capture.ts';
import { pythonWithSdks, runSdk } from './harness/venue-sdks.ts';

const folder = mkdtempSync(join(tmpdir(), 'ladderlog-sdk-'));
const python = await pythonWithSdks();
let capture: TestCapture;
let events: VenueEvent[];
const servers: NativeReplay[] = [];

beforeAll(async () => {
  if (python === null) return;
  capture = await startCapture({ venues: ['venueb', 'venuec'], simulator: { updatesPerSecond: 20 } });
  const count = (seen: readonly VenueEvent[], venue: string): number =>
    seen.filter((event) => event.type === 'BookObserved' && event.venue === venue).length;
  await capture.until('books', (seen) => count(seen, 'venueb') > 300 && count(seen, 'venuec') > 300);
  events = await capture.stop();
});
afterAll(async () => {
  for (const server of servers) await server.close();
  if (python !== null) await capture.close();
  rmSync(folder, { recursive: true, force: true });
});

const booksOf = (venue: string): BookObserved[] =>
  events
    .filter((event): event is BookObserved => event.type === 'BookObserved' && event.venue === venue)
    .sort((a, b) => a.observedAt - b.observedAt);

const levels = (prices: readonly number[], sizes: readonly number[]): [number, number][] =>
  prices.map((price, at) => [price / 1e6, sizes[at]! / 1e6]);
const numbers = (side: Record<string, string>): [number, number][] =>
  Object.entries(side).map(([price, size]) => [Number(price), Number(size)]);

test.skipIf(python === null)("venue B: pykalshi's feed and order book keep the recorded book", async () => {
  const ticker = [...Map.groupBy(booksOf('venueb'), ({ market }) => market)].sort(
    ([, a], [, b]) => b.length - a.length,
  )[0]![0];
  const mine = booksOf('venueb').filter(({ market }) => market === ticker);
  const from = mine[20]!.observedAt;
  const server = await startNativeReplay({
    log: capture.log,
    venue: 'venueb',
    from,
    to: mine.at(-1)!.observedAt + 1,
    speed: 'max',
  });
  servers.push(server);
  const key = join(folder, 'key.pem');
  writeFileSync(key, nodePrimitives.rsaPrivateKey());
  // The first book, then everything from `from` on.
  const after = mine.filter(({ observedAt }) => observedAt >= from);
  const kept = await runSdk(python!, 'venueb', { ...server.urls, key, ticker, messages: after.length + 1 });
  const last = after.at(-1)!;
  const byPrice = (a: [number, number], b: [number, number]): number => a[0] - b[0];
  expect(numbers(kept['yes'] as Record<string, string>).sort(byPrice)).toEqual(
    levels(last.bidPrices, last.bidSizes).sort(byPrice),
  );
  const asks = numbers(kept['no'] as Record<string, string>).map(([price, size]): [number, number] => [
    Math.round(1e6 - price * 1e6) / 1e6,
    size,
  ]);
  expect(asks.sort(byPrice)).toEqual(levels(last.askPrices, last.askSizes).sort(byPrice));
  expect(kept['ticker']).toBe(ticker);
  expect(kept['rest_levels']).toBe(mine[19]!.bidPrices.length + mine[19]!.askPrices.length);
});

test.skipIf(python === null)(
  'venue C: py-clob-client reads books and prices, and agrees on the hash',
  async () => {
    const all = booksOf('venuec').filter(
      ({ askPrices, bidPrices }) => askPrices.length * bidPrices.length > 0,
    );
    const book = all[Math.floor(all.length / 2)]!;
    const server = await startNativeReplay({
      log: capture.log,
      venue: 'venuec',
      from: book.observedAt + 1,
      to: all.at(-1)!.observedAt + 1,
    });
    servers.push(server);
    const read = await runSdk(python!, 'venuec', { ...server.urls, token: book.outcome });
    const pairs = (side: unknown): [number, number][] =>
      (side as [string, string][])
        .map(([price, size]): [number, number] => [Number(price), Number(size)])
        .reverse();
    expect(read['market']).toBe(book.market);
    expect(pairs(read['bids'])).toEqual(levels(book.bidPrices, book.bidSizes));
    expect(pairs(read['asks'])).toEqual(levels(book.askPrices, book.askSizes));
    expect(read['hash_agrees']).toBe(true);
    expect(read['price']).toEqual({ price: formatMicro(book.askPrices[0]!) });
    expect(read['books']).toBe(1);
  },
);
