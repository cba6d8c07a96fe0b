import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startSimulators, type Simulators } from '../src/index.ts';
import {
  KEYS,
  clock,
  holdClock,
  moveClock,
  nowMs,
  restartClock,
  connectB,
  getJson,
  levelMap,
  openSocket,
  signB,
  type Json,
  type TestSocket,
} from './clients.ts';

let simulators: Simulators;
beforeEach(async () => {
  restartClock();
  simulators = await startSimulators({
    clock,
    seed: 12,
    venues: ['venueb'],
    scale: 15,
    updatesPerSecond: 20,
    record: true,
    servers: { venueb: { credentials: KEYS } },
  });
});
afterEach(() => simulators.close());

const openMarkets = async (): Promise<Json[]> =>
  (await getJson(`${simulators.settings('venueb').restUrl}/markets?status=open&limit=1000`)).body
    .markets as Json[];

const subscribe = (socket: TestSocket, tickers: string[], more: Json = {}): void =>
  socket.send({
    id: 1,
    cmd: 'subscribe',
    params: { channels: ['orderbook_delta'], market_tickers: tickers, use_yes_price: false, ...more },
  });

/** Books by ticker from snapshots and deltas, in native sides, as a client builds them. */
function build(
  messages: readonly Json[],
): Map<string, { yes: Map<number, number>; no: Map<number, number> }> {
  const books = new Map<string, { yes: Map<number, number>; no: Map<number, number> }>();
  for (const { type, msg } of messages as { type: string; msg: Json }[]) {
    const ticker = msg?.['market_ticker'] as string;
    if (type === 'orderbook_snapshot')
      books.set(ticker, {
        yes: levelMap(msg['yes_dollars_fp'] ?? []),
        no: levelMap(msg['no_dollars_fp'] ?? []),
      });
    if (type !== 'orderbook_delta') continue;
    const side = books.get(ticker)![msg['side'] as 'yes' | 'no'];
    const price = Math.round(Number(msg['price_dollars']) * 1e6);
    const size = (side.get(price) ?? 0) + Math.round(Number(msg['delta_fp']) * 1e6);
    expect(size).toBeGreaterThanOrEqual(0);
    if (size === 0) side.delete(price);
    else side.set(price, size);
  }
  return books;
}

describe('authentication', () => {
  test('the socket needs a fresh RSA-PSS signature of its own path', async () => {
    const url = simulators.settings('venueb').wsUrl!;
    await expect(openSocket(url)).rejects.toThrow(/401/);
    await expect(openSocket(url, signB(simulators, 'GET', '/trade-api/v2'))).rejects.toThrow(/401/);
    const good = signB(simulators, 'GET', '/trade-api/ws/v2');
    await expect(openSocket(url, { ...good, 'KALSHI-ACCESS-KEY': 'other' })).rejects.toThrow(/401/);
    const stale = { ...good, 'KALSHI-ACCESS-TIMESTAMP': String(nowMs() - 120_000) };
    await expect(openSocket(url, stale)).rejects.toThrow(/401/);
    (await openSocket(url, good)).close();
  });

  test('REST reads go unsigned; a signature that is given must be right', async () => {
    const path = '/trade-api/v2/exchange/status';
    const url = `${simulators.settings('venueb').restUrl}/exchange/status`;
    expect((await getJson(url)).status).toBe(200);
    expect((await getJson(url, { headers: signB(simulators, 'GET', path) })).status).toBe(200);
    expect((await getJson(url, { headers: signB(simulators, 'GET', '/elsewhere') })).status).toBe(401);
  });
});

test('20 reads a second, then 429 without Retry-After', async () => {
  await simulators.close();
  holdClock();
  simulators = await startSimulators({ seed: 12, venues: ['venueb'], clock, autoRun: false });
  const url = `${simulators.settings('venueb').restUrl}/exchange/status`;
  for (let n = 0; n < 20; n++) expect((await fetch(url)).status).toBe(200);
  const refused = await fetch(url);
  expect(refused.status).toBe(429);
  expect(await refused.text()).toBe('{"error":"too many requests"}');
  expect(refused.headers.get('retry-after')).toBeNull();
  moveClock(100);
  const after = [await fetch(url), await fetch(url), await fetch(url)].map(({ status }) => status);
  expect(after).toEqual([200, 200, 429]);
});

