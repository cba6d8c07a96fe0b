import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startSimulators, type Fault, type Simulators } from '../src/index.ts';
import { phaseAt, type SimMarket } from '@ladderlog/core';
import {
  KEYS,
  clock,
  connectA,
  connectB,
  getA,
  getJson,
  holdClock,
  moveClock,
  nowMs,
  openSocket,
  type Json,
  type TestSocket,
} from './clients.ts';

const VENUES = ['venuea', 'venueb', 'venuec'] as const;
type Venue = (typeof VENUES)[number];

let simulators: Simulators;
beforeEach(async () => {
  holdClock();
  simulators = await startSimulators({
    seed: 21,
    clock,
    autoRun: false,
    scale: 15,
    updatesPerSecond: 20,
    record: true,
    servers: { venueb: { credentials: KEYS } },
  });
});
afterEach(() => simulators.close());

const liveMarket = (venue: Venue): SimMarket =>
  simulators.process
    .states(venue)
    .find(
      ({ market, book }) =>
        book !== null &&
        book.best('bid') >= 0 &&
        book.best('ask') >= 0 &&
        phaseAt(market, nowMs()) === 'live',
    )!.market;

/** A client that watches one live market of the venue. */
async function watch(venue: Venue, market = liveMarket(venue)): Promise<TestSocket> {
  if (venue === 'venuea') {
    const socket = await connectA(simulators, [`web3_prediction_orderbook_${market.id}`]);
    await socket.until((text) => text.includes('REGISTER'));
    return socket;
  }
  if (venue === 'venueb') {
    const socket = await connectB(simulators);
    const params = { channels: ['orderbook_delta'], market_tickers: [market.id], use_yes_price: false };
    socket.send({ id: 1, cmd: 'subscribe', params });
    await socket.until((text) => text.includes('orderbook_snapshot'));
    return socket;
  }
  const socket = await openSocket(simulators.settings('venuec').wsUrl!);
  socket.send({ assets_ids: market.tokens, type: 'market' });
  await socket.until((text) => text.startsWith('['));
  return socket;
}

/** Lets market time pass in small steps, then waits until all that went to this, the newest socket, has arrived. */
async function pass(ms: number, venue: Venue, socket: TestSocket): Promise<void> {
  for (let done = 0; done < ms; done += 50) {
    moveClock(50);
    simulators.step();
  }
  const frames = simulators.sent(venue).frames;
  const newest = Math.max(...frames.map(({ connection }) => connection));
  const left = frames.filter(({ connection }) => connection === newest).length;
  await socket.until(() => socket.texts.length >= left);
}

const inject = (fault: Fault): void => simulators.inject(fault);

