import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EARLIEST_MICROS, LATEST_MICROS, toIso, toMillis } from '../../../src/kernel/time.ts';
import type { Finding, Normalizer } from '../../../src/capture/finding.ts';
import { sourceTime } from '../../../src/venues/venue-b/wire.ts';
import type { Fields } from './frames.ts';
import { M, delta, last, open, snapshot, summary, N } from './frames.ts';
import { feed, only, sourceText } from '../frames.ts';

describe('books', () => {
  it('gives no observation for a change without a snapshot, and says so once', () => {
    const normalizer = open();
    expect(last(normalizer, delta(1))).toEqual([`break ${M} awaiting_snapshot book`]);
    expect(last(normalizer, delta(2))).toEqual(['skip awaiting_snapshot']);
    expect(last(normalizer, snapshot(3))).toEqual([`snapshot ${M}`]);
  });

  it('loses a book whose size would turn negative, until the next snapshot', () => {
    const normalizer = open();
    const findings = [snapshot(1), delta(2, { delta_fp: '-10.01' })].map((message) =>
      feed(normalizer, message),
    );
    expect(findings[1]).toEqual([
      {
        type: 'break',
        market: M,
        outcome: 'yes',
        cause: 'lost_sync',
        scope: 'book',
        detail: 'yes 0.5400: 10 changed by -10.01',
      },
    ]);
    expect(last(normalizer, delta(3))).toEqual(['skip awaiting_snapshot']);
  });

  it('compares a snapshot with the book it holds, and not with one it lost', () => {
    const normalizer = open();
    last(normalizer, snapshot(1), delta(2));
    expect(feed(normalizer, snapshot(3))).toMatchObject([
      {
        type: 'compare',
        method: 'snapshot',
        levelsOurs: 2,
        levelsTheirs: 2,
        levelsDiffering: 1,
        sizeDrift: 1_000_000,
      },
      { type: 'book', kind: 'snapshot' },
    ]);
    expect(last(normalizer, delta(9), snapshot(10))).toEqual([`snapshot ${M}`]);
  });

  it('clears the book on a snapshot with neither side', () => {
    const normalizer = open();
    feed(normalizer, snapshot(1));
    const [, book] = feed(normalizer, {
      type: 'orderbook_snapshot',
      sid: 2,
      seq: 2,
      msg: { market_ticker: M },
    });
    expect(book).toMatchObject({ type: 'book', bidPrices: [], askPrices: [] });
    expect(last(normalizer, delta(3))).toEqual([`delta ${M}`]);
  });

  it.each([
    [{ levels_v3: [['0.5300', '1.00']] }, 'levels_v3'],
    [{ yes_dollars_fp: [['0.5300', '1.00']], no_levels_v3: [['0.4500', '1.00']] }, 'no_levels_v3'],
    [{ yes_dollars_fp: [['0.5300', '1.00']], no: [[45, 1]] }, 'no'],
  ])('rejects %j: a list that is not read may be a side', (sides, name) => {
    const message = { type: 'orderbook_snapshot', sid: 2, seq: 1, msg: { market_ticker: M, ...sides } };
    expect(feed(open(), message)).toMatchObject([
      { type: 'reject', reason: 'bad_book', detail: `${name} is not a list that is known` },
      { type: 'break', market: M, cause: 'rejected_frame' },
    ]);
  });

  it.each([
    { orderbook: { yes_dollars_fp: [['0.5400', '1.50']], no_dollars_fp: [['0.4500', '2.50']] } },
    { orderbook_fp: { yes_dollars_fp: [['0.5400', '1.50']], no_dollars_fp: [['0.4500', '2.50']] } },
    { orderbook_fp: { yes_dollars: [['0.5400', '1.50']], no_dollars: [['0.4500', '2.50']] } },
  ])('reads %j, whichever key holds the fixed point', (answer) => {
    expect(feed(open(), answer, `rest:/markets/${M}/orderbook`)).toMatchObject([
      { type: 'book', bidPrices: [540_000], askPrices: [550_000], askSizes: [2_500_000] },
    ]);
  });

  it('takes one side in two dialects, the other empty', () => {
    const both = { yes: [[54, 10]], yes_dollars: [['0.54', 10]], no: null };
    expect(feed(open(), { orderbook: both }, `rest:/markets/${M}/orderbook`)).toMatchObject([
      { type: 'book', bidPrices: [540_000], askPrices: [] },
    ]);
  });

  it('never shares an array between observations', () => {
    const normalizer = open();
    const [first] = only(feed(normalizer, snapshot(1)), 'book');
    const [second] = only(feed(normalizer, delta(2)), 'book');
    expect(first!.bidSizes).toEqual([10_000_000]);
    expect(second!.bidSizes).toEqual([11_000_000]);
    feed(normalizer, delta(3));
    expect(second!.bidSizes).toEqual([11_000_000]);
  });

  it('keeps a book with duplicate, zero and out-of-bounds levels as it came', () => {
    const yes = [
      ['0.5400', '1.00'],
      ['0.5400', '2.00'],
      ['0.5300', '0.00'],
      ['1.0000', '-3.00'],
    ];
    const [book] = only(feed(open(), snapshot(1, { yes_dollars_fp: yes })), 'book');
    expect(book!.bidPrices).toEqual([1_000_000, 540_000, 540_000, 530_000]);
    expect(sourceText(book!).bids).toEqual([yes[3], yes[0], yes[1], yes[2]]);
  });

  it('rounds past six decimals, says so, and keeps the text', () => {
    const normalizer = open();
    const yes = [['0.5400', '1.0000004']];
    const [book] = only(feed(normalizer, snapshot(1, { yes_dollars_fp: yes })), 'book');
    expect(book).toMatchObject({ bidSizes: [1_000_000], flags: ['inexact'] });
    expect(sourceText(book!).bids).toEqual(yes);
    const [after] = only(feed(normalizer, delta(2)), 'book');
    expect(after!.flags).toEqual(['inexact']);
  });

  it('says so of a change, and of a fraction of a cent too small to keep', () => {
    const normalizer = open();
    feed(normalizer, snapshot(1));
    const [after] = only(feed(normalizer, delta(2, { delta_fp: '1.0000004' })), 'book');
    expect(after).toMatchObject({ bidSizes: [11_000_000], flags: ['inexact'] });
    const cents = { type: 'orderbook_snapshot', msg: { market_ticker: N, yes: [[42.00001, 1]] } };
    const [book] = only(feed(normalizer, cents), 'book');
    expect(book).toMatchObject({ bidPrices: [420_000], flags: ['inexact'] });
    expect(sourceText(book!).bids).toEqual([['42.00001', '1']]);
  });

  it.each<[string, Fields]>([
    ['fixed point', { no_dollars_fp: [['0.5400', '20.00']] }],
    ['dollars', { yes_dollars: null, no_dollars: [['0.5400', 20]], no: [] }],
    ['cents', { yes: null, no: [[54, 20]] }],
  ])('knows the dialect of a book by either side: %s', (_name, msg) => {
    const [book] = only(
      feed(open(), { type: 'orderbook_snapshot', msg: { market_ticker: M, ...msg } }),
      'book',
    );
    expect(book).toMatchObject({ bidPrices: [], askPrices: [460_000], askSizes: [20_000_000] });
  });

  it('keeps the text of a change whose price is written in another way', () => {
    const normalizer = open();
    feed(normalizer, snapshot(1));
    const [book] = only(feed(normalizer, delta(2, { price_dollars: '.55', delta_fp: '2' })), 'book');
    expect(sourceText(book!).bids).toEqual([
      ['.55', '2.00'],
      ['0.5400', '10.00'],
    ]);
  });

  it('starts over after the connection was forgotten', () => {
    const normalizer = open();
    last(normalizer, snapshot(1), delta(2));
    normalizer.forget();
    expect(last(normalizer, delta(3))).toEqual([`break ${M} awaiting_snapshot book`]);
    expect(last(normalizer, snapshot(4))).toEqual([`snapshot ${M}`]);
  });
});

