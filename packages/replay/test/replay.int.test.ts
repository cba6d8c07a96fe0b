// Replays as people use them: lines, and a WebSocket that speaks like the live feed.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BookObserved, FrameCaptured, GapOpened, MarketObserved, StreamMessage } from '@ladderlog/core';
import type { SqliteLog } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import type { LinesRequest, ReplayRequest, ReplayServer } from '@ladderlog/replay';
import { Pace, replayLines, serveReplay } from '@ladderlog/replay';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { FULL_EVENTS, bookAt } from '../../../test/harness/log-events.ts';
import { streamContract } from '../../../test/harness/stream-contract.ts';

const T0 = 1_780_000_000_000_000;
const contract = streamContract();
let folder: string;
let log: SqliteLog;
let server: ReplayServer | null = null;

const market = (id: string, asset: string, seconds: number): MarketObserved => ({
  ...FULL_EVENTS.MarketObserved,
  market: id,
  asset,
  closesAt: T0 + 900_000_000,
  observedAt: T0 + seconds * 1_000_000,
});
const book = (seconds: number, id: string): BookObserved => ({
  ...bookAt(seconds),
  market: id,
  outcome: 'yes',
  observedAt: T0 + seconds * 1_000_000,
});
const gap: GapOpened = { ...FULL_EVENTS.GapOpened, market: 'X', observedAt: T0 + 104_500_000 };
const frame: FrameCaptured = { ...FULL_EVENTS.FrameCaptured, observedAt: T0 + 100_000_000 };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ladderlog-replay-'));
  log = await openSqliteLog({ path: join(folder, 'log.sqlite') });
  await log.append([market('X', 'BTC', 1), market('Y', 'ETH', 2), frame]);
  for (let n = 100; n < 110; n++) await log.append([book(n, 'X'), book(n, 'Y')]);
  await log.append([gap]);
});
afterEach(async () => {
  await server?.close();
  server = null;
  await log.close();
  rmSync(folder, { recursive: true, force: true });
});

const REQUEST: LinesRequest = {
  venues: ['venueb'],
  from: T0 + 100_000_000,
  to: T0 + 200_000_000,
  format: 'books',
};

async function lines(request: Partial<LinesRequest> = {}): Promise<string> {
  let text = '';
  const signal = new AbortController().signal;
  for await (const chunk of replayLines(log, { ...REQUEST, ...request }, new Pace('max'), signal))
    text += chunk;
  return text;
}
const parsed = (text: string): Extract<StreamMessage, { seq: string }>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Extract<StreamMessage, { seq: string }>);

describe('lines', () => {
  test('twice the same bytes; every line a message of the feed; gaps where they were', async () => {
    const text = await lines();
    expect(await lines()).toBe(text);
    const messages = parsed(text);
    expect(messages.map((message) => contract.problem(message)).filter(Boolean)).toEqual([]);
    expect(messages).toHaveLength(21);
    expect(messages.every(({ replay }) => replay)).toBe(true);
    const before = messages[messages.findIndex(({ type }) => type === 'gap') - 1]!;
    expect(before).toMatchObject({ type: 'book', data: { native: { ordinal: 104 } } });
  });

  test('an asset chooses its markets by metadata from before the range, which names them too', async () => {
    const messages = parsed(await lines({ assets: ['btc'] }));
    expect(messages).toHaveLength(11);
    expect(messages[0]).toMatchObject({
      data: {
        market_id: 'X',
        series_id: 'KXBTC15M',
        outcome_label: 'Yes',
        timestamp: '2026-05-28T20:28:20.000Z',
      },
    });
    // Metadata further back than is looked for names nobody, but the asset still chooses: it never changes.
    const bare = parsed(await lines({ assets: ['btc'], lookback: 0 }));
    expect(bare).toHaveLength(11);
    expect(bare[0]).toMatchObject({ data: { market_id: 'X', series_id: null } });
  });

  test('frames come as import takes them', async () => {
    expect(JSON.parse(await lines({ format: 'frames' }))).toMatchObject({
      venue: 'venueb',
      channel: 'orderbook_delta',
      session: 'b-5f0c-1',
      frame: '{"type":"orderbook_delta","note":"Größe €"}',
      settings: { use_yes_price: 'true' },
    });
  });
});

