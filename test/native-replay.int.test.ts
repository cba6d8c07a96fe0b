// A recording served by the venue's own protocol, read back by clients that know nothing of Ladderlog, and normalized again: the
// books must be the recorded ones, in the recorded order.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { importFile } from '@ladderlog/collectors';
import type { BookObserved, Finding, MarketObserved, Venue, VenueEvent } from '@ladderlog/core';
import { VENUES, adapterOf } from '@ladderlog/core';
import { openSqliteLog } from '@ladderlog/log';
import type { NativeReplay, NativeReplayOptions } from '@ladderlog/replay';
import { startNativeReplay } from '@ladderlog/replay';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';

import type { TestCapture } from './harness/capture.ts';
import { startCapture } from './harness/capture.ts';

let capture: TestCapture;
let events: VenueEvent[];
let replay: NativeReplay | null = null;

beforeAll(async () => {
  capture = await startCapture({
    simulator: { updatesPerSecond: 20, windows: ['5m', '15m'] },
    timing: { compareMs: 500 },
  });
  const books = (seen: readonly VenueEvent[], venue: Venue): number =>
    seen.filter((event) => event.type === 'BookObserved' && event.venue === venue).length;
  await capture.until('books', (seen) => VENUES.every((venue) => books(seen, venue) > 100));
  for (const venue of VENUES) capture.simulators.inject({ venue, kind: 'disconnect', duration: 0.3 });
  await capture.until('books after a gap', (seen) => {
    const after = (venue: Venue): number =>
      seen.filter(
        (event) => event.type === 'GapClosed' && event.venue === venue && event.cause === 'disconnected',
      ).length;
    return VENUES.every((venue) => after(venue) > 0 && books(seen, venue) > 300);
  });
  events = await capture.stop();
});
afterEach(async () => {
  await replay?.close();
  replay = null;
});
afterAll(() => capture.close());

const isBook = (event: VenueEvent): event is BookObserved => event.type === 'BookObserved';
const ladder = (book: Pick<BookObserved, 'bidPrices' | 'bidSizes' | 'askPrices' | 'askSizes'>): string =>
  JSON.stringify([book.bidPrices, book.bidSizes, book.askPrices, book.askSizes]);
const idOf = (venue: Venue, book: { market: string; outcome: string }): string =>
  venue === 'venuec' ? book.outcome : book.market;

/** Recorded books that came over the socket. */
function recorded(venue: Venue): BookObserved[] {
  const socket = new Set(
    events
      .filter((event) => event.type === 'FrameCaptured' && event.channel === 'ws')
      .map((event) => `${event.session} ${event.ordinal}`),
  );
  return events
    .filter(isBook)
    .filter((book) => book.venue === venue && socket.has(`${book.session} ${book.ordinal}`))
    .sort((a, b) => a.observedAt - b.observedAt || a.entry - b.entry);
}

/**
 * A moment in the middle at which a book is known: the time of a book whose forerunner is not parted from it by a gap, for
 * within a gap nothing is said. Where the gap lies among the books depends on the machine.
 */
function knownMoment(venue: Venue): { readonly from: number; readonly book: BookObserved } {
  const known = new Map<string, BookObserved>();
  const moments: { from: number; book: BookObserved }[] = [];
  for (const event of events.filter((seen) => seen.venue === venue).sort(byTime)) {
    if (event.type === 'BookObserved') {
      const id = idOf(venue, event);
      const book = known.get(id);
      if (book && book.askPrices.length > 0 && book.observedAt < event.observedAt)
        moments.push({ from: event.observedAt, book });
      known.set(id, event);
    } else if (event.type === 'GapOpened' && event.dataset === 'books')
      for (const [id, book] of known) if (book.market === event.market) known.delete(id);
  }
  return moments[Math.floor(moments.length / 2)]!;
}
const byTime = (a: VenueEvent, b: VenueEvent): number => a.observedAt - b.observedAt;