describe('books', () => {
  test('snapshot and deltas give the next snapshot, and every frame of a sid is counted', async () => {
    const markets = await openMarkets();
    const tickers = markets.map((market) => market['ticker'] as string);
    const socket = await connectB(simulators);
    subscribe(socket, tickers.slice(0, 2));
    await socket.until((text) => text.includes('orderbook_delta"') && text.includes('delta_fp'));
    socket.send({
      id: 2,
      cmd: 'update_subscription',
      params: { sids: [1], action: 'add_markets', market_tickers: tickers.slice(2) },
    });
    const ok = JSON.parse(await socket.until((text) => text.includes('"ok"'))) as Json;
    expect(ok['msg'].market_tickers).toEqual([...tickers].sort());
    const from = socket.texts.length;
    await socket.until(() => socket.texts.length > from + 150);

    socket.send({
      id: 3,
      cmd: 'update_subscription',
      params: { sid: 1, action: 'get_snapshot', market_tickers: tickers },
    });
    await socket.until((text) => text.includes('"id":3') && text.includes(tickers.at(-1)!));
    const all = socket.json();
    const asked = all.filter((message) => message['id'] === 3);
    expect(asked).toHaveLength(tickers.length);
    // The snapshots that were asked for came in one piece: what was built until then must be what they say.
    const built = build(all.slice(0, all.indexOf(asked[0]!)));
    const truth = build(asked);
    for (const ticker of tickers) expect(built.get(ticker)).toEqual(truth.get(ticker));
    const numbered = all.filter((message) => message['seq'] !== undefined);
    expect(numbered.map((message) => message['seq'])).toEqual(numbered.map((_, at) => at + 1));
    expect(numbered.some((message) => message['type'] === 'ok')).toBe(true);
    const sizes = all
      .filter((message) => message['type'] === 'orderbook_delta')
      .map((m) => m['msg'].delta_fp);
    expect(sizes.every((size) => /^-?\d+\.\d\d$/.test(size))).toBe(true);
    expect(sizes.some((size) => !size.endsWith('.00'))).toBe(true);
    socket.close();
  });

  test('use_yes_price turns the no side into YES prices, and nothing else', async () => {
    const ticker = (await openMarkets())[0]!['ticker'] as string;
    const socket = await connectB(simulators);
    subscribe(socket, [ticker]);
    subscribe(socket, [ticker], { use_yes_price: true });
    await socket.until((text) => text.includes('"sid":2') && text.includes('delta_fp'));
    const all = socket.json().filter((message) => message['msg']?.market_ticker === ticker);
    const of = (sid: number, type: string): Json[] =>
      all.filter((message) => message['sid'] === sid && message['type'] === type).map((m) => m['msg']);
    const joined = all.findIndex((message) => message['sid'] === 2);
    const no = build(all.slice(0, joined)).get(ticker)!.no;
    const yes = levelMap(of(2, 'orderbook_snapshot')[0]!['no_dollars_fp']);
    expect(new Map([...yes].map(([price, size]) => [1_000_000 - price, size]))).toEqual(no);
    for (const delta of of(2, 'orderbook_delta')) {
      const plain = of(1, 'orderbook_delta').filter(
        (other) => other['ts_ms'] === delta['ts_ms'] && other['delta_fp'] === delta['delta_fp'],
      );
      const prices = plain.map((other) => Number(other['price_dollars']));
      const price = Number(delta['price_dollars']);
      const expected = delta['side'] === 'no' ? Math.round((1 - price) * 1e6) / 1e6 : price;
      expect(prices).toContain(expected);
    }
    socket.close();
  });

  test('REST shows ascending bids only, depth keeps the best, the batch route the same', async () => {
    const ticker = (await openMarkets())[0]!['ticker'] as string;
    const { restUrl } = simulators.settings('venueb');
    const deep = (await getJson(`${restUrl}/markets/${ticker}/orderbook`)).body.orderbook_fp as Json;
    const prices = (deep['yes_dollars'] as [string, string][]).map(([price]) => Number(price));
    expect(prices).toEqual([...prices].sort((a, b) => a - b));
    expect(prices.length).toBeGreaterThan(5);
    const shallow = (await getJson(`${restUrl}/markets/${ticker}/orderbook?depth=1`)).body
      .orderbook_fp as Json;
    expect(shallow['yes_dollars']).toHaveLength(1);
    const batch = await getJson(`${restUrl}/markets/orderbooks?tickers=${ticker}&tickers=NOPE`);
    expect(batch.body.orderbooks.map((one: Json) => one['ticker'])).toEqual([ticker]);
    expect((await getJson(`${restUrl}/markets/NOPE/orderbook`)).status).toBe(404);
  });
});