describe('source time', () => {
  const timeOf = (fields: Fields): number | null => {
    const normalizer = open();
    feed(normalizer, snapshot(1));
    return only(feed(normalizer, delta(2, fields)), 'book')[0]!.sourceTs;
  };

  it.each<[string, Fields, number | null]>([
    [
      'microseconds of ts',
      { ts: '2026-11-15T00:00:02.113045Z', ts_ms: 1_794_700_802_113 },
      1_794_700_802_113_045,
    ],
    ['ts alone, trailing zeros trimmed', { ts: '2026-11-15T00:00:02.11304Z' }, 1_794_700_802_113_040],
    ['ts_ms alone', { ts_ms: 1_794_700_802_113 }, 1_794_700_802_113_000],
    [
      'ts_ms where they disagree',
      { ts: '2026-11-15T00:00:09Z', ts_ms: 1_794_700_802_113 },
      1_794_700_802_113_000,
    ],
    ['whole seconds', { ts: 1_794_700_802 }, 1_794_700_802_000_000],
    ['nothing', {}, null],
    ['no time at all', { ts: 'soon', ts_ms: 17 }, null],
  ])('is %s', (_name, fields, expected) => {
    expect(timeOf(fields)).toBe(expected);
  });

  it('is ts to the microsecond wherever ts_ms is the same instant', () => {
    fc.assert(
      fc.property(fc.integer({ min: EARLIEST_MICROS, max: LATEST_MICROS }), (at) => {
        const ts = toIso(at).replace(/\.?0+Z$/, 'Z');
        expect(sourceTime({ ts, ts_ms: toMillis(at) })).toBe(at);
        expect(sourceTime({ ts })).toBe(at);
      }),
    );
  });
});