describe.each(VENUES)('%s', (venue) => {
  test('a disconnect cuts the socket; while it lasts nobody gets in; then all is well', async () => {
    const socket = await watch(venue);
    inject({ venue, kind: 'disconnect', duration: 1 });
    expect((await socket.closed).code).toBe(1006);
    await expect(watch(venue)).rejects.toThrow(/socket hang up|ECONNRESET/);
    moveClock(1_000);
    simulators.step();
    const again = await watch(venue);
    await pass(1_000, venue, again);
    expect(again.texts.length).toBeGreaterThan(5);
    again.close();
    const [applied] = simulators.faultsApplied();
    expect(applied).toMatchObject({ sockets: 1 });
    expect(applied!.endedAt! - applied!.startedAt).toBe(1e6);
  });

  test('silence keeps the socket open and loses what was due, counted', async () => {
    const socket = await watch(venue);
    await pass(1_000, venue, socket);
    const before = socket.texts.length;
    inject({ venue, kind: 'silence', duration: 2 });
    await pass(1_900, venue, socket);
    expect(socket.texts.length).toBe(before);
    const lost = simulators.lost(venue).count;
    expect(lost).toBeGreaterThan(5);
    await pass(1_000, venue, socket);
    expect(socket.texts.length).toBeGreaterThan(before);
    expect(socket.socket.readyState).toBe(socket.socket.OPEN);
    socket.close();
  });

  test('the end of a connection’s life closes with 1001', async () => {
    const socket = await watch(venue);
    inject({ venue, kind: 'close_24h' });
    expect((await socket.closed).code).toBe(1001);
  });

  test('garbage is no JSON, an unknown message is JSON of no known kind, each once', async () => {
    const socket = await watch(venue);
    const before = socket.texts.length;
    inject({ venue, kind: 'garbage' });
    inject({ venue, kind: 'unknown_message', market: liveMarket(venue).id });
    await socket.until(() => socket.texts.length === before + 2);
    const [garbage, unknown] = socket.texts.slice(before) as [string, string];
    expect(() => JSON.parse(garbage)).toThrow(SyntaxError);
    expect(JSON.stringify(JSON.parse(unknown))).toMatch(/weather/i);
    expect(simulators.faultsApplied().map(({ sockets }) => sockets)).toEqual([1, 1]);
    socket.close();
  });

  test('HTTP errors come in the venue’s own words and stop', async () => {
    const ask = async (): Promise<number> =>
      venue === 'venuea'
        ? (await getA(simulators, '/category/list')).status
        : venue === 'venueb'
          ? (await getJson(`${simulators.settings('venueb').restUrl}/exchange/status`)).status
          : (await getJson(`${simulators.settings('venuec').gammaUrl}/series`)).status;
    inject({ venue, kind: 'http_429', duration: 1 });
    expect(await ask()).toBe(429);
    moveClock(1_000);
    inject({ venue, kind: 'http_500', duration: 1 });
    expect(await ask()).toBe(500);
    moveClock(1_000);
    simulators.step();
    expect(await ask()).toBe(200);
  });

  test('a clock jump moves the stated times, and back', async () => {
    const socket = await watch(venue);
    const times = (): number[] =>
      socket.texts.flatMap((text) =>
        [...text.matchAll(/(?:updateTimestampMs|ts_ms|timestamp)\\?":\\?"?(\d{13})/g)].map((match) =>
          Number(match[1]),
        ),
      );
    inject({ venue, kind: 'clock_jump', by: 3_600, duration: 1 });
    await pass(900, venue, socket);
    expect(Math.max(...times())).toBeGreaterThan(nowMs() + 3_500_000);
    moveClock(200);
    simulators.step();
    const from = socket.texts.length;
    await pass(1_000, venue, socket);
    socket.texts.splice(0, from);
    expect(Math.max(...times())).toBeLessThan(nowMs() + 1_000);
    socket.close();
  });
});

test('B: a skipped sequence number is one lost frame', async () => {
  const socket = await watch('venueb');
  await pass(500, 'venueb', socket);
  inject({ venue: 'venueb', kind: 'skip_sequence' });
  await pass(1_500, 'venueb', socket);
  const numbers = socket.json().flatMap((message) => message['seq'] ?? []) as number[];
  const jumps = numbers.slice(1).filter((seq, at) => seq !== numbers[at]! + 1);
  expect(jumps).toHaveLength(1);
  expect(numbers.at(-1)! - numbers.length).toBe(1);
  expect(simulators.lost('venueb').count).toBe(1);
  socket.close();
});

test('B: an overflow ends the subscription with code 25; a new one begins with its book', async () => {
  const socket = await watch('venueb');
  inject({ venue: 'venueb', kind: 'overflow' });
  const ended = JSON.parse(await socket.until((text) => text.includes('"error"'))) as Json;
  expect(ended).toMatchObject({ type: 'error', sid: 1, msg: { code: 25 } });
  expect(simulators.faultsApplied()).toMatchObject([{ sockets: 1 }]);
  moveClock(1_000);
  simulators.step();
  const before = socket.texts.length;
  const params = { channels: ['orderbook_delta'], market_tickers: [liveMarket('venueb').id] };
  socket.send({ id: 2, cmd: 'subscribe', params });
  await socket.until((text) => text.includes('orderbook_snapshot'), before);
  const since = socket.json().slice(before);
  expect(since[0]).toMatchObject({ type: 'subscribed', msg: { sid: 2 } });
  expect(since[1]).toMatchObject({ type: 'orderbook_snapshot', sid: 2, seq: 1 });
  socket.close();
});

