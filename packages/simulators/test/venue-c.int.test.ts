import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSimulators, type Simulators } from '../src/index.ts';
import {
  clock,
  holdClock,
  moveClock,
  nowMs,
  restartClock,
  getJson,
  levelMap,
  openSocket,
  type Json,
  type TestSocket,
} from './clients.ts';

let simulators: Simulators;
beforeEach(async () => {
  restartClock();
  simulators = await startSimulators({
    clock,
    seed: 13,
    venues: ['venuec'],
    scale: 15,
    updatesPerSecond: 20,
    record: true,
  });
});
afterEach(() => simulators.close());

const events = async (query: string): Promise<Json[]> =>
  (await getJson(`${simulators.settings('venuec').gammaUrl}/events?${query}`)).body as Json[];
const tokensOf = (event: Json): [string, string] => JSON.parse(event['markets'][0].clobTokenIds);
const live = async (): Promise<Json[]> =>
  (await events('closed=false&limit=100')).filter(
    (event) => Date.parse(event['startTime']) <= nowMs() && Date.parse(event['endDate']) > nowMs(),
  );

type Books = Map<string, { bids: Map<number, number>; asks: Map<number, number> }>;
const sides = (book: Json) => ({
  bids: levelMap((book['bids'] as Json[]).map((level) => [level['price'], level['size']])),
  asks: levelMap((book['asks'] as Json[]).map((level) => [level['price'], level['size']])),
});

/** Applies frames as a client does; says where a book that arrived differs from the one built. */
function follow(frames: readonly unknown[], books: Books, differing: string[]): void {
  for (const message of frames.flat() as Json[]) {
    if (message['bids']) {
      const known = books.get(message['asset_id']);
      const book = sides(message);
      if (known && JSON.stringify(sorted(known)) !== JSON.stringify(sorted(book)))
        differing.push(message['asset_id']);
      books.set(message['asset_id'], book);
    }
    for (const change of (message['price_changes'] ?? []) as Json[]) {
      const book = books.get(change['asset_id']);
      if (!book) continue;
      const side = change['side'] === 'BUY' ? book.bids : book.asks;
      const [[price, size]] = [...levelMap([[change['price'], change['size']]])] as [[number, number]];
      if (size === 0) side.delete(price);
      else side.set(price, size);
    }
  }
}
const sorted = ({ bids, asks }: { bids: Map<number, number>; asks: Map<number, number> }) => [
  [...bids].sort(([a], [b]) => a - b),
  [...asks].sort(([a], [b]) => a - b),
];

const subscribed = async (tokens: readonly string[], more: Json = {}): Promise<TestSocket> => {
  const socket = await openSocket(simulators.settings('venuec').wsUrl!);
  socket.send({ assets_ids: tokens, type: 'market', ...more });
  return socket;
};

test('the first frame is an array of books, worst level first; PING is answered by PONG', async () => {
  const tokens = (await live()).flatMap(tokensOf);
  const socket = await subscribed(tokens);
  socket.send('PING');
  expect(await socket.until((text) => text === 'PONG')).toBe('PONG');
  const first = JSON.parse(socket.texts.find((text) => text.startsWith('['))!) as Json[];
  expect(first.map((book) => book['asset_id'])).toEqual(tokens);
  const prices = (levels: Json[]): number[] => levels.map((level) => Number(level['price']));
  for (const book of first) {
    expect(prices(book['bids'])).toEqual(prices(book['bids']).sort((a, b) => a - b));
    expect(prices(book['asks'])).toEqual(prices(book['asks']).sort((a, b) => b - a));
    expect(book['timestamp']).toMatch(/^\d{13}$/);
  }
  socket.send({ assets_ids: tokens, operation: 'subscribe' });
  await socket.until((text) => text === 'NO NEW ASSETS');
  socket.close();
});

test('price changes add up to every later book, of both tokens', async () => {
  const tokens = (await live()).flatMap(tokensOf);
  const socket = await subscribed(tokens);
  await socket.until(() => socket.texts.length > 400);
  const books: Books = new Map();
  const differing: string[] = [];
  const frames = socket.json();
  follow(frames, books, differing);
  expect(differing).toEqual([]);
  const kinds = new Set(frames.flat().map((message) => message['event_type'] as string));
  expect([...kinds]).toEqual(expect.arrayContaining(['book', 'price_change', 'last_trade_price']));
  const both = frames.flat().filter((message) => message['price_changes']);
  expect(both.every((message) => (message['price_changes'] as Json[]).length === 2)).toBe(true);
  socket.close();
});

