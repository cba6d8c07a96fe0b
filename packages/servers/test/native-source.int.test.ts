// The servers do not know the market process: any source will do. Here each serves a handful of recorded frames.

import { expect, test } from 'vitest';
import type { VenueFrame } from '@ladderlog/core';
import { openSocket, type Json } from '../../simulators/test/clients.ts';
import { startVenueServer, type NativeSource } from '../src/index.ts';

const clock = (): number => Date.now() * 1_000;

/** Plays its frames to each client once it watches something, then ends. */
function playing<Frame extends VenueFrame>(
  frames: readonly Frame[],
  initial: (ids: readonly string[]) => readonly Frame[],
): NativeSource<Frame> {
  return {
    rest: ({ service, target }) =>
      target.startsWith('/known') ? { status: 200, body: JSON.stringify(`${service}:${target}`) } : null,
    connect(deliver) {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      let begun = false;
      return {
        initial,
        ended,
        watching() {
          if (begun) return;
          begun = true;
          setImmediate(() => {
            for (const frame of frames) deliver(frame);
            resolve();
          });
        },
        close: () => {},
      };
    },
  };
}

test('venue C: recorded frames as they were, the first book by subscription, then the end', async () => {
  const book = {
    tokens: ['1'],
    market: '0xaa',
    text: '{"event_type":"book","asset_id":"1","bids":[{"price":".48","size":"3"}],"asks":[]}',
    custom: false,
  };
  const change = { ...book, text: '{"event_type":"price_change","asset_id":"1","x":1.50}' };
  const other = { ...book, tokens: ['2'], text: '{"event_type":"book","asset_id":"2"}' };
  const source = playing([change, other], (ids) => (ids.includes('1') ? [book] : []));
  const server = await startVenueServer({ venue: 'venuec', source, clock });
  const socket = await openSocket(`ws://127.0.0.1:${server.port}/ws/market`);
  socket.send({ assets_ids: ['1'], type: 'market' });
  expect((await socket.closed).code).toBe(1000);
  expect(socket.texts).toEqual([`[${book.text}]`, change.text]);
  const answer = await fetch(`${server.urls['gamma']}/known?slug=x`);
  expect(await answer.json()).toBe('gamma:/known?slug=x');
  expect((await fetch(`http://127.0.0.1:${server.port}/unknown`)).status).toBe(404);
  await server.close();
});

test('venue B: a recording in YES prices is served in NO prices to those who ask, with its own numbers', async () => {
  const delta: VenueFrame & { msg: object } & Json = {
    channel: 'orderbook_delta',
    type: 'orderbook_delta',
    market: 'T',
    msg: { market_ticker: 'T', price_dollars: '0.5500', delta_fp: '1.00', side: 'no' },
    yesPrices: true,
  };
  const snapshot = {
    ...delta,
    type: 'orderbook_snapshot',
    msg: { market_ticker: 'T', no_dollars_fp: [['0.5500', '2.00']] },
  };
  const source = playing([delta, { ...delta, market: 'U' }, delta], () => [snapshot]);
  const server = await startVenueServer({ venue: 'venueb', source, clock });
  const socket = await openSocket(`ws://127.0.0.1:${server.port}/trade-api/ws/v2`);
  const params = { channels: ['orderbook_delta'], market_tickers: ['T'], use_yes_price: false };
  socket.send({ id: 1, cmd: 'subscribe', params });
  await socket.closed;
  const [, first, second, third] = socket.json();
  expect(first).toEqual({
    type: 'orderbook_snapshot',
    sid: 1,
    seq: 1,
    msg: { market_ticker: 'T', no_dollars_fp: [['0.4500', '2.00']] },
  });
  expect([second!['seq'], second!['msg'].price_dollars, third!['seq']]).toEqual([2, '0.4500', 3]);
  await server.close();
});

test('venue A: the recorded inner text is wrapped in the topic that the client asked for', async () => {
  const data = '{"msgType":"orderbook","marketId":7,"updateTimestampMs":1,"asks":[],"bids":[["0.50","1.0"]]}';
  const source = playing([{ market: '7', data }], () => []);
  const server = await startVenueServer({ venue: 'venuea', source, clock });
  const url = `ws://127.0.0.1:${server.port}/sapi/wss?topic=web3_prediction_orderbook_7`;
  const socket = await openSocket(url);
  await socket.closed;
  const push = socket.json().at(-1) as Json;
  expect(push).toEqual({ type: 'TOPIC', topic: 'web3_prediction_orderbook_7', data });
  await server.close();
});