test('B: a delta below zero cannot be applied, and the book itself is unharmed', async () => {
  const market = liveMarket('venueb');
  const socket = await watch('venueb', market);
  const snapshot = socket.json().find((message) => message['type'] === 'orderbook_snapshot')!;
  inject({ venue: 'venueb', kind: 'delta_below_zero', market: market.id });
  const delta = JSON.parse(await socket.until((text) => text.includes('delta_fp'))) as Json;
  const [price, size] = (snapshot['msg'].yes_dollars_fp as [string, string][]).at(-1)!;
  expect(delta['msg'].price_dollars).toBe(price);
  expect(Number(delta['msg'].delta_fp)).toBeCloseTo(-Number(size) - 1, 6);
  expect(delta['seq']).toBe(snapshot['seq'] + 1);
  const params = { sid: 1, action: 'get_snapshot', market_tickers: [market.id] };
  socket.send({ id: 2, cmd: 'update_subscription', params });
  const again = JSON.parse(await socket.until((text) => text.includes('"id":2'))) as Json;
  expect(again['msg']).toEqual(snapshot['msg']);
  expect(simulators.faultsApplied()[0]!.market).toBe(market.id);
  socket.close();
});

test('C: one silent token leaves the other token of its market flowing', async () => {
  const market = liveMarket('venuec');
  const socket = await watch('venuec', market);
  const from = socket.texts.length;
  inject({ venue: 'venuec', kind: 'silence_token', market: market.tokens[1], duration: 10 });
  await pass(2_000, 'venuec', socket);
  const heard = socket.texts.slice(from).join('\n');
  expect(heard).toContain(market.tokens[0]);
  expect(heard).not.toContain(market.tokens[1]);
  socket.close();
});

test('a crossed book is crossed on the wire, then not any more', async () => {
  const crossings: Record<Venue, boolean[]> = { venuea: [], venueb: [], venuec: [] };
  for (const venue of VENUES) {
    const market = liveMarket(venue);
    const { book } = simulators.process.state(venue, market.id)!;
    const ask = book!.grid.prices[book!.best('ask')]! / 1e6;
    const socket = await watch(venue, market);
    const from = socket.texts.length;
    inject({ venue, kind: 'cross_book', market: market.id, duration: 0.3 });
    await pass(300, venue, socket);
    const frames = socket.texts.slice(from).map((text) => JSON.parse(text) as Json);
    crossings[venue] = frames.map((frame) => {
      if (venue === 'venueb')
        return Number(frame['msg'].price_dollars) > ask && Number(frame['msg'].delta_fp) > 0;
      if (venue === 'venuec')
        return (frame['price_changes'] as Json[]).every(
          (change) => Number(change['best_bid']) > Number(change['best_ask']),
        );
      const { bids, asks } = JSON.parse(frame['data']) as { bids: [string][]; asks: [string][] };
      return Number(bids[0]![0]) > Number(asks[0]![0]);
    });
    expect(book!.best('bid')).toBeLessThan(book!.best('ask'));
    socket.close();
  }
  expect(crossings).toEqual({ venuea: [true, false], venueb: [true, false], venuec: [true, false] });
});

test('the same seed and clock send the same bytes', async () => {
  const tape = async (): Promise<string[]> => {
    holdClock();
    const run = await startSimulators({
      seed: 4,
      clock,
      autoRun: false,
      scale: 15,
      updatesPerSecond: 10,
      record: true,
      servers: { venueb: { credentials: KEYS } },
    });
    const previous = simulators;
    simulators = run;
    const sockets = [await watch('venuea'), await watch('venueb'), await watch('venuec')];
    // Nothing moves until the clock does, so the order of connecting does not matter.
    for (let n = 0; n < 40; n++) {
      moveClock(100);
      run.step();
    }
    const sent = VENUES.flatMap((venue) => run.sent(venue).frames.map(({ text }) => text));
    for (const socket of sockets) socket.close();
    await run.close();
    simulators = previous;
    return sent;
  };
  const first = await tape();
  expect(first.length).toBeGreaterThan(100);
  expect(await tape()).toEqual(first);
});