test('the hash of a REST book is the SHA-1 that the SDK computes, alone and in a batch', async () => {
  const [event] = await live();
  const tokens = tokensOf(event!);
  const { clobUrl } = simulators.settings('venuec');
  const { body } = await getJson(`${clobUrl}/book?token_id=${tokens[0]}`);
  const batch = await getJson(`${clobUrl}/books`, {
    method: 'POST',
    body: JSON.stringify(tokens.map((token_id) => ({ token_id }))),
  });
  expect(batch.body.map((book: Json) => book['asset_id'])).toEqual(tokens);
  for (const book of [body, ...batch.body] as Json[]) {
    const text = JSON.stringify({ ...book, hash: '' });
    expect(createHash('sha1').update(text).digest('hex')).toBe(book['hash']);
    expect(Object.keys(book)).toEqual([
      'market',
      'asset_id',
      'timestamp',
      'bids',
      'asks',
      'min_order_size',
      'tick_size',
      'neg_risk',
      'last_trade_price',
      'hash',
    ]);
  }
  expect((await getJson(`${clobUrl}/tick-size?token_id=${tokens[0]}`)).body).toEqual({
    minimum_tick_size: Number(body.tick_size),
  });
  expect((await getJson(`${clobUrl}/book?token_id=1`)).status).toBe(404);
  const time = await getJson(`${clobUrl}/time`);
  expect(Math.abs(time.body - nowMs() / 1_000)).toBeLessThan(60);
});

test('only the first 500 tokens of a socket get a snapshot', async () => {
  await simulators.close();
  simulators = await startSimulators({
    clock,
    seed: 13,
    venues: ['venuec'],
    scale: 15,
    prelisted: 48,
    updatesPerSecond: 0.1,
    levels: 20,
  });
  const tokens = simulators.process
    .states('venuec')
    .flatMap(({ market, book }) => (book ? market.tokens : []));
  expect(tokens.length).toBeGreaterThan(500);
  const socket = await subscribed(tokens.slice(0, 499));
  const first = JSON.parse(await socket.until((text) => text.startsWith('['))) as Json[];
  expect(first).toHaveLength(499);
  const from = socket.texts.length;
  socket.send({ assets_ids: tokens.slice(499, 510), operation: 'subscribe' });
  const second = JSON.parse(await socket.until((text) => text.startsWith('['), from)) as Json[];
  expect(second.map((book) => book['asset_id'])).toEqual([tokens[499]]);
  socket.close();
});

test('unsubscribed tokens fall silent; initial_dump false sends no book', async () => {
  const [one, two] = (await live()).map(tokensOf);
  const socket = await subscribed([...one!, ...two!], { initial_dump: false });
  await socket.until((text) => text.includes(one![0]));
  socket.send({ assets_ids: one, operation: 'unsubscribe' });
  socket.send('PING');
  await socket.until((text) => text === 'PONG');
  const from = socket.texts.length;
  await socket.until((text) => text.includes(two![0]), from + 40);
  expect(socket.texts.slice(from).filter((text) => text.includes(one![0]))).toEqual([]);
  expect(socket.texts.filter((text) => text.startsWith('['))).toEqual([]);
  socket.close();
});

test('a market ends: finer ticks with a fresh book, resolution on the socket, in Gamma and on the CLOB', async () => {
  await simulators.close();
  holdClock();
  simulators = await startSimulators({
    clock,
    seed: 13,
    venues: ['venuec'],
    scale: 15,
    updatesPerSecond: 10,
    autoRun: false,
    record: true,
  });
  const started = nowMs();
  const markets = simulators.process
    .states('venuec')
    .map(({ market }) => market)
    .filter((market) => market.startMs <= started && market.endMs > started);
  const socket = await subscribed(
    markets.flatMap(({ tokens }) => tokens),
    { custom_feature_enabled: true },
  );
  await socket.until((text) => text.startsWith('['));
  const last = Math.max(...markets.map(({ resolveMs }) => resolveMs));
  while (nowMs() < last + 1_000) {
    moveClock(500);
    simulators.step();
  }
  const frames = simulators.sent('venuec').frames.filter(({ channel }) => channel === 'ws');
  await socket.until((text) => text === frames.at(-1)!.text);
  const messages = socket.json().flat();
  const of = (kind: string): Json[] => messages.filter((message) => message['event_type'] === kind);
  const resolved = of('market_resolved');
  expect(new Set(resolved.map((message) => message['market']))).toEqual(
    new Set(markets.map(({ conditionId }) => conditionId)),
  );
  const { gammaUrl, clobUrl } = simulators.settings('venuec');
  for (const message of resolved) {
    const clob = (await getJson(`${clobUrl}/markets/${message['market']}`)).body as Json;
    const winner = (clob['tokens'] as Json[]).find((token) => token['winner'])!;
    expect([winner['token_id'], winner['outcome']]).toEqual([
      message['winning_asset_id'],
      message['winning_outcome'],
    ]);
    const id = `condition_ids=${message['market']}`;
    expect((await getJson(`${gammaUrl}/markets?${id}`)).body).toEqual([]);
    const [gamma] = (await getJson(`${gammaUrl}/markets?${id}&closed=true`)).body as [Json];
    expect(gamma).toMatchObject({ closed: true, umaResolutionStatus: 'resolved', ladderlog_simulated: true });
    expect(JSON.parse(gamma['outcomePrices'])).toEqual(
      message['winning_outcome'] === 'Up' ? ['1', '0'] : ['0', '1'],
    );
    expect((await getJson(`${clobUrl}/book?token_id=${message['winning_asset_id']}`)).status).toBe(404);
  }
  const ticks = of('tick_size_change');
  expect(ticks.length).toBeGreaterThan(0);
  for (const tick of ticks) {
    const after = messages.slice(messages.indexOf(tick) + 1);
    const next = after.find(
      (message) => message['asset_id'] === tick['asset_id'] && message['event_type'] !== 'tick_size_change',
    )!;
    expect([next['event_type'], next['tick_size']]).toEqual(['book', '0.001']);
  }
  expect(of('new_market').length).toBeGreaterThan(0);
  const differing: string[] = [];
  follow(messages, new Map(), differing);
  expect(differing).toEqual([]);
  socket.close();
});