test('commands that are wrong get the venue’s codes; subscriptions can be listed and ended', async () => {
  const socket = await connectB(simulators);
  const code = async (id: number, command: Json): Promise<number> => {
    socket.send({ id, ...command });
    const text = await socket.until((one) => one.includes(`"id":${id},`));
    return (JSON.parse(text) as Json)['msg'].code;
  };
  expect(await code(11, { cmd: 'dance' })).toBe(5);
  expect(await code(12, { cmd: 'subscribe' })).toBe(2);
  expect(await code(13, { cmd: 'subscribe', params: {} })).toBe(3);
  expect(await code(14, { cmd: 'subscribe', params: { channels: ['weather'] } })).toBe(8);
  expect(await code(15, { cmd: 'subscribe', params: { channels: ['orderbook_delta'] } })).toBe(14);
  expect(await code(16, { cmd: 'unsubscribe', params: { sids: [9] } })).toBe(7);
  expect(await code(17, { cmd: 'update_subscription', params: { action: 'add_markets' } })).toBe(12);
  const ticker = (await openMarkets())[0]!['ticker'] as string;
  subscribe(socket, [ticker]);
  await socket.until((text) => text.includes('orderbook_snapshot'));
  expect(await code(18, { cmd: 'update_subscription', params: { sid: 1, market_tickers: [ticker] } })).toBe(
    15,
  );
  const missing = { sid: 1, action: 'add_markets', market_ticker: 'NOPE' };
  socket.send({ id: 19, cmd: 'update_subscription', params: missing });
  expect(await socket.until((text) => text.includes('Market not found'))).toContain('"market_ticker":"NOPE"');
  socket.send({ id: 20, cmd: 'list_subscriptions' });
  const listed = JSON.parse(await socket.until((text) => text.includes('"id":20'))) as Json;
  expect(listed['msg']).toEqual([{ channel: 'orderbook_delta', sid: 1 }]);
  socket.send({ id: 21, cmd: 'unsubscribe', params: { sids: [1] } });
  const ended = JSON.parse(await socket.until((text) => text.includes('unsubscribed'))) as Json;
  expect(ended['seq']).toBeGreaterThan(1);
  socket.close();
});

test('the server pings with the body heartbeat', async () => {
  await simulators.close();
  simulators = await startSimulators({
    clock,
    seed: 12,
    venues: ['venueb'],
    servers: { venueb: { heartbeatMs: 50, credentials: KEYS } },
  });
  const socket = await connectB(simulators);
  const body = await new Promise((resolve) => {
    socket.socket.once('ping', (data) => resolve(data.toString()));
  });
  expect(body).toBe('heartbeat');
  socket.close();
});

test('the catalogue: filters, statuses, cursors, tapered prices, settlement', async () => {
  const { restUrl } = simulators.settings('venueb');
  const get = async (path: string): Promise<Json> => (await getJson(`${restUrl}${path}`)).body as Json;
  const open = (await get('/markets?series_ticker=KXBTC15M&status=open'))['markets'] as Json[];
  expect(open).toHaveLength(1);
  expect(open[0]).toMatchObject({
    status: 'active',
    strike_type: 'greater_or_equal',
    price_level_structure: 'tapered_deci_cent',
    result: '',
    ladderlog_simulated: true,
  });
  const settled = (await get('/markets?status=settled'))['markets'] as Json[];
  expect(settled.length).toBeGreaterThan(10);
  for (const market of settled) {
    expect(['yes', 'no']).toContain(market['result']);
    expect(market['settlement_value_dollars']).toBe(market['result'] === 'yes' ? '1.0000' : '0.0000');
  }
  const bad = await getJson(`${restUrl}/markets?status=open&min_close_ts=1`);
  expect(bad.status).toBe(400);
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await get(`/markets?series_ticker=KXBTCD&limit=50${cursor ? `&cursor=${cursor}` : ''}`);
    seen.push(...(page['markets'] as Json[]).map((market) => market['ticker'] as string));
    cursor = page['cursor'] as string;
  } while (cursor !== '');
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.length).toBeGreaterThan(100);
  const events = (await get('/events?series_ticker=KXBTCD&status=open&with_nested_markets=true'))[
    'events'
  ] as Json[];
  expect(events[0]!['markets']).toHaveLength(7);
  expect(((await get('/series'))['series'] as Json[]).map((series) => series['ticker'])).toEqual([
    'KXBTC15M',
    'KXBTCD',
    'KXETH15M',
  ]);
});

test('an unopened market has a snapshot without sides, and its first orders come as deltas', async () => {
  await simulators.close();
  holdClock();
  simulators = await startSimulators({
    clock,
    seed: 3,
    venues: ['venueb'],
    autoRun: false,
    windows: ['15m'],
    scale: 15,
  });
  const waiting = simulators.process.states('venueb').find(({ market }) => market.startMs > nowMs())!.market;
  const socket = await connectB(simulators);
  subscribe(socket, [waiting.id]);
  const snapshot = JSON.parse(await socket.until((text) => text.includes('orderbook_snapshot'))) as Json;
  expect(Object.keys(snapshot['msg'])).toEqual(['market_ticker', 'market_id']);
  moveClock(waiting.startMs + 500 - nowMs());
  simulators.step();
  socket.send({
    id: 9,
    cmd: 'update_subscription',
    params: { sid: 1, action: 'get_snapshot', market_tickers: [waiting.id] },
  });
  await socket.until((text) => text.includes('"id":9'));
  const all = socket.json();
  expect(build(all.slice(0, -1)).get(waiting.id)).toEqual(build(all.slice(-1)).get(waiting.id));
  expect(build(all).get(waiting.id)!.yes.size).toBeGreaterThan(10);
  socket.close();
});