async function start(venue: Venue, more: Partial<NativeReplayOptions> = {}): Promise<NativeReplay> {
  const times = recorded(venue).map(({ observedAt }) => observedAt);
  replay = await startNativeReplay({
    log: capture.log,
    venue,
    from: times[0]!,
    to: Math.max(...times) + 1,
    speed: 'max',
    ...more,
  });
  return replay;
}

type Client = { readonly texts: string[]; readonly closed: Promise<number>; readonly socket: WebSocket };

function connect(url: string, hello: readonly object[]): Client {
  const socket = new WebSocket(url);
  const texts: string[] = [];
  socket.on('open', () => hello.forEach((message) => socket.send(JSON.stringify(message))));
  socket.on('message', (data: Buffer) => void texts.push(data.toString('utf8')));
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  return { texts, closed, socket };
}

function subscribe(venue: Venue, { urls }: NativeReplay, ids: readonly string[]): Client {
  if (venue === 'venuea')
    return connect(`${urls['ws']}?topic=${ids.map((id) => `web3_prediction_orderbook_${id}`).join('|')}`, []);
  if (venue === 'venueb')
    return connect(urls['ws']!, [
      { id: 1, cmd: 'subscribe', params: { channels: ['orderbook_delta'], market_tickers: ids } },
    ]);
  return connect(urls['ws']!, [{ assets_ids: ids, type: 'market' }]);
}

/** The books a client would keep, by today's normalizers. */
function booksOf(venue: Venue, texts: readonly string[]): Map<string, string[]> {
  const normalizer = adapterOf(venue).capture.createNormalizer();
  const books = new Map<string, string[]>();
  for (const text of texts)
    for (const finding of normalizer.normalize({
      channel: 'ws',
      direction: 'in',
      text,
      observedAt: 1_794_700_800_000_000,
      settings: venue === 'venueb' ? { use_yes_price: 'false' } : {},
    }))
      if (isBookFinding(finding)) {
        const id = idOf(venue, finding);
        books.set(id, [...(books.get(id) ?? []), ladder(finding)]);
      }
  return books;
}
const isBookFinding = (finding: Finding): finding is Extract<Finding, { type: 'book' }> =>
  finding.type === 'book';