describe('REST beside a socket', () => {
  const rest = (normalizer: Normalizer, depth = ''): Finding[] =>
    feed(
      normalizer,
      { orderbook_fp: { yes_dollars: [['0.5400', '10.00']], no_dollars: [['0.4500', '6.00']] } },
      `rest:/markets/${M}/orderbook${depth}`,
    );

  it('is compared with the book the socket holds', () => {
    const normalizer = open();
    feed(
      normalizer,
      snapshot(1, {
        yes_dollars_fp: [
          ['0.5400', '10.00'],
          ['0.5300', '1.00'],
        ],
      }),
    );
    expect(rest(normalizer)).toMatchObject([
      {
        type: 'compare',
        method: 'rest',
        levelsOurs: 3,
        levelsTheirs: 2,
        levelsDiffering: 2,
        sizeDrift: 2_000_000,
      },
      { type: 'book', kind: 'snapshot', continues: false },
    ]);
    expect(rest(normalizer, '?depth=1')).toMatchObject([
      { type: 'compare', levelsOurs: 2, levelsDiffering: 1 },
      { type: 'book', nativeIds: { depth: '1' } },
    ]);
  });

  it('does not end the gap of the socket', () => {
    const normalizer = open();
    last(normalizer, snapshot(1), delta(3));
    expect(summary(rest(normalizer))).toEqual([`snapshot ${M}`, `break ${M} awaiting_snapshot book`]);
    expect(last(normalizer, delta(4))).toEqual(['skip awaiting_snapshot']);
  });

  it('alone, every poll is an observation', () => {
    const normalizer = open();
    expect([rest(normalizer), rest(normalizer)].map(summary)).toEqual([[`snapshot ${M}`], [`snapshot ${M}`]]);
  });
});

