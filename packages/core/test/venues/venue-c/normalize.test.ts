import { describe, expect, it } from 'vitest';
import { Capture } from '../../../src/capture/capture.ts';
import { UNKNOWN_MARKET } from '../../../src/events/market-fields.ts';
import { venueC } from '../../../src/venues/venue-c/index.ts';
import { DOWN, MARKET, UP, bookMessage, change, changes, level, started } from './messages.ts';
import { AT, feed, frame, only, sourceText } from '../frames.ts';

describe('frames that hold nothing to record', () => {
  it.each([
    ['PONG', 'pong'],
    ['PING', 'ping'],
    ['NO NEW ASSETS', 'no_new_assets'],
    ['[]', 'empty_array'],
    [JSON.stringify({ event_type: 'best_bid_ask', market: MARKET, asset_id: UP }), 'best_bid_ask'],
  ])('%s is skipped', (text, reason) => {
    expect(feed(venueC.capture.createNormalizer(), text)).toEqual([{ type: 'skip', reason }]);
  });

  it('skips what the recorder itself sent', () => {
    const sent = { ...frame(JSON.stringify(bookMessage())), direction: 'out' as const };
    expect(venueC.capture.createNormalizer().normalize(sent)).toEqual([{ type: 'skip', reason: 'outbound' }]);
  });
});

describe('full books', () => {
  it('puts the best level first and gives the venue text back', () => {
    const [book] = only(feed(venueC.capture.createNormalizer(), [bookMessage()]), 'book');
    expect(book).toMatchObject({
      market: MARKET,
      outcome: UP,
      kind: 'snapshot',
      sourceTs: 1_794_700_801_300_000,
      bidPrices: [510_000, 500_000],
      bidSizes: [42_000_000, 310_400_000],
      askPrices: [530_000, 540_000],
      askSizes: [18_750_000, 120_000_000],
      nativeBid: 'bids',
      nativeAsk: 'asks',
      hash: '0a1b',
      nativeIds: { asset_id: UP },
      priceFormat: '.2',
      exceptions: [],
    });
    expect(sourceText(book!)).toEqual({
      bids: [
        ['.51', '42'],
        ['.50', '310.4'],
      ],
      asks: [
        ['.53', '18.75'],
        ['.54', '120'],
      ],
    });
  });

  it.each([
    ['without event_type', bookMessage({ event_type: undefined })],
    ['as an object', bookMessage()],
    [
      'with buys and sells',
      {
        ...bookMessage({ event_type: undefined, bids: undefined, asks: undefined }),
        buys: [level('.51', '42')],
        sells: [],
      },
    ],
  ])('reads a book %s', (_name, message) => {
    expect(only(feed(venueC.capture.createNormalizer(), message), 'book')).toHaveLength(1);
  });

  it('keeps repeated prices and zero sizes as they came, and applies changes to the last stated size', () => {
    const normalizer = venueC.capture.createNormalizer();
    const bids = [level('0.5', '10'), level('0.50', '20'), level('0.4', '0')];
    const [book] = only(feed(normalizer, bookMessage({ bids, asks: [] })), 'book');
    expect(book).toMatchObject({ bidPrices: [500_000, 500_000, 400_000], bidSizes: [10e6, 20e6, 0] });
    expect(sourceText(book!).bids).toEqual([
      ['0.5', '10'],
      ['0.50', '20'],
      ['0.4', '0'],
    ]);
    const [after] = only(feed(normalizer, changes(change({ price: '0.45', size: '1' }))), 'book');
    expect(after).toMatchObject({ bidPrices: [500_000, 450_000], bidSizes: [20e6, 1e6] });
    expect(sourceText(after!).bids[0]).toEqual(['0.50', '20']);
  });

  it('measures how far the held book was from the next full one', () => {
    const normalizer = started();
    feed(normalizer, changes(change()));
    const same = feed(normalizer, bookMessage({ bids: [...bookMessage().bids, level('0.52', '75')] }));
    expect(same.map(({ type }) => type)).toEqual(['compare', 'book']);
    expect(same[0]).toMatchObject({ method: 'snapshot', levelsDiffering: 0, sizeDrift: 0, detail: null });
    const moved = feed(normalizer, bookMessage({ bids: [level('0.51', '40')] }));
    expect(moved[0]).toMatchObject({
      levelsOurs: 5,
      levelsTheirs: 3,
      levelsDiffering: 3,
      sizeDrift: 75e6 + 2e6 + 310.4e6,
      detail: 'bid 0.52: ours 75, theirs 0',
    });
  });

  it('flags a price off the tick that the stream stated, and a value with more than six decimals', () => {
    const normalizer = venueC.capture.createNormalizer();
    const [book] = only(
      feed(normalizer, bookMessage({ tick_size: '0.01', bids: [level('0.505', '1.12345678')] })),
      'book',
    );
    expect(book!.flags).toEqual(['inexact', 'off_tick']);
    expect(book!.bidSizes).toEqual([1_123_457]);
    expect(sourceText(book!).bids).toEqual([['0.505', '1.12345678']]);
    const [after] = only(feed(normalizer, changes(change({ price: '0.505', size: '2' }))), 'book');
    expect(after!.flags).toEqual(['off_tick']);
  });

  it.each([
    ['a side is missing', { asks: undefined }],
    ['a level has no size', { bids: [{ price: '0.5' }] }],
    ['a value is no number', { bids: [level('abc', '1')] }],
    ['a value is out of range', { bids: [level('0.5', '9999999999999')] }],
  ])('rejects the whole book and loses the token where %s', (_name, over) => {
    const normalizer = started();
    const findings = feed(normalizer, bookMessage(over));
    expect(findings).toMatchObject([
      { type: 'reject', market: MARKET, reason: 'bad_book' },
      { type: 'break', outcome: UP, cause: 'rejected_frame' },
    ]);
    expect(only(feed(normalizer, changes(change())), 'book')).toEqual([]);
  });
});

