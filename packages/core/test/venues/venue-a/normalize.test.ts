import { describe, expect, it } from 'vitest';
import { venueA } from '../../../src/venues/venue-a/index.ts';
import type { Over } from './messages.ts';
import { DETAIL, DOWN, MARKET, UP, book, fieldsOf, push, topic } from './messages.ts';
import { feed, fixtureLines, golden, only, sourceText } from '../frames.ts';

describe('the recorded session', () => {
  it('gives exactly the expected findings', () => {
    const normalizer = venueA.capture.createNormalizer();
    const frames = fixtureLines('venue-a/session.jsonl').map(
      (line) => JSON.parse(line) as { channel: string; text: string },
    );
    const { actual, expected } = golden(
      'venue-a/session.jsonl',
      frames.map(({ channel, text }) => feed(normalizer, text, channel)),
    );
    expect(actual).toBe(expected);
  });
});

describe('pushes', () => {
  it('is a whole book of the first outcome, parsed twice', () => {
    const [finding] = only(feed(venueA.capture.createNormalizer(), push(book())), 'book');
    expect(finding).toMatchObject({
      market: MARKET,
      outcome: '0',
      kind: 'snapshot',
      sourceTs: 1_794_700_802_617_000,
      bidPrices: [510_000, 500_000],
      bidSizes: [500e6, 1_200e6],
      askPrices: [530_000, 540_000],
      priceFormat: '2',
      exceptions: [],
      flags: [],
    });
    expect(sourceText(finding!).bids).toEqual([
      ['0.51', '500'],
      ['0.50', '1200'],
    ]);
  });

  it('reads the stream of all markets, and takes the market from the topic where the book lacks it', () => {
    const all = push(book(), 'web3_prediction_orderbook_data');
    expect(only(feed(venueA.capture.createNormalizer(), all), 'book')[0]!.market).toBe(MARKET);
    const named = push(book({ marketId: undefined }));
    expect(only(feed(venueA.capture.createNormalizer(), named), 'book')[0]!.market).toBe(MARKET);
    const neither = push(book({ marketId: undefined }), 'web3_prediction_orderbook_data');
    expect(feed(venueA.capture.createNormalizer(), neither)).toMatchObject([
      { type: 'reject', reason: 'missing_market' },
    ]);
  });

  it('leaves out what the next push overtook', () => {
    const normalizer = venueA.capture.createNormalizer();
    feed(normalizer, push(book()));
    const skip = [{ type: 'skip', reason: 'out_of_order' }];
    expect(feed(normalizer, push(book({ updateTimestampMs: 1794700802616, bids: [] })))).toEqual(skip);
    expect(feed(normalizer, push(book()))).toEqual(skip);
    expect(only(feed(normalizer, push(book({ updateTimestampMs: 1794700802618 }))), 'book')).toHaveLength(1);
    expect(only(feed(normalizer, push(book({ marketId: 7 }))), 'book')).toHaveLength(1);
    normalizer.forget();
    expect(only(feed(normalizer, push(book())), 'book')).toHaveLength(1);
  });

  it('takes what follows when the venue sets its clock back: not for an hour is every book an older one', () => {
    const normalizer = venueA.capture.createNormalizer();
    const at = 1794700802617;
    feed(normalizer, push(book({ updateTimestampMs: at + 3_600_000 })));
    expect(only(feed(normalizer, push(book({ updateTimestampMs: at }))), 'book')).toHaveLength(1);
    expect(feed(normalizer, push(book({ updateTimestampMs: at - 1 })))).toEqual([
      { type: 'skip', reason: 'out_of_order' },
    ]);
  });

  it.each([50_000, 3_000])('loses no book to a clock set back by %d ms', (back) => {
    const normalizer = venueA.capture.createNormalizer();
    const at = 1794700802617;
    feed(normalizer, push(book({ updateTimestampMs: at })));
    for (let later = 0; later < back; later += 1_000) {
      const moved = push(book({ updateTimestampMs: at - back + later }));
      expect(only(feed(normalizer, moved), 'book')).toHaveLength(1);
    }
  });

  it('keeps ids that a double cannot hold', () => {
    const text = JSON.stringify(book()).replace('6815131', '9007199254740993123');
    const [finding] = only(feed(venueA.capture.createNormalizer(), push(text)), 'book');
    expect(finding!.market).toBe('9007199254740993123');
  });

  it('rounds float dust to 1e-6, flags it, and keeps its text', () => {
    const bids = [['0.99', '2754.8487591424446']];
    const [finding] = only(feed(venueA.capture.createNormalizer(), push(book({ bids }))), 'book');
    expect(finding).toMatchObject({ bidSizes: [2_754_848_759], flags: ['inexact'] });
    expect(sourceText(finding!).bids).toEqual(bids);
  });

  it.each([
    ['a side is missing', { asks: undefined }],
    ['a level is short', { asks: [['0.5']] }],
    ['a value is no number', { asks: [['0.5', 'x']] }],
  ])('rejects a book where %s and says that it is lost', (_name, over) => {
    expect(feed(venueA.capture.createNormalizer(), push(book(over)))).toMatchObject([
      { type: 'reject', market: MARKET, reason: 'bad_book', booksIntact: true },
      { type: 'break', market: MARKET, outcome: '0', cause: 'rejected_frame' },
    ]);
  });

  it.each([
    [
      { type: 'COMMAND', subType: 'REGISTER', data: 'SUCCESS' },
      { type: 'skip', reason: 'command_reply' },
    ],
    [
      { type: 'COMMAND', subType: 'SUBSCRIBE', data: 'FAILED' },
      { type: 'reject', reason: 'command_refused' },
    ],
    [{ type: 'PONG' }, { type: 'skip', reason: 'heartbeat' }],
    ['PONG', { type: 'skip', reason: 'heartbeat' }],
    ['ping\n', { type: 'skip', reason: 'heartbeat' }],
    ['', { type: 'skip', reason: 'heartbeat' }],
    ['"PONG"', { type: 'reject', reason: 'not_an_object' }],
    [push('{}', 'web3_prediction_pm_1'), { type: 'skip', reason: 'own_orders' }],
    [push('{}', 'something_else'), { type: 'reject', reason: 'unknown_kind' }],
    [push('{"msgType":"trade"}'), { type: 'reject', reason: 'unknown_kind', market: MARKET }],
    [push('{"half'), { type: 'reject', reason: 'not_json', market: MARKET }],
    [
      { code: -2014, msg: 'API-key format invalid.' },
      { type: 'reject', reason: 'venue_error_-2014' },
    ],
    ['garbage', { type: 'reject', reason: 'not_json' }],
    ['[1]', { type: 'reject', reason: 'not_an_object' }],
    [{ hello: 1 }, { type: 'reject', reason: 'unknown_kind' }],
  ])('answers %j', (message, expected) => {
    expect(feed(venueA.capture.createNormalizer(), message)).toMatchObject([expected]);
  });
});