describe('end of a market', () => {
  const market = (status: string, result = ''): Fields => ({
    ticker: M,
    event_ticker: 'KXBTC15M-26NOV141915',
    status,
    result,
  });

  it.each([
    [{ settlement_value_dollars: '0.4200' }, 420_000],
    [{ settlement_value: '0.4200' }, 420_000],
    [{ settlement_value: 42 }, 420_000],
    [{ settlement_value: 100 }, 1_000_000],
    [{ settlement_value_dollars: '1.0000', settlement_value: 42 }, 1_000_000],
    [{}, null],
  ])('reads the settlement of %j alike in a market object and in a lifecycle message', (stated, expected) => {
    const market = { ticker: 'KXA-1', status: 'finalized', result: 'yes' };
    const [object] = only(
      feed(open(), { market: { ...market, ...stated } }, 'rest:/markets/KXA-1'),
      'market',
    );
    expect(object!.fields.settlementValue).toBe(expected);
    const normalizer = open();
    feed(normalizer, { market: { ticker: 'KXA-1', status: 'active' } }, 'rest:/markets/KXA-1');
    const settled = { market_ticker: 'KXA-1', event_type: 'settled', result: 'yes', ...stated };
    const [message] = only(feed(normalizer, { type: 'market_lifecycle_v2', sid: 1, msg: settled }), 'market');
    expect(message!.fields.settlementValue).toBe(expected);
  });

  it('comes from the lifecycle channel, with what it says of the market', () => {
    const normalizer = open();
    feed(normalizer, { market: market('active') }, `rest:/markets/${M}`);
    feed(normalizer, snapshot(1));
    const settled = {
      type: 'market_lifecycle_v2',
      msg: { market_ticker: M, event_type: 'settled', result: 'no', settled_ts: 1_794_701_765 },
    };
    expect(feed(normalizer, settled)).toMatchObject([
      {
        type: 'market',
        market: M,
        sourceTs: 1_794_701_765_000_000,
        fields: {
          status: 'resolved',
          nativeStatus: 'finalized',
          resolution: 'no',
          winningOutcome: 'no',
          resolvedAt: 1_794_701_765_000_000,
          outcomes: [{ winner: false }, { winner: true }],
        },
      },
      { type: 'end', market: M, reason: 'settled' },
    ]);
    // Once; and a later loss of the subscription is none of this market.
    expect(last(normalizer, settled)).toEqual(['skip lifecycle']);
    expect(last(normalizer, { type: 'error', sid: 2, msg: { code: 25 } })).toEqual(['skip venue_error']);
  });

  it('comes from the catalogue, for a market that was polled', () => {
    const normalizer = open();
    feed(normalizer, { orderbook_fp: {} }, `rest:/markets/${M}/orderbook`);
    const finalized = { markets: [market('finalized', 'yes')], cursor: '' };
    expect(summary(feed(normalizer, finalized, 'rest:/markets?tickers=x'))).toEqual([
      `market ${M}`,
      `end ${M}`,
    ]);
    expect(summary(feed(normalizer, finalized, 'rest:/markets?tickers=x'))).toEqual([`market ${M}`]);
  });

  it.each([
    ['initialized', '', 'upcoming'],
    ['inactive', '', 'upcoming'],
    ['active', '', 'open'],
    ['closed', '', 'closed'],
    ['determined', 'yes', 'closed'],
    ['disputed', 'yes', 'closed'],
    ['amended', 'no', 'closed'],
    ['finalized', 'scalar', 'resolved'],
    ['finalized', 'void', 'voided'],
    ['toString', '', 'unknown'],
  ])('reads status %s with result "%s" as %s', (status, result, expected) => {
    const findings = feed(open(), { market: market(status, result) }, `rest:/markets/${M}`);
    expect(findings).toMatchObject([{ fields: { status: expected, nativeStatus: status } }]);
  });
});