describe('changes', () => {
  it('sets a level to its new total, and a zero deletes it', () => {
    const normalizer = started();
    const [set] = only(feed(normalizer, changes(change({ price: '0.51', size: '7' }))), 'book');
    expect(set).toMatchObject({ kind: 'delta', bidPrices: [510_000, 500_000], bidSizes: [7e6, 310.4e6] });
    expect(set).toMatchObject({ nativeBid: 'BUY', nativeAsk: 'SELL', hash: null });
    const [gone] = only(
      feed(normalizer, changes(change({ price: '0.53', size: '0', side: 'SELL' }))),
      'book',
    );
    expect(gone).toMatchObject({ askPrices: [540_000], askSizes: [120e6] });
  });

  it('is one observation per token after all entries of a message, in order of first appearance', () => {
    const normalizer = started();
    feed(normalizer, bookMessage({ asset_id: DOWN }));
    const findings = feed(
      normalizer,
      changes(
        change({ asset_id: DOWN, price: '0.48', side: 'SELL' }),
        change({ price: '0.49' }),
        change({ asset_id: DOWN, price: '0.47', side: 'SELL' }),
        change({ price: '0.49', size: '3' }),
      ),
    );
    expect(findings).toMatchObject([
      { type: 'book', outcome: DOWN, askPrices: [470_000, 480_000, 530_000, 540_000] },
      { type: 'book', outcome: UP, bidPrices: [510_000, 500_000, 490_000], bidSizes: [42e6, 310.4e6, 3e6] },
    ]);
  });

  it.each([
    [
      'changes (before 2025-09-15)',
      {
        event_type: 'price_change',
        asset_id: UP,
        market: MARKET,
        changes: [{ price: '0.4', side: 'SELL', size: '3300' }],
        timestamp: '1729084877448',
        hash: '3cd4',
      },
    ],
    [
      'one flat change',
      {
        event_type: 'price_change',
        asset_id: UP,
        market: MARKET,
        price: '0.4',
        side: 'SELL',
        size: '3300',
        timestamp: '1729084877448',
        hash: '3cd4',
      },
    ],
  ])('reads the older shape: %s', (_name, message) => {
    expect(feed(started(), message)).toMatchObject([
      { type: 'book', askPrices: [400_000, 530_000, 540_000], hash: '3cd4', sourceTs: 1_729_084_877_448_000 },
    ]);
  });

  it('chooses formats anew where the full book said little of the texts that came', () => {
    const normalizer = venueC.capture.createNormalizer();
    feed(normalizer, bookMessage({ bids: [], asks: [] }));
    const books = Array.from({ length: 30 }, (_, at) =>
      only(feed(normalizer, changes(change({ price: `.${at + 10}0`, size: `${at + 10}.0` }))), 'book'),
    ).flat();
    expect(Math.max(...books.map(({ exceptions }) => exceptions.length))).toBeLessThanOrEqual(8);
    const last = books.at(-1);
    expect(last).toMatchObject({ priceFormat: '.3', sizeFormat: '1', exceptions: [] });
    expect(sourceText(last!).bids[0]).toEqual(['.390', '39.0']);
  });

  it('gives no observation for a token whose book is not known, and says so once', () => {
    const normalizer = started();
    const entry = change({ asset_id: DOWN });
    expect(feed(normalizer, changes(entry))).toMatchObject([
      { type: 'break', market: MARKET, outcome: DOWN, cause: 'awaiting_snapshot', scope: 'book' },
      { type: 'skip', reason: 'awaiting_snapshot' },
    ]);
    expect(feed(normalizer, changes(entry, change()))).toMatchObject([
      { type: 'book', outcome: UP },
      { type: 'skip', reason: 'awaiting_snapshot' },
    ]);
    feed(normalizer, bookMessage({ asset_id: DOWN }));
    expect(only(feed(normalizer, changes(entry)), 'book')).toHaveLength(1);
  });

  it('rejects a change that cannot be read and loses that token only', () => {
    const normalizer = started();
    feed(normalizer, bookMessage({ asset_id: DOWN }));
    const findings = feed(
      normalizer,
      changes(change(), change({ size: 'many' }), change({ asset_id: DOWN }), change({ side: 'HOLD' })),
    );
    expect(findings).toMatchObject([
      { type: 'reject', market: MARKET, reason: 'bad_change' },
      { type: 'break', outcome: UP, cause: 'rejected_frame' },
      { type: 'reject', reason: 'bad_change' },
      { type: 'book', outcome: DOWN },
    ]);
  });

  it('puts only the token of an unreadable change in a gap', () => {
    const session = new Capture({ adapter: venueC, collector: 'test', provenance: 'captured' }).openSession(
      's',
    );
    const send = (message: unknown, at: number) => {
      const text = JSON.stringify(message);
      return session.frame(frame(text, 'ws', AT + at), new TextEncoder().encode(text)).events;
    };
    send([bookMessage(), bookMessage({ asset_id: DOWN })], 0);
    const lost = send(changes(change({ size: 'many' }), change({ asset_id: DOWN })), 1);
    expect(lost.filter(({ type }) => type === 'GapOpened')).toMatchObject([
      { outcome: UP, cause: 'rejected_frame' },
    ]);
    expect(lost.filter(({ type }) => type === 'BookObserved')).toMatchObject([{ outcome: DOWN }]);
    const mended = send(bookMessage(), 2).map(({ type }) => type);
    expect(mended).toEqual(['FrameCaptured', 'GapClosed', 'BookObserved']);
  });

  it.each([[null], [{}], ['x']])('rejects a price_change whose changes are %j', (price_changes) => {
    const message = { event_type: 'price_change', market: MARKET, price_changes };
    expect(feed(started(), message)).toMatchObject([{ type: 'reject', reason: 'unknown_change_shape' }]);
  });

  it('counts the good elements of an array beside a bad one', () => {
    const findings = feed(venueC.capture.createNormalizer(), [bookMessage(), 7, { event_type: 'nova' }]);
    expect(findings).toMatchObject([
      { type: 'book' },
      { type: 'reject', reason: 'not_an_object' },
      { type: 'reject', reason: 'unknown_kind' },
    ]);
  });

  it('forgets every book when the connection broke', () => {
    const normalizer = started();
    normalizer.forget();
    expect(feed(normalizer, changes(change()))[0]).toMatchObject({
      type: 'break',
      cause: 'awaiting_snapshot',
    });
  });

  it('flags a source time that steps back', () => {
    const capture = new Capture({ adapter: venueC, collector: 'test', provenance: 'captured' });
    const session = capture.openSession('s');
    const times = ['1794700801300', '1794700801200', '1794700801400'].map((timestamp) => {
      const text = JSON.stringify({ ...bookMessage(), timestamp });
      return session.frame(frame(text), new TextEncoder().encode(text)).events;
    });
    const flags = times.map((events) =>
      events.flatMap((event) => (event.type === 'BookObserved' ? [event.flags] : [])),
    );
    expect(flags).toEqual([[[]], [['source_time_backwards']], [[]]]);
  });
});

