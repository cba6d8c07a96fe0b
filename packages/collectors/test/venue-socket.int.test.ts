// One socket against a venue that does what the simulators do not: answers nothing, answers late, sends too much.

import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { MarketFields, VenueEvent } from '@ladderlog/core';
import { Capture, DEFAULT_TIMING, MessageAges, adapterOf, defaultValues } from '@ladderlog/core';
import { openSqliteLog } from '@ladderlog/log';
import { nodePrimitives } from '@ladderlog/servers';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';

import { MAX_FRAME_BYTES } from '../src/recorder/encodable.ts';
import { createPrimitives, systemClocks } from '../src/index.ts';
import { createOutbox } from '../src/recorder/outbox.ts';
import { VenueSocket } from '../src/recorder/venue-socket.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).toReversed()) await close();
});

type Message = Record<string, unknown> & { readonly params?: Record<string, unknown> };
type Venue = (
  send: (message: unknown) => void,
  connection: number,
) => (message: Message, text: string) => void;

/** A venue that answers each client message as told. */
async function open(venue: 'venuea' | 'venueb' | 'venuec', answer: Venue) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  cleanUp.push(() => server.close());
  await new Promise((resolve) => server.on('listening', resolve));
  let connections = 0;
  server.on('connection', (socket: WebSocket) => {
    const send = (message: unknown): void =>
      socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    const hear = answer(send, ++connections);
    socket.on('message', (data: Buffer) => {
      const text = data.toString('utf8');
      if (text === 'PING') send('PONG');
      else hear(JSON.parse(text) as Message, text);
    });
  });
  const wsUrl = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const timing = { ...DEFAULT_TIMING, firstBookMs: 500 };
  const adapter = adapterOf(venue);
  const values = {
    ...defaultValues(adapter.settings),
    wsUrl,
    ...{
      venuea: { apiKey: 'key', apiSecret: 'secret' },
      venueb: { keyId: 'key', privateKeyPem: nodePrimitives.rsaPrivateKey() },
      venuec: {},
    }[venue],
  };
  const plan = adapter.collect.plan(values, timing, createPrimitives());
  if ('missing' in plan) throw new Error(plan.missing.join());
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-socket-'));
  const log = await openSqliteLog({ path: join(folder, 'log.sqlite') });
  const events: VenueEvent[] = [];
  const logger = pino({ level: 'silent' });
  const outbox = createOutbox({
    log,
    logger,
    onAppended: (appended) => events.push(...(appended as VenueEvent[])),
    onFatal: (error) => {
      throw error;
    },
  });
  const capture = new Capture({ adapter, collector: 'test', provenance: 'captured' });
  let sessions = 0;
  const socket = new VenueSocket(plan.sockets!.open(), {
    nameInLogs: 'test',
    timing,
    capture,
    outbox,
    clocks: systemClocks,
    stamps: { limitMs: 60_000, agesRose: () => undefined },
    ages: new MessageAges(),
    logger,
    newSessionId: () => `session-${++sessions}`,
    beatMs: 200,
    clockJumpMs: 600_000,
    backoff: { baseMs: 10, maxMs: 50 },
    onFindings: () => undefined,
  });
  const stop = new AbortController();
  const running = socket.run(stop.signal);
  cleanUp.push(async () => {
    stop.abort();
    await running;
    await outbox.close();
    await log.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    socket,
    events,
    known: capture.known,
    connections: () => connections,
    async until(what: string, holds: () => boolean): Promise<void> {
      const deadline = performance.now() + 60_000;
      while (!holds()) {
        if (performance.now() > deadline) throw new Error(`waited a minute for ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

const of = <T extends VenueEvent['type']>(events: readonly VenueEvent[], type: T, market: string) =>
  events.filter(
    (event): event is Extract<VenueEvent, { type: T }> => event.type === type && event.market === market,
  );

const tickersOf = ({ params }: Message): string[] => params!['market_tickers'] as string[];
const subscribed = (id: unknown, sid: number) => ({
  id,
  type: 'subscribed',
  msg: { channel: 'orderbook_delta', sid },
});
const snapshotB = (market: string, sid: number, seq: number) => ({
  type: 'orderbook_snapshot',
  sid,
  seq,
  msg: { market_ticker: market, yes_dollars_fp: [['0.5300', '1.00']] },
});

test.each([
  [25, 'Subscription buffer overflow'],
  [10, 'Channel error'],
])(
  'venue B ends the subscription with code %i: it is asked for anew, and every book comes',
  async (code, msg) => {
    const venue = await open('venueb', (send) => {
      let sid = 0;
      return (message) => {
        if (message['cmd'] !== 'subscribe') return;
        sid++;
        send(subscribed(message['id'], sid));
        for (const [at, market] of tickersOf(message).entries()) send(snapshotB(market, sid, at + 1));
        if (sid === 1) send({ type: 'error', sid, msg: { code, msg } });
      };
    });
    venue.socket.add([
      { market: 'M1', outcomes: ['yes'] },
      { market: 'M2', outcomes: ['yes'] },
    ]);
    await venue.until('both books again', () =>
      ['M1', 'M2'].every((market) => of(venue.events, 'GapClosed', market).length === 1),
    );
    for (const market of ['M1', 'M2'])
      expect(of(venue.events, 'GapOpened', market)).toMatchObject([{ cause: 'venue_error' }]);
    expect(venue.connections()).toBe(1);
  },
);

test('venue B no longer knows the subscription: a question for a book finds out, and subscribes anew', async () => {
  const venue = await open('venueb', (send) => {
    let sid = 0;
    return (message) => {
      if (message['cmd'] === 'subscribe') {
        send(subscribed(message['id'], ++sid));
        if (sid > 1)
          for (const [at, market] of tickersOf(message).entries()) send(snapshotB(market, sid, at + 1));
      } else if ((message.params!['sids'] as number[])[0] !== 2)
        send({ id: message['id'], type: 'error', msg: { code: 7, msg: 'Unknown subscription ID' } });
    };
  });
  venue.socket.add([{ market: 'M1', outcomes: ['yes'] }]);
  await venue.until('the book', () => of(venue.events, 'BookObserved', 'M1').length === 1);
  expect(venue.connections()).toBe(1);
});

test('venue B: what is added before the subscription is confirmed joins it, and is no second one', async () => {
  const commands: Message[] = [];
  const venue = await open('venueb', (send) => {
    let seq = 0;
    return (message) => {
      commands.push(message);
      const confirm = (): void => {
        send(subscribed(message['id'], 1));
        for (const market of tickersOf(message)) send(snapshotB(market, 1, ++seq));
      };
      if (message['cmd'] !== 'subscribe')
        for (const market of tickersOf(message)) send(snapshotB(market, 1, ++seq));
      else {
        venue.socket.add([{ market: 'M2', outcomes: ['yes'] }]);
        venue.socket.add([{ market: 'M3', outcomes: ['yes'] }]);
        venue.socket.remove(['M2'], 'ended');
        confirm();
      }
    };
  });
  venue.socket.add([{ market: 'M1', outcomes: ['yes'] }]);
  await venue.until('both books', () =>
    ['M1', 'M3'].every((market) => of(venue.events, 'BookObserved', market).length > 0),
  );
  expect(commands.map(({ cmd, params }) => [cmd, params!['action'], params!['market_tickers']])).toEqual([
    ['subscribe', undefined, ['M1']],
    ['update_subscription', 'add_markets', ['M3']],
  ]);
});

const bookC = (token: string) => ({
  event_type: 'book',
  market: `0x${token}`,
  asset_id: token,
  bids: [{ price: '0.5', size: '1' }],
  asks: [],
  timestamp: '1794700801300',
  hash: 'h',
});

test('venue C does not hear what is added to an open socket: a new one brings the book', async () => {
  const venue = await open('venuec', (send) => (message) => {
    if (message['type'] === 'market') send((message['assets_ids'] as string[]).map(bookC));
  });
  venue.socket.add([{ market: '0x1', outcomes: ['1'] }]);
  await venue.until('the first book', () => of(venue.events, 'BookObserved', '0x1').length === 1);
  venue.socket.add([{ market: '0x2', outcomes: ['2'] }]);
  await venue.until('the second', () => of(venue.events, 'BookObserved', '0x2').length === 1);
  expect(venue.connections()).toBe(2);
  expect(of(venue.events, 'GapOpened', '0x1')).toMatchObject([{ cause: 'disconnected' }]);
  expect(of(venue.events, 'GapOpened', '0x2')).toMatchObject([{ cause: 'awaiting_snapshot' }]);
});

test('for a market that does not trade yet no open socket is given up', async () => {
  let asked = 0;
  const venue = await open('venuec', (send) => (message, text) => {
    if (message['operation'] === 'subscribe' && text.includes('"2"')) asked++;
    if (message['type'] === 'market') send([bookC('1')]);
  });
  const opensAt = Date.now() * 1_000 + 3_600_000_000;
  venue.known.set('0x2', { opensAt, closesAt: null, outcomes: [] as unknown } as MarketFields);
  venue.socket.add([{ market: '0x1', outcomes: ['1'] }]);
  venue.socket.add([{ market: '0x2', outcomes: ['2'] }]);
  await venue.until('more questions than a market that trades is given', () => asked > 4);
  expect(venue.connections()).toBe(1);
  expect(of(venue.events, 'GapOpened', '0x1')).toEqual([]);
});

const pushA = (market: string) => ({
  type: 'TOPIC',
  topic: `web3_prediction_orderbook_${market}`,
  data: JSON.stringify({
    msgType: 'orderbook',
    marketId: Number(market),
    updateTimestampMs: Date.now(),
    asks: [['0.53', '3']],
    bids: [['0.51', '5']],
  }),
});

test('a book that crosses our unsubscribing is observed, and does not begin the market again', async () => {
  const venue = await open('venuea', (send) => (message) => {
    const market = String(message['value']).split('_').at(-1)!;
    send({ type: 'COMMAND', subType: message['command'], data: 'SUCCESS' });
    send(pushA(market));
  });
  venue.socket.add([{ market: '7', outcomes: ['0'] }]);
  await venue.until('the book', () => of(venue.events, 'BookObserved', '7').length === 1);
  venue.socket.remove(['7'], 'resolved');
  await venue.until('the late book', () => of(venue.events, 'BookObserved', '7').length === 2);
  await venue.until('the end of it', () => of(venue.events, 'CaptureStopped', '7').length === 2);
  const kept = venue.events.filter(({ type }) =>
    ['CaptureStarted', 'BookObserved', 'CaptureStopped'].includes(type),
  );
  expect(kept.slice(-3).map(({ type }) => type)).toEqual([
    'CaptureStarted',
    'BookObserved',
    'CaptureStopped',
  ]);
});

test('a message larger than a record ends the connection, not the capture', async () => {
  const venue = await open('venuea', (send, connection) => () => {
    send(pushA('7'));
    if (connection === 1) send('x'.repeat(MAX_FRAME_BYTES + 1));
  });
  venue.socket.add([{ market: '7', outcomes: ['0'] }]);
  await venue.until('the book on a new connection', () => of(venue.events, 'GapClosed', '7').length === 1);
  expect(of(venue.events, 'GapOpened', '7')).toMatchObject([{ cause: 'disconnected' }]);
});