class Client {
  readonly messages: StreamMessage[] = [];
  readonly socket: WebSocket;
  constructor(url: string) {
    this.socket = new WebSocket(url);
    this.socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString('utf8')) as StreamMessage;
      const problem = contract.problem(message);
      if (problem !== null) throw new Error(`a message breaks the contract: ${JSON.stringify(problem)}`);
      this.messages.push(message);
    });
  }
  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }
  books(): number[] {
    return this.messages.flatMap((message) => (message.type === 'book' ? [message.data.native.ordinal] : []));
  }
  state(): string | undefined {
    return this.messages.flatMap((message) => (message.type === 'replay' ? [message.state] : [])).at(-1);
  }
}

async function play(speed: number | 'max', more: Partial<ReplayRequest> = {}): Promise<Client> {
  const { format: _lines, ...request } = REQUEST;
  server = await serveReplay({ log, request: { ...request, ...more }, speed, port: 0 });
  const client = new Client(server.url);
  await expect.poll(() => client.messages[0]?.type).toBe('ready');
  return client;
}

describe('a WebSocket', () => {
  test('plays to the end for a filter, then from where a seek says', async () => {
    const client = await play('max');
    client.send({ type: 'auth', key: 'whatever the live feed wants' });
    client.send({ type: 'subscribe', id: 'a', venue: 'venueb', asset: 'btc' });
    await expect.poll(() => client.state()).toBe('ended');
    expect(client.books()).toEqual([100, 101, 102, 103, 104, 105, 106, 107, 108, 109]);
    expect(client.messages.filter(({ type }) => type === 'gap')).toHaveLength(1);
    expect(client.messages.find(({ type }) => type === 'subscribed')).toMatchObject({ replay: true });
    const before = client.messages.length;
    client.send({ type: 'seek', time: new Date(T0 / 1_000 + 108_000).toISOString() });
    await expect
      .poll(() => client.messages.slice(before).filter(({ type }) => type === 'replay').length)
      .toBe(2);
    expect(client.books().slice(10)).toEqual([108, 109]);
  });

  test('pauses, changes speed and goes on', async () => {
    const client = await play(0.001);
    client.send({ type: 'subscribe', venue: 'venueb', market: 'Y' });
    await expect.poll(() => client.books()).toEqual([100]);
    client.send({ type: 'pause' });
    await expect.poll(() => client.state()).toBe('paused');
    client.send({ type: 'speed', speed: 'max' });
    client.send({ type: 'ping', id: 'still-there' });
    await expect.poll(() => client.messages.at(-1)).toMatchObject({ type: 'pong' });
    expect(client.books()).toEqual([100]);
    client.send({ type: 'resume' });
    await expect.poll(() => client.state()).toBe('ended');
    expect(client.books()).toHaveLength(10);
  });

  test('begins with the books and gaps of before, as the live feed does, and says where it is', async () => {
    const open: GapOpened = {
      ...gap,
      market: 'Y',
      outcome: 'no',
      gapId: 'early',
      observedAt: T0 + 99_000_000,
    };
    await log.append([
      book(40, 'X'),
      book(50, 'X'),
      { ...book(45, 'X'), outcome: 'no' },
      // Ended before the range: no current book.
      { ...market('Z', 'BTC', 3), status: 'closed' },
      book(60, 'Z'),
      open,
      { ...FULL_EVENTS.CaptureBeat, venue: 'venuec', observedAt: T0 + 105_000_000 },
    ]);
    const client = await play('max', { venues: ['venueb', 'venuec'] });
    client.send({ type: 'subscribe', id: 'a', venue: 'venueb' });
    await expect.poll(() => client.state()).toBe('ended');
    const types = client.messages.map(({ type }) => type);
    expect(types.slice(0, 3)).toEqual(['ready', 'subscribed', 'status']);
    const current = client.messages.flatMap((message) =>
      (message.type === 'book' || message.type === 'gap') && message.current ? [message] : [],
    );
    expect(client.messages.slice(3, 3 + current.length)).toEqual(current);
    expect(current).toMatchObject([
      { type: 'book', replay: true, data: { market_id: 'X', outcome_id: 'yes', native: { ordinal: 50 } } },
      { type: 'book', replay: true, data: { market_id: 'X', outcome_id: 'no', native: { ordinal: 45 } } },
      { type: 'gap', replay: true, data: { market_id: 'Y', outcome_id: 'no', gap_id: 'early' } },
    ]);
    // One of each partition; nothing of a venue that was not asked for.
    const subscribed = client.messages.find((message) => message.type === 'subscribed')!;
    expect(subscribed.positions.map((position) => position.replace(/\/-?\d+$/, ''))).toEqual(
      [0, 1, 2, 3].map((partition) => `venueb/${partition}`),
    );
    expect(
      client.messages.some((message) => message.type === 'status' && message.data.venue === 'venuec'),
    ).toBe(false);
  });

  test('goes on after any position a client has, without a hole and without a duplicate', async () => {
    const whole = await play('max');
    whole.send({ type: 'subscribe', venue: 'venueb' });
    await expect.poll(() => whole.state()).toBe('ended');
    const all = whole.messages.flatMap((message) =>
      'seq' in message && !('current' in message) ? [message.seq] : [],
    );
    expect(all).toHaveLength(21);
    const { positions } = whole.messages.find((message) => message.type === 'subscribed')!;
    for (let has = 0; has <= all.length; has++) {
      const places = new Map<string, string>();
      for (const seq of [...positions, ...all.slice(0, has)])
        places.set(seq.slice(0, seq.lastIndexOf('/')), seq);
      const client = new Client(server!.url);
      await expect.poll(() => client.messages[0]?.type).toBe('ready');
      client.send({ type: 'subscribe', id: 'p', from: { position: [...places.values()] } });
      await expect.poll(() => client.state()).toBe('ended');
      expect(
        client.messages.flatMap((message) => ('seq' in message ? [message.seq] : [])),
        `after ${has}`,
      ).toEqual(all.slice(has));
      const types = client.messages.map(({ type }) => type);
      expect(types.slice(1, 4)).toEqual(['subscribed', 'status', 'live']);
      client.socket.terminate();
    }
  });

  test('refuses what the live feed refuses, and closes as it does', async () => {
    const client = await play('max');
    const closed = new Promise<number>((resolve) => client.socket.on('close', resolve));
    client.send({ type: 'subscribe', id: 'p', venue: 'venueb', from: { position: 'venueb/0/-1' } });
    client.send({ type: 'subscribe', id: 'a', venue: 'venueb' });
    client.send({ type: 'subscribe', id: 'a', venue: 'venueb', market: 'X' });
    client.send({ type: 'subscribe', id: 'c', venue: 'venuec' });
    client.send({ type: 'unsubscribe', id: 'none' });
    const errors = () => client.messages.filter((message) => message.type === 'error');
    await expect.poll(() => errors().length).toBe(4);
    expect(Object.fromEntries(errors().map(({ id, code, details }) => [id, [code, details]]))).toMatchObject({
      p: ['INVALID_PARAMETER', { parameter: 'from.position' }],
      a: ['INVALID_PARAMETER', { parameter: 'id' }],
      c: ['INVALID_PARAMETER', { parameter: 'venue' }],
      none: ['UNKNOWN_SUBSCRIPTION', {}],
    });
    client.send({
      type: 'subscribe',
      id: 'late',
      from: { position: [0, 1, 2, 3].map((partition) => `venueb/${partition}/999`) },
    });
    await expect.poll(() => errors().at(-1)).toMatchObject({ id: 'late', code: 'POSITION_NOT_AVAILABLE' });
    client.send({ type: 'speed', speed: -1 });
    for (let n = 0; n < 10; n++) client.socket.send('nonsense');
    expect(await closed).toBe(4400);
    expect(errors()).toHaveLength(10);
  });
});