test('a new market is on Gamma before the CLOB has it; then its first book is sent to who waits', async () => {
  await simulators.close();
  holdClock();
  simulators = await startSimulators({
    clock,
    seed: 13,
    venues: ['venuec'],
    scale: 15,
    updatesPerSecond: 50,
    autoRun: false,
  });
  const socket = await subscribed([], { custom_feature_enabled: true });
  socket.send('PING');
  await socket.until((text) => text === 'PONG');
  while (!socket.texts.some((text) => text.includes('new_market'))) {
    moveClock(50);
    simulators.step();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const message = JSON.parse(await socket.until((text) => text.includes('new_market'))) as Json;
  const [token] = message['clob_token_ids'] as string[];
  const book = (): Promise<{ status: number }> =>
    getJson(`${simulators.settings('venuec').clobUrl}/book?token_id=${token}`);
  expect(await events(`slug=${message['slug']}`)).toHaveLength(1);
  expect((await book()).status).toBe(404);
  socket.send({ assets_ids: [token], operation: 'subscribe' });
  socket.send('PING');
  await socket.until((text) => text === 'PONG', socket.texts.indexOf('PONG') + 1);
  for (let n = 0; n < 40; n++) {
    moveClock(50);
    simulators.step();
  }
  const first = JSON.parse(await socket.until((text) => text.includes(`"asset_id":"${token}"`))) as Json;
  expect(first['event_type']).toBe('book');
  expect((await book()).status).toBe(200);
  socket.close();
});

test('Gamma: slugs, series, hidden lists, caps, keyset', async () => {
  const { gammaUrl } = simulators.settings('venuec');
  const [first] = await events('series_slug=btc-up-or-down-5m&closed=false&order=endDate&ascending=true');
  const slug = first!['slug'] as string;
  expect(slug).toMatch(/^btc-updown-5m-\d+$/);
  expect((await events(`slug=${slug}`))[0]!['id']).toBe(first!['id']);
  expect((await getJson(`${gammaUrl}/events/slug/${slug}`)).body.slug).toBe(slug);
  expect((await getJson(`${gammaUrl}/events/${first!['id']}`)).body.slug).toBe(slug);
  expect((await getJson(`${gammaUrl}/markets/slug/${slug}`)).body.slug).toBe(slug);
  expect((await getJson(`${gammaUrl}/markets?active=true`)).body).toEqual([]);
  expect((await getJson(`${gammaUrl}/markets?offset=5000`)).status).toBe(422);
  expect((await getJson(`${gammaUrl}/markets/keyset?offset=1`)).status).toBe(422);
  expect((await getJson(`${gammaUrl}/events/slug/nope`)).status).toBe(404);
  expect((await events('closed=true&limit=1000')).length).toBeLessThanOrEqual(100);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = (
      await getJson(
        `${gammaUrl}/markets/keyset?closed=true&limit=50${cursor ? `&after_cursor=${cursor}` : ''}`,
      )
    ).body as { markets: Json[]; next_cursor?: string };
    seen.push(...page.markets.map((market) => market['id'] as string));
    cursor = page.next_cursor;
  } while (cursor);
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.length).toBeGreaterThan(100);
});
