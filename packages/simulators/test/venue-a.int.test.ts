import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSimulators, type Simulators } from '../src/index.ts';
import { clock, holdClock, moveClock, nowMs, restartClock, connectA, getA, type Json } from './clients.ts';

let simulators: Simulators;
beforeEach(async () => {
  restartClock();
  simulators = await startSimulators({
    clock,
    seed: 11,
    venues: ['venuea'],
    scale: 15,
    updatesPerSecond: 20,
    record: true,
  });
});
afterEach(() => simulators.close());

const inner = (text: string): Json => {
  const push = JSON.parse(text) as Json;
  return JSON.parse(push['data']) as Json;
};

test('REST needs a key, a clock and a signature of exactly what is sent', async () => {
  const code = async (...args: Parameters<typeof getA> extends [unknown, ...infer Rest] ? Rest : never) => {
    const { status, body } = await getA(simulators, ...args);
    return [status, body['code']];
  };
  expect(await code('/market/list', {}, { key: null })).toEqual([401, -2014]);
  expect(await code('/market/list', {}, { key: 'f'.repeat(64) })).toEqual([401, -2008]);
  expect(await code('/market/list', {}, { timestamp: nowMs() - 60_000 })).toEqual([400, -1021]);
  expect(await code('/market/list', {}, { timestamp: nowMs() + 5_000 })).toEqual([400, -1021]);
  expect(await code('/market/list', {}, { secret: 'wrong' })).toEqual([400, -1022]);
  expect(await code('/market/list', {}, { appended: '&limit=5' })).toEqual([400, -1022]);
  expect(await code('/order-book', { marketId: '1' })).toEqual([400, -3026]);
  const good = await getA(simulators, '/market/list', { l1Category: 'crypto', limit: '3' });
  expect(good.status).toBe(200);
  expect(good.headers.get('x-sapi-used-ip-weight-1m')).toBe('1600');
  expect(good.body['marketTopics']).toHaveLength(3);
  expect(good.body['hasMore']).toBe(true);
});

test('60 calls a minute, then 429, then a ban, both with Retry-After', async () => {
  await simulators.close();
  holdClock();
  simulators = await startSimulators({ seed: 11, venues: ['venuea'], clock, autoRun: false });
  const statuses: number[] = [];
  const waits: number[] = [];
  for (let call = 0; call < 75; call++) {
    const { status, headers } = await getA(simulators, '/category/list');
    statuses.push(status);
    waits.push(Number(headers.get('retry-after') ?? '0'));
  }
  expect(statuses.slice(0, 60).every((status) => status === 200)).toBe(true);
  expect(waits.map((wait) => wait > 0)).toEqual(statuses.map((status) => status !== 200));
  expect(statuses.slice(60, 70)).toEqual(Array.from({ length: 10 }, () => 429));
  expect(statuses.slice(70)).toEqual(Array.from({ length: 5 }, () => 418));
});

test('the whole book of the first outcome is pushed, JSON inside a string, best first; both token views mirror', async () => {
  await expect(connectA(simulators, ['web3_prediction_orderbook_data'], 'wrong')).rejects.toThrow(/-1022/);
  const socket = await connectA(simulators, ['web3_prediction_orderbook_data']);
  expect(JSON.parse(await socket.until(() => true))).toEqual({
    type: 'COMMAND',
    subType: 'REGISTER',
    data: 'SUCCESS',
  });
  const text = await socket.until((one) => one.includes('TOPIC'));
  const push = JSON.parse(text) as Json;
  expect(push['topic']).toBe('web3_prediction_orderbook_data');
  const book = inner(text);
  expect(Object.keys(book)).toEqual(['msgType', 'marketId', 'updateTimestampMs', 'asks', 'bids']);
  const prices = (levels: [string, string][]): number[] => levels.map(([price]) => Number(price));
  expect(prices(book['bids'])).toEqual(prices(book['bids']).sort((a, b) => b - a));
  expect(prices(book['asks'])).toEqual(prices(book['asks']).sort((a, b) => a - b));
  expect(book['bids'].length + book['asks'].length).toBeGreaterThan(20);

  const { body: list } = await getA(simulators, '/market/list', { limit: '100' });
  const topic = (list['marketTopics'] as Json[]).find(
    (one) => one['markets']?.[0]?.marketId === book['marketId'],
  )!;
  const { body: detail } = await getA(simulators, '/market/detail', {
    marketTopicId: String(topic['marketTopicId']),
  });
  const market = detail['markets'][0] as Json;
  expect(market['outcomes'].map((outcome: Json) => outcome['name'])).toEqual(['Up', 'Down']);
  expect([detail['ladderlog_simulated'], market['ladderlog_simulated']]).toEqual([true, true]);
  const view = async (outcome: 0 | 1): Promise<Json> =>
    (
      await getA(simulators, '/order-book', {
        vendor: 'predict_fun',
        marketId: String(book['marketId']),
        tokenId: market['outcomes'][outcome].tokenId,
      })
    ).body;
  const [up, down] = [await view(0), await view(1)];
  expect(up['outcome']).toBe('Up');
  expect(up['bids'][0].price > up['bids'][1].price).toBe(true);
  expect(down['bids'][0].price > down['bids'][1].price).toBe(true);
  socket.close();
});