describe('other messages', () => {
  it('drops the book on a tick change until the next full one', () => {
    const normalizer = started();
    const tick = {
      event_type: 'tick_size_change',
      market: MARKET,
      asset_id: UP,
      old_tick_size: '0.01',
      new_tick_size: '0.001',
      timestamp: '1794701050000',
    };
    expect(feed(normalizer, tick)[0]).toMatchObject({
      type: 'break',
      outcome: UP,
      cause: 'tick_change',
      detail: '0.01 to 0.001',
    });
    expect(feed(normalizer, changes(change()))).toEqual([{ type: 'skip', reason: 'awaiting_snapshot' }]);
    const findings = feed(normalizer, bookMessage({ bids: [level('0.511', '1')] }));
    expect(findings).toMatchObject([{ type: 'book', flags: [] }]);
  });

  it('samples a trade with size and taker side', () => {
    const trade = {
      event_type: 'last_trade_price',
      market: MARKET,
      asset_id: UP,
      price: '0.53',
      size: '18.75',
      side: 'BUY',
      fee_rate_bps: '0',
      timestamp: '1794700803120',
    };
    expect(feed(venueC.capture.createNormalizer(), trade)).toEqual([
      {
        type: 'sample',
        market: MARKET,
        outcome: UP,
        metric: 'last_trade',
        sourceTs: 1_794_700_803_120_000,
        value: 530_000,
        text: '0.53',
        exact: true,
        size: 18_750_000,
        takerSide: 'BUY',
      },
    ]);
    expect(feed(venueC.capture.createNormalizer(), { ...trade, price: '' })[0]).toMatchObject({
      reason: 'bad_trade',
    });
  });

  const resolved = {
    event_type: 'market_resolved',
    id: '2229686',
    market: MARKET,
    assets_ids: [UP, DOWN],
    winning_asset_id: UP,
    winning_outcome: 'Up',
    timestamp: '1794701190000',
  };

  it('ends a market and names the winner beside what was known', () => {
    const normalizer = venueC.capture.createNormalizer();
    const outcome = { tokenId: null, winner: null };
    normalizer.learn(MARKET, {
      ...UNKNOWN_MARKET,
      slug: 'btc-updown-5m-1794700800',
      status: 'open',
      outcomes: [
        { id: UP, label: 'Up', index: 0, ...outcome },
        { id: DOWN, label: 'Down', index: 1, ...outcome },
      ],
      native: '{"gamma_market":{"id":"1"}}',
    });
    const [market, end] = feed(normalizer, resolved);
    expect(end).toEqual({ type: 'end', market: MARKET, reason: 'resolved' });
    expect(market).toMatchObject({
      type: 'market',
      fields: {
        slug: 'btc-updown-5m-1794700800',
        status: 'resolved',
        resolution: 'Up',
        winningOutcome: UP,
        resolvedAt: 1_794_701_190_000_000,
        outcomes: [
          { label: 'Up', winner: true },
          { label: 'Down', winner: false },
        ],
      },
    });
    expect(JSON.parse(only([market!], 'market')[0]!.fields.native)).toMatchObject({
      gamma_market: { id: '1' },
      market_resolved: { winning_outcome: 'Up' },
    });
  });

  it('invents nothing about a resolved market it never heard of', () => {
    const [market] = only(feed(venueC.capture.createNormalizer(), resolved), 'market');
    expect(market!.fields).toMatchObject({
      slug: null,
      asset: null,
      closesAt: null,
      outcomes: [
        { id: UP, label: 'Up', winner: true },
        { id: DOWN, label: '', winner: false },
      ],
    });
  });

  it('takes a new short-dated market from its notice, and passes over all others', () => {
    const notice = {
      event_type: 'new_market',
      id: '1',
      market: MARKET,
      slug: 'eth-updown-15m-1794700800',
      question: 'Ethereum Up or Down',
      assets_ids: [UP, DOWN],
      outcomes: ['Up', 'Down'],
      event_message: { id: '77', title: 'Ethereum' },
      order_price_min_tick_size: '0.01',
      timestamp: '1794700000000',
    };
    const normalizer = venueC.capture.createNormalizer();
    expect(feed(normalizer, notice)).toMatchObject([
      {
        type: 'market',
        fields: {
          asset: 'ETH',
          window: '15m',
          eventId: '77',
          opensAt: AT,
          tickSize: 10_000,
          status: 'unknown',
        },
      },
    ]);
    expect(feed(normalizer, notice)).toEqual([{ type: 'skip', reason: 'new_market_known' }]);
    const other = { ...notice, market: MARKET.replace('5d', '5e'), slug: 'who-wins' };
    expect(feed(normalizer, other)).toEqual([{ type: 'skip', reason: 'new_market_not_followed' }]);
  });
});
