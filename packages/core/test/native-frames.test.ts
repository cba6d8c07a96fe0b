import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { framesA } from '../src/venues/venue-a/replay.ts';
import { framesB } from '../src/venues/venue-b/replay.ts';
import { elementsOf, framesC } from '../src/venues/venue-c/replay.ts';
import { withoutTokens } from '../src/venues/venue-c/server-socket.ts';

describe('elements of an array keep their own text', () => {
  test('whitespace, numbers and brackets inside text stay', () => {
    expect(elementsOf('[ {"a": 1.50, "b":"],[{\\""} ,{"c":[1,2,{"d":"}"}]}, 7 ]')).toEqual([
      '{"a": 1.50, "b":"],[{\\""}',
      '{"c":[1,2,{"d":"}"}]}',
      '7',
    ]);
    expect(elementsOf('[]')).toEqual([]);
    expect(elementsOf(' [ ] ')).toEqual([]);
  });

  test('whatever JSON holds', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 1, 2), (list, indent) => {
        expect(
          elementsOf(JSON.stringify(list, null, indent)).map((text) => JSON.parse(text) as unknown),
        ).toEqual(JSON.parse(JSON.stringify(list)));
      }),
    );
  });
});

describe('recorded frames as a venue server wants them', () => {
  test('venue A: the inner text as it was, by its market', () => {
    const data = '{"msgType":"orderbook","marketId":7,"asks":[["0.50","1.0"]],"bids":[]}';
    const text = JSON.stringify({ type: 'TOPIC', topic: 'web3_prediction_orderbook_data', data });
    expect(framesA(text)).toEqual([{ market: '7', data }]);
    expect(framesA('{"type":"COMMAND","subType":"REGISTER","data":"SUCCESS"}')).toEqual([]);
    expect(framesA('garbage')).toEqual([]);
  });

  test('venue B: content without the numbers of the recorded connection', () => {
    const msg = { market_ticker: 'T', price_dollars: '0.5500', delta_fp: '1.00', side: 'no' };
    const text = JSON.stringify({ type: 'orderbook_delta', sid: 4, seq: 9, msg });
    expect(framesB(text, () => true)).toEqual([
      { channel: 'orderbook_delta', type: 'orderbook_delta', market: 'T', msg, yesPrices: true },
    ]);
    expect(framesB('{"type":"ok","sid":1,"seq":2,"msg":{"market_tickers":["T"]}}', () => false)).toEqual([]);
  });

  test('venue C: each message of an array by itself, with what it concerns', () => {
    const book =
      '{"event_type":"book","asset_id":"1","market":"0xa","bids":[{"price":".48","size":"3"}],"asks":[]}';
    const change =
      '{"event_type":"price_change","market":"0xa","price_changes":[{"asset_id":"1"},{"asset_id":"2"}]}';
    expect(framesC(`[${book}, ${change}]`)).toEqual([
      { tokens: ['1'], market: '0xa', text: book, custom: false, kind: 'book' },
      { tokens: ['1', '2'], market: '0xa', text: change, custom: false, kind: 'change' },
    ]);
    expect(framesC('PONG')).toEqual([]);
    expect(framesC('{"event_type":"new_market","market":"0xb","assets_ids":["3"]}')[0]).toMatchObject({
      tokens: [],
      custom: true,
    });
  });

  test('venue C: a token in a gap is taken out of a change, the rest stays', () => {
    const [frame] = framesC(
      '{"event_type":"price_change","price_changes":[{"asset_id":"1","x":1},{"asset_id":"2"}]}',
    );
    const left = withoutTokens(frame!, new Set(['2']))!;
    expect(left.tokens).toEqual(['1']);
    expect(JSON.parse(left.text)).toEqual({
      event_type: 'price_change',
      price_changes: [{ asset_id: '1', x: 1 }],
    });
    expect(withoutTokens(frame!, new Set(['1', '2']))).toBeNull();
    expect(withoutTokens(frame!, new Set(['9']))).toBe(frame);
  });
});