test('subscriptions come and go in band; one market’s topic carries only that market', async () => {
  const socket = await connectA(simulators, ['web3_prediction_orderbook_data']);
  const first = inner(await socket.until((text) => text.includes('TOPIC')));
  socket.send({ command: 'UNSUBSCRIBE', value: 'web3_prediction_orderbook_data' });
  await socket.until((text) => text.includes('UNSUBSCRIBE'));
  const from = socket.texts.length;
  socket.send({ command: 'SUBSCRIBE', value: `web3_prediction_orderbook_${first['marketId']}` });
  await socket.until((text) => text.includes(`orderbook_${first['marketId']}"`), from);
  const pushed = socket.texts.slice(from).filter((text) => text.includes('TOPIC'));
  expect(new Set(pushed.map((text) => inner(text)['marketId']))).toEqual(new Set([first['marketId']]));
  socket.send({ command: 'SUBSCRIBE', value: 'nonsense' });
  expect(JSON.parse(await socket.until((text) => text.includes('FAIL')))).toMatchObject({ data: 'FAIL' });
  socket.close();
});

test('a client that does not ping is dropped; one that pings stays; six messages in a second are too many', async () => {
  await simulators.close();
  // Many pings within the limit: a machine that stands still for a moment must not look like a client that does not ping.
  const servers = { venuea: { pingTimeoutMs: 3_000 } };
  simulators = await startSimulators({ clock, seed: 11, venues: ['venuea'], scale: 15, servers });
  const silent = await connectA(simulators, ['web3_prediction_orderbook_data']);
  const pinging = await connectA(simulators, ['web3_prediction_orderbook_data']);
  const timer = setInterval(() => pinging.socket.ping(), 100);
  expect((await silent.closed).code).toBe(1006);
  expect(pinging.socket.readyState).toBe(pinging.socket.OPEN);
  clearInterval(timer);
  for (let n = 0; n < 12; n++)
    pinging.send({ command: 'SUBSCRIBE', value: 'web3_prediction_orderbook_data' });
  expect((await pinging.closed).code).toBe(1008);
});

test('a connection is closed at the end of its life', async () => {
  await simulators.close();
  simulators = await startSimulators({
    clock,
    seed: 11,
    venues: ['venuea'],
    servers: { venuea: { lifeMs: 50 } },
  });
  const socket = await connectA(simulators, ['web3_prediction_orderbook_data']);
  expect((await socket.closed).code).toBe(1001);
});

test('the quirks are there: overtaken pushes, float dust, topics without outcomes, chance that is not price', async () => {
  await simulators.close();
  holdClock();
  simulators = await startSimulators({
    clock,
    seed: 5,
    venues: ['venuea'],
    autoRun: false,
    scale: 15,
    updatesPerSecond: 50,
    record: true,
  });
  const socket = await connectA(simulators, ['web3_prediction_orderbook_data']);
  await socket.until(() => true);
  for (let n = 0; n < 100; n++) {
    moveClock(100);
    simulators.step();
  }
  const pushes = simulators.sent('venuea').frames.filter(({ text }) => text.includes('TOPIC'));
  expect(pushes.length).toBeGreaterThan(1_000);
  const newest = new Map<number, number>();
  let overtaken = 0;
  for (const { text } of pushes) {
    const { marketId, updateTimestampMs } = inner(text) as { marketId: number; updateTimestampMs: number };
    if (updateTimestampMs < (newest.get(marketId) ?? 0)) overtaken++;
    else newest.set(marketId, updateTimestampMs);
  }
  expect(overtaken).toBeGreaterThan(0);
  expect(overtaken / pushes.length).toBeLessThan(0.02);
  expect(pushes.some(({ text }) => /"\d+\.\d{7,}/.test(text.replaceAll('\\', '')))).toBe(true);
  await socket.until((text) => text === pushes.at(-1)!.text);

  const { body } = await getA(simulators, '/market/list', { limit: '100' });
  const topics = body['marketTopics'] as Json[];
  const markets = topics.flatMap((topic) => topic['markets'] as Json[]);
  expect(
    topics.some((topic) => topic['markets'].length === 0) ||
      markets.some((market) => market['outcomes'].length === 0),
  ).toBe(true);
  const outcomes = markets.flatMap((market) => market['outcomes'] as Json[]);
  expect(outcomes.some((outcome) => outcome['price'] !== outcome['chance'])).toBe(true);
  const resolved = topics.filter((topic) => topic['status'] === 'RESOLVED');
  expect(resolved.length).toBeGreaterThan(10);
  const { body: detail } = await getA(simulators, '/market/detail', {
    marketTopicId: String(resolved[0]!['marketTopicId']),
  });
  expect(detail['variantData'].endPrice).toMatch(/^\d+\.\d\d$/);
  expect(detail['markets'][0].outcomes.map((outcome: Json) => outcome['price']).sort()).toEqual(['0', '1']);
  socket.close();
});