describe.each(VENUES)('%s', (venue) => {
  test('gives every recorded book in order, then closes', async () => {
    const all = recorded(venue);
    const ids = [...new Set(all.map((book) => idOf(venue, book)))];
    const client = subscribe(venue, await start(venue), ids);
    expect(await client.closed).toBe(1000);
    const seen = booksOf(venue, client.texts);
    for (const id of ids) {
      const due = all.filter((book) => idOf(venue, book) === id).map(ladder);
      expect([id, seen.get(id)]).toEqual([id, due]);
    }
  });

  test('begins in the middle with the book of that moment', async () => {
    const all = recorded(venue);
    const { from } = knownMoment(venue);
    const ids = [
      ...new Set(all.filter(({ observedAt }) => observedAt >= from).map((book) => idOf(venue, book))),
    ];
    const client = subscribe(venue, await start(venue, { from }), ids);
    await client.closed;
    const seen = booksOf(venue, client.texts);
    for (const id of ids) {
      const mine = all.filter((book) => idOf(venue, book) === id);
      const after = mine.filter(({ observedAt }) => observedAt >= from).map(ladder);
      const got = seen.get(id)!;
      expect([id, got.slice(-after.length)]).toEqual([id, after]);
      expect(got.length - after.length).toBeLessThanOrEqual(1);
      // On A there is no first book, as at the venue: the next push is whole.
      const first = got.length > after.length ? got[0] : null;
      const before = mine.filter(({ observedAt }) => observedAt < from).map(ladder);
      expect([null, before.at(-1)]).toContain(first);
    }
    const firsts = [...seen].filter(([id, got]) => got.length > recordedAfter(all, venue, id, from)).length;
    expect(firsts > 0).toBe(venue !== 'venuea');
  });

  test('begins within a gap with nothing: the book before it is not the book of that moment', async () => {
    const all = recorded(venue);
    const sides = (gap: VenueEvent): [BookObserved[], BookObserved[]] => {
      const mine = all.filter(({ market }) => market === gap.market);
      return [
        mine.filter(({ observedAt }) => observedAt < gap.observedAt),
        mine.filter(({ observedAt }) => observedAt > gap.observedAt),
      ];
    };
    const gap = events.find(
      (event) =>
        event.type === 'GapOpened' &&
        event.venue === venue &&
        event.cause === 'disconnected' &&
        sides(event).every(({ length }) => length > 0),
    )!;
    const after = sides(gap)[1];
    const ids = [...new Set(after.map((book) => idOf(venue, book)))];
    const client = subscribe(venue, await start(venue, { from: gap.observedAt + 1 }), ids);
    await client.closed;
    const seen = booksOf(venue, client.texts);
    for (const id of ids)
      expect(seen.get(id)).toEqual(after.filter((book) => idOf(venue, book) === id).map(ladder));
  });

  test('a client that comes late joins the same moment, and a second run begins anew', async () => {
    const all = recorded(venue);
    const ids = [...new Set(all.map((book) => idOf(venue, book)))];
    const server = await start(venue);
    server.pace.setSpeed(20);
    const first = subscribe(venue, server, ids);
    await new Promise<void>((resolve) => {
      first.socket.on('message', () => {
        if (first.texts.length === 40) resolve();
      });
    });
    const second = subscribe(venue, server, ids);
    await new Promise((resolve) => second.socket.once('message', resolve));
    server.pace.setSpeed('max');
    await Promise.all([first.closed, second.closed]);
    const [a, b] = [booksOf(venue, first.texts), booksOf(venue, second.texts)];
    // The same last book for both, and it is the recorded one.
    for (const id of ids) {
      const last = all
        .filter((book) => idOf(venue, book) === id)
        .map(ladder)
        .at(-1);
      expect(a.get(id)!.at(-1)).toBe(last);
      expect(b.get(id)?.at(-1) ?? last).toBe(last);
    }
    const again = subscribe(venue, server, ids);
    await again.closed;
    expect(booksOf(venue, again.texts)).toEqual(booksOf(venue, first.texts));
  });
});

const recordedAfter = (all: readonly BookObserved[], venue: Venue, id: string, from: number): number =>
  all.filter((book) => idOf(venue, book) === id && book.observedAt >= from).length;

const fetchJson = async (url: string, body?: object): Promise<unknown> => {
  const answer = await fetch(url, body ? { method: 'POST', body: JSON.stringify(body) } : {});
  return answer.ok ? answer.json() : answer.status;
};

