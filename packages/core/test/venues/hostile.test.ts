// Values that a venue, or whoever speaks in its place, may send to stop a recorder. Each must end as events the log can take.

import { describe, expect, it } from 'vitest';
import { adapterOf } from '../../src/venues/registry.ts';
import { frame, only, record } from './frames.ts';

const BOOK_A = 'rest:/order-book?vendor=predict_fun&marketId=5&tokenId=9';
const topic = (over: object): object => ({
  marketTopicId: 1,
  slug: 'btc-updown-5m-1794700800',
  markets: [{ marketId: 1, tradingStatus: 'OPEN', outcomes: [{ name: 'Up', price: '0.5', ...over }] }],
});
const snapshotB = (sides: object): object => ({
  type: 'orderbook_snapshot',
  sid: 1,
  seq: 1,
  msg: { market_ticker: 'KXA', ...sides },
});
const deltaB = (change: object): object => ({
  type: 'orderbook_delta',
  sid: 1,
  seq: 2,
  msg: { market_ticker: 'KXA', delta_fp: '1', ...change },
});
const FAR = '-9007199254.740990';

describe('hostile values', () => {
  it.each(['constructor', 'toString', '__proto__'])('venue A: an outcome named %s', (outcome) => {
    const book = { outcome, tokenId: '9', timestamp: 1_794_700_802_500, bids: [], asks: [] };
    expect(record(adapterOf('venuea'), [frame(JSON.stringify(book), BOOK_A)])).toMatchObject([
      [{ type: 'reject', reason: 'unknown_outcome' }],
    ]);
  });

  it('venue A: an index that is none is the place in the list', () => {
    const text = JSON.stringify(topic({ index: 99_999_999_999 }));
    const [findings] = record(adapterOf('venuea'), [frame(text, 'rest:/market/detail?marketTopicId=1')]);
    expect(only(findings!, 'market')[0]!.fields.outcomes).toMatchObject([{ id: '0', index: 0 }]);
    expect(only(findings!, 'sample')).toMatchObject([{ outcome: '0' }]);
  });

  it('venue B: a NO price whose YES price is past the range', () => {
    const frames = [
      snapshotB({ no_dollars_fp: [[FAR, '1']] }),
      snapshotB({}),
      deltaB({ price_dollars: FAR, side: 'no' }),
    ];
    expect(
      record(
        adapterOf('venueb'),
        frames.map((message) => frame(JSON.stringify(message))),
      ),
    ).toMatchObject([
      [{ type: 'reject', reason: 'bad_book' }, { type: 'break' }],
      [{ type: 'book' }],
      [{ type: 'reject', reason: 'bad_book' }, { type: 'break' }],
    ]);
  });

  it('venue C: a coin named constructor is no coin', () => {
    const market = {
      conditionId: `0x${'a'.repeat(64)}`,
      slug: 'constructor-up-or-down-on-june-5',
      clobTokenIds: '["1","2"]',
    };
    const [findings] = record(adapterOf('venuec'), [frame(JSON.stringify([market]), 'gamma:/markets')]);
    expect(only(findings!, 'market')[0]!.fields).toMatchObject({ asset: null, window: null });
  });

  it('venue C: a side that is an object is a bad change of its own token, not a failure', () => {
    const text =
      '{"event_type":"price_change","market":"0x1","price_changes":[{"asset_id":"7","side":{"toString":1},"price":"0.5","size":"1"}]}';
    expect(record(adapterOf('venuec'), [frame(text)])).toMatchObject([
      [
        { type: 'reject', reason: 'bad_change' },
        { type: 'break', outcome: '7' },
      ],
    ]);
  });
});