describe('predict.fun, the fallback', () => {
  const text = (size = '30192.260') =>
    `{"type":"M","topic":"predictOrderbook/1113650","data":{"marketId":1113650,"updateTimestampMs":1794700802617,"asks":[[0.492,${size}]],"bids":[[0.490,1e2],[0.48,2754.8487591424446]]}}`;

  it('keeps the exact text of its numbers', () => {
    const [finding] = only(feed(venueA.capture.createNormalizer(), text()), 'book');
    expect(finding).toMatchObject({
      market: '1113650',
      outcome: '0',
      bidPrices: [490_000, 480_000],
      bidSizes: [100e6, 2_754_848_759],
      askSizes: [30_192_260_000],
      flags: ['inexact'],
      nativeIds: { predictfun_market_id: '1113650' },
    });
    expect(sourceText(finding!)).toEqual({
      bids: [
        ['0.490', '1e2'],
        ['0.48', '2754.8487591424446'],
      ],
      asks: [['0.492', '30192.260']],
    });
  });

  it('is the market of venue A once that is known, from its own answers or from another session', () => {
    const normalizer = venueA.capture.createNormalizer();
    const [found] = only(feed(normalizer, topic(), DETAIL), 'market');
    expect(only(feed(normalizer, text()), 'book')[0]!.market).toBe(MARKET);
    const other = venueA.capture.createNormalizer();
    other.learn(MARKET, found!.fields);
    expect(only(feed(other, text()), 'book')[0]!.market).toBe(MARKET);
  });

  it('has a name of its own where venue A has another market of that number', () => {
    const normalizer = venueA.capture.createNormalizer();
    const [found] = only(feed(normalizer, topic(), DETAIL), 'market');
    const other = venueA.capture.createNormalizer();
    other.learn('1113650', { ...found!.fields, native: '{}' });
    expect(only(feed(other, text()), 'book')[0]!.market).toBe('predictfun-1113650');
  });

  it('reads its REST book, once per update, and compares it beside a socket', () => {
    const normalizer = venueA.capture.createNormalizer();
    const answer =
      '{"success":true,"data":{"updateTimestampMs":1785352500353,"asks":[],"bids":[[0.99,2754.8487591424446],[0.95,10.68]],"lastOrderSettled":{"id":"1","price":"0.99"}}}';
    const channel = 'predictfun:/v1/markets/1113650/orderbook';
    expect(feed(normalizer, answer, channel)).toMatchObject([
      { type: 'book', bidPrices: [990_000, 950_000] },
    ]);
    expect(feed(normalizer, answer, channel)).toEqual([{ type: 'skip', reason: 'out_of_order' }]);
    feed(normalizer, text());
    expect(feed(normalizer, answer, channel)).toMatchObject([{ type: 'compare', levelsDiffering: 5 }]);
  });

  const predictMarket = {
    id: 1739803,
    conditionId: '0xa8',
    categorySlug: 'eth-updown-15m-1787839200',
    decimalPrecision: 2,
    feeRateBps: 200,
    question: 'Ethereum Up or Down',
    title: 'Ethereum Up or Down',
    status: 'REGISTERED',
    tradingStatus: 'OPEN',
    resolution: null,
    outcomes: [
      { name: 'Down', indexSet: 2, onChainId: DOWN, status: null },
      { name: 'Up', indexSet: 1, onChainId: UP, status: null },
    ],
    variantData: { type: 'CRYPTO_UP_DOWN', startPrice: 4012.25, endPrice: null },
  };
  const category = {
    id: 405022,
    slug: 'eth-updown-15m-1787839200',
    startsAt: '2026-08-27T14:00:00.000Z',
    endsAt: '2026-08-27T14:15:00.000Z',
    publishedAt: '2026-08-26T14:00:20.780Z',
    status: 'OPEN',
    markets: [predictMarket],
  };

  it.each([
    ['predictfun:/v1/categories?first=20', { success: true, data: [category], cursor: 'x' }],
    ['predictfun:/v1/categories/eth-updown-15m-1787839200', { success: true, data: category }],
    ['predictfun:/v1/search?query=eth', { success: true, data: { categories: [category], markets: [] } }],
  ])('reads the catalogue of %s', (channel, answer) => {
    const [fields] = fieldsOf(answer, channel);
    expect(fields).toMatchObject({
      slug: 'eth-updown-15m-1787839200',
      asset: 'ETH',
      window: '15m',
      status: 'open',
      opensAt: 1_787_839_200_000_000,
      closesAt: 1_787_840_100_000_000,
      strike: '4012.25',
      tickSize: 10_000,
      outcomes: [
        { id: '0', label: 'Up', tokenId: UP },
        { id: '1', label: 'Down', tokenId: DOWN },
      ],
    });
  });

  it('takes the winner that it states', () => {
    const done = { ...predictMarket, status: 'RESOLVED', tradingStatus: 'CLOSED' };
    const channel = 'predictfun:/v1/markets/1739803';
    const named = { ...done, resolution: { name: 'Down', indexSet: 2, onChainId: DOWN, status: 'WON' } };
    expect(fieldsOf({ success: true, data: named }, channel)[0]).toMatchObject({
      status: 'resolved',
      resolution: 'Down',
      winningOutcome: '1',
    });
    const marked = {
      ...done,
      outcomes: predictMarket.outcomes.map((outcome) => ({
        ...outcome,
        status: outcome.name === 'Up' ? 'WON' : 'LOST',
      })),
    };
    expect(fieldsOf({ success: true, data: marked }, channel)[0]).toMatchObject({ winningOutcome: '0' });
    expect(fieldsOf({ success: true, data: done }, channel)[0]).toMatchObject({ winningOutcome: null });
  });

  it.each([
    ['{"type":"R","requestId":1,"success":true}', { type: 'skip', reason: 'command_reply' }],
    ['{"type":"R","requestId":1,"success":false}', { type: 'reject', reason: 'command_refused' }],
    ['{"type":"M","topic":"heartbeat","data":1794700802617}', { type: 'skip', reason: 'heartbeat' }],
    ['{"type":"M","topic":"predictOrderbook/1","data":null}', { type: 'reject', market: '1' }],
  ])('answers %s', (message, expected) => {
    expect(feed(venueA.capture.createNormalizer(), message)).toMatchObject([expected]);
  });
});