describe('REST at the moment of the replay', () => {
  const top = (price: number): number => price / 1e6;

  test('venue C: book, prices and catalogue', async () => {
    const { from, book } = knownMoment('venuec');
    const { urls } = await start('venuec', { from, speed: 1 });
    const summary = (await fetchJson(`${urls['clob']}/book?token_id=${book.outcome}`)) as {
      asks: { price: string }[];
      market: string;
    };
    expect(summary.market).toBe(book.market);
    expect(summary.asks.map(({ price }) => Number(price)).reverse()).toEqual(book.askPrices.map(top));
    expect(await fetchJson(`${urls['clob']}/price?token_id=${book.outcome}&side=SELL`)).toEqual({
      price: String(top(book.askPrices[0]!)),
    });
    expect(await fetchJson(`${urls['clob']}/books`, [{ token_id: book.outcome }])).toMatchObject([
      { asset_id: book.outcome },
    ]);
    const market = events.find(
      (event): event is MarketObserved => event.type === 'MarketObserved' && event.market === book.market,
    )!;
    expect(await fetchJson(`${urls['gamma']}/markets?slug=${market.slug}`)).toMatchObject([
      { conditionId: book.market },
    ]);
    expect(await fetchJson(`${urls['clob']}/book?token_id=1`)).toBe(404);
  });

  test('venue B: order book, market and a listing', async () => {
    const { from, book } = knownMoment('venueb');
    const { urls } = await start('venueb', { from, speed: 1 });
    const { orderbook_fp: sides } = (await fetchJson(`${urls['rest']}/markets/${book.market}/orderbook`)) as {
      orderbook_fp: { yes_dollars: [string, string][]; no_dollars: [string, string][] };
    };
    expect(sides.yes_dollars.map(([price]) => Number(price)).reverse()).toEqual(book.bidPrices.map(top));
    expect(sides.no_dollars.map(([price]) => Math.round(1e6 - Number(price) * 1e6)).reverse()).toEqual(
      book.askPrices,
    );
    expect(await fetchJson(`${urls['rest']}/markets/${book.market}`)).toMatchObject({
      market: { ticker: book.market },
    });
    const listing = (await fetchJson(
      `${urls['rest']}/markets?series_ticker=${book.market.split('-')[0]}&limit=1000`,
    )) as { markets: { ticker: string }[] };
    expect(listing.markets.map(({ ticker }) => ticker)).toContain(book.market);
  });

  test('venue A: the list as it was recorded, and the mirrored book of the second token', async () => {
    const { from, book } = knownMoment('venuea');
    const { urls } = await start('venuea', { from, speed: 1 });
    const taped = events.find(
      (event) =>
        event.type === 'FrameCaptured' &&
        event.venue === 'venuea' &&
        event.channel.startsWith('rest:/market/list') &&
        event.observedAt < from,
    );
    const channel = taped?.type === 'FrameCaptured' ? taped.channel.slice('rest:'.length) : '';
    expect(await fetchJson(`${urls['rest']}${channel}&timestamp=1&signature=x`)).toHaveProperty(
      'marketTopics',
    );
    const market = events.find(
      // Some items of the list come without outcomes; a later answer has them.
      (event): event is MarketObserved =>
        event.type === 'MarketObserved' && event.market === book.market && event.outcomes.length > 0,
    )!;
    const [first, second] = market.outcomes;
    const ask = async (token: string | null) =>
      (await fetchJson(
        `${urls['rest']}/order-book?vendor=predict_fun&marketId=${book.market}&tokenId=${token}`,
      )) as { bids: { price: string }[]; asks: { price: string }[] };
    const [up, down] = [await ask(first!.tokenId), await ask(second!.tokenId)];
    expect(up.asks.map(({ price }) => Number(price))).toEqual(book.askPrices.map(top));
    expect(down.bids.map(({ price }) => Math.round(1e6 - Number(price) * 1e6))).toEqual(book.askPrices);
  });
});

test('venue B: an import ends with its last change, which has the time of the end of capture', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-native-'));
  const log = await openSqliteLog({ path: join(folder, 'log.sqlite') });
  const file = join(folder, 'recording.jsonl');
  const at = (ms: number): string => new Date(1_794_700_800_000 + ms).toISOString();
  const line = (ms: number, type: string, seq: number, msg: object): string =>
    JSON.stringify({
      venue: 'venueb',
      channel: 'ws',
      received_at: at(ms),
      frame: JSON.stringify({ type, sid: 1, seq, msg: { market_ticker: 'T', ...msg } }),
    });
  const delta = { price_dollars: '0.4000', delta_fp: '1.00', side: 'yes' };
  writeFileSync(
    file,
    [
      line(0, 'orderbook_snapshot', 1, { yes_dollars_fp: [['0.4000', '2.00']] }),
      line(10, 'orderbook_delta', 2, delta),
      line(20, 'orderbook_delta', 3, delta),
    ].join('\n'),
  );
  await importFile({ log, file });
  // From the beginning, whenever that was.
  replay = await startNativeReplay({ log, venue: 'venueb', from: 0, to: 1_794_700_801_000_000, speed: 1 });
  const client = subscribe('venueb', replay, ['T']);
  await client.closed;
  expect(booksOf('venueb', client.texts).get('T')).toEqual(
    [2, 3, 4].map((size) => JSON.stringify([[400_000], [size * 1e6], [], []])),
  );
  await replay.close();
  replay = null;
  await log.close();
  rmSync(folder, { recursive: true, force: true });
});