describe('what is not understood', () => {
  it.each<[string, unknown, string]>([
    ['ws', 'PONG', 'not_json_object'],
    ['ws', '', 'not_json_object'],
    ['ws', '[]', 'not_json_object'],
    ['ws', '{"type":7}', 'no_type'],
    ['ws', { type: 'orderbook_snapshot', msg: {} }, 'no_market'],
    ['ws', { type: 'orderbook_delta', msg: { market_ticker: 'has space' } }, 'no_market'],
    ['ws', { type: 'orderbook_delta' }, 'no_market'],
    ['ws', { type: 'trade', msg: {} }, 'bad_trade'],
    ['ws', { type: 'market_lifecycle_v2', msg: {} }, 'bad_lifecycle'],
    ['ws', { type: 'orderbook_v9', msg: { market_ticker: M } }, 'unknown_kind'],
    ['rest:/nowhere', '{}', 'unknown_channel'],
    ['rest:/markets/%E0%A4%A/orderbook', '{}', 'unknown_channel'],
    [`rest:/markets/${M}/orderbook`, 'null', 'not_json_object'],
    [`rest:/markets/${M}/orderbook`, '{}', 'bad_book'],
    [`rest:/markets/${M}/orderbook`, { orderbook_fp: [] }, 'bad_book'],
    [`rest:/markets/${M}/orderbook`, { orderbook_fp: { yes: [['0.45', '1']] } }, 'bad_book'],
    ['gamma:/events', snapshot(1), 'unknown_channel'],
    ['WS', snapshot(1), 'unknown_channel'],
    ['rest:/markets/orderbooks?tickers=x', '{}', 'bad_book'],
    ['rest:/markets', '{}', 'bad_catalogue'],
  ])('%s %j is rejected', (channel, message, reason) => {
    expect(summary(feed(open(), message, channel))).toEqual([`reject ${reason}`]);
  });

  it('a trade that cannot be read is a lost sample, and nothing against the book', () => {
    const normalizer = open();
    feed(normalizer, snapshot(1));
    expect(feed(normalizer, { type: 'trade', msg: { market_ticker: M, yes_price: 'x' } })).toMatchObject([
      { type: 'reject', market: M, reason: 'bad_trade', booksIntact: true },
      { type: 'break', market: M, cause: 'rejected_frame', dataset: 'samples', outcome: null },
    ]);
    expect(last(normalizer, delta(2))).toEqual([`delta ${M}`]);
  });

  it.each<[string, Fields]>([
    ['a side that is no list', snapshot(2, { yes_dollars_fp: 'x' })],
    ['a level that is no pair', snapshot(2, { yes_dollars_fp: [['0.5400', '1.00', '2.00']] })],
    ['a size that is no number', snapshot(2, { yes_dollars_fp: [['0.5400', 'lots']] })],
    ['a price past the integers', snapshot(2, { no_dollars_fp: [['1e30', '1.00']] })],
    ['a change without a side', delta(2, { side: 'maybe' })],
    ['a change without a size', delta(2, { delta_fp: undefined })],
    ['a change of no decimal', delta(2, { delta_fp: null })],
  ])('%s loses the book', (_name, message) => {
    const normalizer = open();
    feed(normalizer, snapshot(1));
    expect(last(normalizer, message)).toEqual(['reject bad_book', `break ${M} rejected_frame book`]);
    expect(last(normalizer, delta(3))).toEqual(['skip awaiting_snapshot']);
  });

  it('takes JSON nested as deep as it likes', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    const frames = [
      ['ws', `{"type":"orderbook_snapshot","msg":{"market_ticker":"${M}","yes_dollars_fp":${deep}}}`],
      ['rest:/markets', `{"markets":[{"ticker":"${M}","x":${deep}}]}`],
    ];
    for (const [channel, text] of frames)
      expect(feed(open(), text, channel).every(({ type }) => type === 'reject' || type === 'break')).toBe(
        true,
      );
  });
});