describe('REST books and trades', () => {
  const answer = (outcome: string, tokenId: string, over: Over = {}) => ({
    outcome,
    tokenId,
    timestamp: 1794700802500,
    bids: [{ price: '0.47', size: '300.00' }],
    asks: [{ price: '0.49', size: '500.00' }],
    ...over,
  });
  const channel = (token: string) =>
    `rest:/order-book?vendor=predict_fun&marketId=${MARKET}&tokenId=${token}`;

  it('is a book of its own token, by the catalogue or by its label', () => {
    const plain = venueA.capture.createNormalizer();
    expect(feed(plain, answer('Down', DOWN), channel(DOWN))).toMatchObject([
      { type: 'book', market: MARKET, outcome: '1', nativeIds: { token_id: DOWN }, sizeFormat: '2' },
    ]);
    expect(feed(plain, answer('YES', UP), channel(UP))).toMatchObject([{ type: 'book', outcome: '0' }]);
    expect(feed(plain, answer('Maybe', UP), channel(UP))).toMatchObject([{ reason: 'unknown_outcome' }]);
    const learned = venueA.capture.createNormalizer();
    feed(learned, topic(), DETAIL);
    const path = `rest:/sapi/v1/w3w/wallet/prediction/order-book?tokenId=${DOWN}`;
    expect(feed(learned, answer('?', DOWN), path)).toMatchObject([
      { type: 'book', market: MARKET, outcome: '1' },
    ]);
  });

  it('is only compared beside the stream, the second token against the mirror of the first', () => {
    const normalizer = venueA.capture.createNormalizer();
    feed(normalizer, push(book({ bids: [['0.51', '500']], asks: [['0.53', '300']] })));
    expect(feed(normalizer, answer('Down', DOWN), channel(DOWN))).toMatchObject([
      { type: 'compare', outcome: '1', method: 'rest', levelsDiffering: 0 },
    ]);
    expect(feed(normalizer, answer('Up', UP), channel(UP))).toMatchObject([
      { type: 'compare', outcome: '0', levelsDiffering: 4 },
    ]);
  });

  it('is no book of the second token where a socket will send only the first', () => {
    const normalizer = venueA.capture.createNormalizer();
    feed(normalizer, { type: 'COMMAND', subType: 'SUBSCRIBE', data: 'SUCCESS' });
    expect(feed(normalizer, answer('Down', DOWN), channel(DOWN))).toEqual([
      { type: 'skip', reason: 'second_outcome' },
    ]);
    const first = {
      bids: [{ price: '0.51', size: '500.00' }],
      asks: [{ price: '0.53', size: '300.00' }],
    };
    expect(feed(normalizer, answer('Up', UP, first), channel(UP))).toMatchObject([
      { type: 'book', outcome: '0' },
    ]);
    expect(feed(normalizer, answer('Down', DOWN), channel(DOWN))).toMatchObject([
      { type: 'compare', outcome: '1', levelsDiffering: 0 },
    ]);
    // The push that was on its way is no older book: the answer's time is not that of its last change.
    expect(feed(normalizer, push(book({ updateTimestampMs: 1794700802400 })))).toMatchObject([
      { type: 'book', outcome: '0' },
    ]);
  });

  it('samples the last trade of the first outcome, without a time', () => {
    const at = `rest:/order-book/last-trade-price?marketId=${MARKET}`;
    expect(
      feed(venueA.capture.createNormalizer(), { marketId: 6815131, lastTradePrice: '0.52' }, at),
    ).toEqual([
      {
        type: 'sample',
        market: MARKET,
        outcome: '0',
        metric: 'last_trade',
        sourceTs: null,
        value: 520_000,
        text: '0.52',
        exact: true,
        size: null,
        takerSide: null,
      },
    ]);
    const none = { marketId: 6815131, lastTradePrice: null };
    expect(feed(venueA.capture.createNormalizer(), none, at)).toEqual([
      { type: 'skip', reason: 'no_trade_yet' },
    ]);
  });

  it.each([
    ['{"code":-1021,"msg":"Timestamp outside of the recvWindow."}', DETAIL, 'venue_error_-1021'],
    ['{"code":-3026,"msg":"missing"}', channel(UP), 'venue_error_-3026'],
    ['{"success":false,"message":"no"}', 'predictfun:/v1/markets/1/orderbook', 'venue_error'],
    ['<html>', DETAIL, 'not_json'],
    ['{}', 'rest:/unheard/of', 'unknown_channel'],
    ['{}', DETAIL, 'bad_market'],
  ])('rejects %s of %s', (text, from, reason) => {
    expect(feed(venueA.capture.createNormalizer(), text, from)).toMatchObject([{ type: 'reject', reason }]);
  });
});
