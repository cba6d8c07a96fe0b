// What the simulators send is what the adapters of core understand: every frame, nothing rejected, no drift.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { adapterOf, type Finding, type Venue } from '@ladderlog/core';
import { startSimulators, type Simulators } from '../src/index.ts';
import {
  KEYS,
  clock,
  connectA,
  connectB,
  getA,
  getJson,
  holdClock,
  moveClock,
  openSocket,
  type Json,
} from './clients.ts';

let simulators: Simulators;
beforeEach(async () => {
  holdClock();
  simulators = await startSimulators({
    seed: 31,
    clock,
    autoRun: false,
    scale: 15,
    updatesPerSecond: 4,
    record: true,
    servers: { venueb: { credentials: KEYS } },
  });
});
afterEach(() => simulators.close());

/** Two windows of life: through ticks, resolution and the next market. */
function live(): void {
  for (let n = 0; n < 400; n++) {
    moveClock(100);
    simulators.step();
  }
}

function findings(venue: Venue, settings: Record<string, string> = {}): Finding[] {
  const normalizer = adapterOf(venue).capture.createNormalizer();
  const { frames } = simulators.sent(venue);
  return frames.flatMap(({ channel, text, at }) =>
    normalizer.normalize({ channel, direction: 'in', text, observedAt: at, settings }),
  );
}

function summary(all: readonly Finding[]) {
  const books = all.filter((finding) => finding.type === 'book');
  return {
    rejects: all.filter((finding) => finding.type === 'reject'),
    breaks: [...new Set(all.flatMap((finding) => (finding.type === 'break' ? finding.cause : [])))],
    flags: [...new Set(books.flatMap((book) => book.flags))],
    books: books.length,
    drifting: all.filter((finding) => finding.type === 'compare' && finding.levelsDiffering > 0),
    comparisons: all.filter((finding) => finding.type === 'compare').length,
    markets: new Set(all.flatMap((finding) => (finding.type === 'market' ? finding.market : []))).size,
    metrics: [...new Set(all.flatMap((finding) => (finding.type === 'sample' ? finding.metric : [])))].sort(),
  };
}

test('venue A', async () => {
  const socket = await connectA(simulators, ['web3_prediction_orderbook_data']);
  await socket.until((text) => text.includes('REGISTER'));
  await getA(simulators, '/market/list', { limit: '100' });
  live();
  const { body } = await getA(simulators, '/market/list', { limit: '100' });
  for (const topic of (body['marketTopics'] as Json[]).slice(0, 6)) {
    await getA(simulators, '/market/detail', { marketTopicId: String(topic['marketTopicId']) });
    const [market] = topic['markets'] as Json[];
    if (!market?.['outcomes'][0]) continue;
    const marketId = String(market['marketId']);
    await getA(simulators, '/order-book/last-trade-price', { marketId });
    await getA(simulators, '/order-book', {
      vendor: 'predict_fun',
      marketId,
      tokenId: market['outcomes'][0].tokenId,
    });
  }
  const seen = summary(findings('venuea'));
  expect(seen).toMatchObject({ rejects: [], breaks: [], drifting: [] });
  expect(seen.flags.filter((flag) => flag !== 'inexact')).toEqual([]);
  expect(seen.metrics).toEqual(['chance', 'last_trade', 'price']);
  expect(seen.books).toBeGreaterThan(500);
  expect(seen.markets).toBeGreaterThan(50);
  socket.close();
});

test('venue B', async () => {
  const { body } = await getJson(`${simulators.settings('venueb').restUrl}/markets?limit=1000`);
  const tickers = (body.markets as Json[])
    .filter((market) => ['active', 'initialized'].includes(market['status']))
    .map((market) => market['ticker'] as string);
  const socket = await connectB(simulators);
  socket.send({
    id: 1,
    cmd: 'subscribe',
    params: {
      channels: ['orderbook_delta', 'trade', 'ticker', 'market_lifecycle_v2'],
      market_tickers: tickers,
      use_yes_price: true,
    },
  });
  await socket.until((text) => text.includes('"sid":4'));
  live();
  const params = { sid: 1, action: 'get_snapshot', market_tickers: tickers };
  socket.send({ id: 2, cmd: 'update_subscription', params });
  await socket.until((text) => text.includes('"id":2') && text.includes(tickers.at(-1)!));
  const seen = summary(findings('venueb', { use_yes_price: 'true' }));
  expect(seen).toMatchObject({ rejects: [], breaks: [], drifting: [], flags: [] });
  expect(seen.books).toBeGreaterThan(500);
  expect(seen.markets).toBeGreaterThan(50);
  socket.close();
});

test('venue C', async () => {
  const { gammaUrl, clobUrl, wsUrl } = simulators.settings('venuec');
  const { body } = await getJson(`${gammaUrl}/events?closed=false&limit=100`);
  const tokens = (body as Json[]).flatMap(
    (event) => JSON.parse(event['markets'][0].clobTokenIds) as [string, string],
  );
  const socket = await openSocket(wsUrl!);
  socket.send({ assets_ids: tokens, type: 'market', custom_feature_enabled: true });
  await socket.until((text) => text.startsWith('['));
  live();
  for (const token of tokens.slice(-8)) await getJson(`${clobUrl}/book?token_id=${token}`);
  await getJson(`${gammaUrl}/events?closed=true&limit=100`);
  const seen = summary(findings('venuec'));
  expect(seen).toMatchObject({ rejects: [], drifting: [], flags: [] });
  expect(seen.breaks.filter((cause) => cause !== 'tick_change')).toEqual([]);
  expect(seen.books).toBeGreaterThan(2_000);
  expect(seen.comparisons).toBeGreaterThan(100);
  socket.close();
});
