// Fills worked out by hand.

import { describe, expect, test } from 'vitest';
import type { EngineResult, Strategy } from '../../src/index.ts';
import { LadderlogError } from '../../src/index.ts';
import { M, OPTIONS, SECOND, T0, TOKEN, book, buy, gap, market, run, sell, sending } from './recording.ts';

const shape = ({ fills }: EngineResult) =>
  fills.map(({ price, size, amount, fee, liquidity }) => [
    price / 1e6,
    size / 1e6,
    amount / 1e6,
    fee / 1e6,
    liquidity,
  ]);
const ends = ({ orders }: EngineResult) => orders.map(({ end }) => end);

const LADDER = book(
  0,
  [
    [0.5, 10],
    [0.49, 30],
  ],
  [
    [0.52, 5],
    [0.53, 20],
    [0.6, 100],
  ],
);

describe('market orders', () => {
  test('walk the ladder level by level', () => {
    // 5 × 0.52 + 20 × 0.53 + 3 × 0.60 = 2.6 + 10.6 + 1.8 = 15
    const result = run(sending([[0, buy(28)]]), [LADDER]);
    expect(shape(result)).toEqual([
      [0.52, 5, 2.6, 0, 'taker'],
      [0.53, 20, 10.6, 0, 'taker'],
      [0.6, 3, 1.8, 0, 'taker'],
    ]);
    expect(result.cash).toBe(985_000_000);
    // Worth the best bid: 28 × 0.50.
    expect(result.equity).toBe(985_000_000 + 14_000_000);
    expect(result.fills[0]!.book).toBe('venuec/0/0');
    expect(ends(result)).toEqual(['filled']);
  });

  test('take no more than is shown', () => {
    const result = run(sending([[0, buy(1_000)]]), [LADDER]);
    expect(result.fills.reduce((sum, { size }) => sum + size, 0)).toBe(125_000_000);
    expect(ends(result)).toEqual(['insufficient_depth']);
  });

  test('do not take the same depth twice while it is still shown, and take what is added', () => {
    const again = book(1, [[0.5, 10]], [[0.52, 5]]);
    const more = book(2, [[0.5, 10]], [[0.52, 7]]);
    const gone = book(3, [[0.5, 10]], [[0.55, 1]]);
    const back = book(4, [[0.5, 10]], [[0.52, 4]]);
    const orders = [0, 1, 2, 4].map((at) => [at, buy(100, 0.52, 'now')] as const);
    const result = run(sending(orders), [book(0, [], [[0.52, 5]]), again, more, gone, back]);
    expect(result.fills.map(({ at, size }) => [(at - T0) / SECOND, size / 1e6])).toEqual([
      [0, 5],
      [2, 2],
      [4, 4],
    ]);
    expect(ends(result)).toEqual([
      'insufficient_depth',
      'not_marketable',
      'insufficient_depth',
      'insufficient_depth',
    ]);
  });

  test('stop where the cash ends', () => {
    const result = run(sending([[0, buy(28)]]), [LADDER], { cash: 14_000_000 });
    expect(shape(result).map(([price]) => price)).toEqual([0.52, 0.53]);
    expect(ends(result)).toEqual(['insufficient_cash']);
    expect(result.cash).toBe(800_000);
  });

  test('a sale gets what the bids pay, and only what is held', () => {
    const result = run(
      sending([
        [0, buy(5)],
        [1, sell(20)],
      ]),
      [
        LADDER,
        book(
          1,
          [
            [0.61, 3],
            [0.6, 30],
          ],
          [],
        ),
      ],
    );
    expect(shape(result)).toEqual([
      [0.52, 5, 2.6, 0, 'taker'],
      [0.61, 3, 1.83, 0, 'taker'],
      [0.6, 2, 1.2, 0, 'taker'],
    ]);
    expect(ends(result)).toEqual(['filled', 'insufficient_position']);
    expect(result.realized).toBe(430_000);
    expect(result.open).toEqual([]);
  });
});

describe('limit orders', () => {
  test('take up to the limit, and the rest waits for a trade through it', () => {
    const result = run(sending([[0, buy(10, 0.52)]]), [
      LADDER,
      book(1, [[0.5, 10]], [[0.52, 50]]), // at the limit: not through
      book(
        2,
        [[0.5, 10]],
        [
          [0.51, 3],
          [0.52, 50],
        ],
      ), // through, three contracts
      book(
        3,
        [[0.5, 10]],
        [
          [0.51, 3],
          [0.52, 50],
        ],
      ), // the same three again
      book(4, [[0.4, 10]], [[0.45, 40]]),
    ]);
    expect(shape(result)).toEqual([
      [0.52, 5, 2.6, 0, 'taker'],
      [0.52, 3, 1.56, 0, 'maker'],
      [0.52, 2, 1.04, 0, 'maker'],
    ]);
    expect(ends(result)).toEqual(['filled']);
  });

  test('a resting sale trades through upwards', () => {
    const result = run(
      sending([
        [0, buy(5)],
        [0, sell(5, 0.55)],
      ]),
      [LADDER, book(1, [[0.55, 9]], [[0.57, 9]]), book(2, [[0.56, 4]], [[0.57, 9]])],
    );
    expect(shape(result).slice(1)).toEqual([[0.55, 4, 2.2, 0, 'maker']]);
    expect(ends(result)).toEqual(['filled', 'end_of_range']);
  });

  test('can be cancelled, after the same latency', () => {
    const strategy: Omit<Strategy, 'name'> = {
      onBook(_book, context) {
        const [order] = context.orders(M);
        if (order) context.cancel(order.id);
        else if (context.now === T0) context.send(buy(1, 0.4));
      },
    };
    const books = [LADDER, book(3, [], [[0.5, 1]]), book(4, [], [[0.3, 1]]), book(9, [], [[0.3, 1]])];
    // Sent at 0, there at 2; cancelled at 3, gone at 5: the trade through at 4 still fills it.
    expect(ends(run(strategy, books, { latency: 2 * SECOND }))).toEqual(['filled']);
    // With less latency the cancel is there at 3.5.
    expect(ends(run(strategy, books, { latency: SECOND / 2 }))).toEqual(['cancelled']);
  });
});

describe('latency', () => {
  test('an order meets the book of its arrival, not of its sending', () => {
    const books = [LADDER, book(1, [], [[0.7, 9]]), book(2, [], [[0.1, 9]])];
    const at = (latency: number) => run(sending([[0, buy(1)]]), books, { latency }).fills[0]!;
    expect(at(0).price).toBe(520_000);
    expect(at(SECOND - 1).price).toBe(520_000);
    expect(at(SECOND).price).toBe(700_000);
    expect(at(2 * SECOND - 1).price).toBe(700_000);
    expect(at(2 * SECOND - 1).bookAge).toBe(SECOND - 1);
    expect(at(2 * SECOND).price).toBe(100_000);
  });

  test('jitter comes from the seed alone', () => {
    const arrivals = (seed: number) =>
      run(
        sending([0, 1, 2, 3].map((at) => [at, buy(1)] as const)),
        [0, 1, 2, 3].map((at) => book(at, [], [[0.5, 9]])),
        {
          seed,
          jitter: SECOND,
        },
      ).orders.map(({ arrivesAt }) => arrivesAt - T0);
    expect(arrivals(1)).toEqual(arrivals(1));
    expect(arrivals(1)).not.toEqual(arrivals(2));
  });
});

describe('never on what was not recorded', () => {
  test('not inside a gap, also before anyone had noticed it', () => {
    const { opened, closed, row } = gap('g', 1, 5, 8);
    const events = [LADDER, book(1, [], [[0.5, 9]]), opened, closed, book(8, [], [[0.5, 9]])];
    const at = (latency: number) =>
      run(sending([[1, buy(1)]]), events, { latency: latency * SECOND, gaps: [row] });
    expect(ends(at(0))).toEqual(['filled']); // the last covered moment
    expect(ends(at(1))).toEqual(['in_gap']); // nobody knew yet
    expect(ends(at(6))).toEqual(['in_gap']);
    expect(ends(at(7))).toEqual(['filled']); // the first observation after
  });

  test('what rests when the recording breaks is cancelled and counted', () => {
    const { opened, closed, row } = gap('g', 1, 5, 8);
    const told: string[] = [];
    const strategy: Omit<Strategy, 'name'> = {
      ...sending([
        [0, buy(5)],
        [0, buy(1, 0.1)],
      ]),
      onGap: ({ change }, { now }) => void told.push(`${change} ${(now - T0) / SECOND}`),
    };
    const result = run(strategy, [LADDER, opened, opened, closed, book(8, [], [[0.05, 9]])], { gaps: [row] });
    expect(ends(result)).toEqual(['filled', 'gap']);
    expect(told).toEqual(['opened 5', 'closed 8']);
    expect(result.crossed).toEqual([
      {
        gapId: 'g',
        market: M,
        outcome: TOKEN,
        cause: 'disconnected',
        from: T0 + SECOND,
        held: [{ outcome: TOKEN, size: 5_000_000 }],
        ordersCancelled: 1,
      },
    ]);
  });

  test('not on an old book, not after the last evidence, not on a crossed one, not on none', () => {
    const slow = { latency: 10 * SECOND };
    expect(ends(run(sending([[0, buy(1)]]), [LADDER], { ...slow, maxBookAge: 9 * SECOND }))).toEqual([
      'stale_book',
    ]);
    const until = new Map([[M, T0 + 5 * SECOND]]);
    expect(ends(run(sending([[0, buy(1)]]), [LADDER], { ...slow, coveredUntil: until }))).toEqual([
      'not_covered',
    ]);
    const crossed = book(0, [[0.6, 1]], [[0.5, 1]]);
    expect(ends(run(sending([[0, buy(1)]]), [crossed]))).toEqual(['suspect_book']);
    expect(ends(run(sending([[0, buy(1, undefined, undefined, '72')]]), [LADDER]))).toEqual(['not_covered']);
    expect(ends(run(sending([[0, { ...buy(1), market: 'none' }]]), [LADDER]))).toEqual(['unknown_market']);
  });
});

describe('the rules of the venue at that time', () => {
  test('tick and minimum size are those of the newest metadata', () => {
    const rules = market(1, { tickSize: 10_000, minSize: 5_000_000 });
    const finer = market(3, { tickSize: 1_000, minSize: 5_000_000 });
    const result = run(
      sending([
        [0, buy(1, 0.525, 'now')],
        [2, buy(1, 0.52)],
        [2, buy(5, 0.525)],
        [4, buy(5, 0.525, 'now')],
        [4, buy(5, 1)],
      ]),
      [LADDER, rules, book(2, [], [[0.6, 9]]), finer, book(4, [], [[0.52, 9]])],
    );
    expect(ends(result)).toEqual(['filled', 'below_min_size', 'off_tick', 'filled', 'price_out_of_bounds']);
  });

  test("venue B's tapered grid has several steps", () => {
    const native = JSON.stringify({
      price_ranges: [
        { start: '0.0000', end: '0.1000', step: '0.0010' },
        { start: '0.1000', end: '0.9000', step: '0.0100' },
      ],
    });
    const b = { venue: 'venueb' as const };
    const meta = market(0, { ...b, native });
    const result = run(
      sending([
        [0, buy(1, 0.055, 'now', 'yes')],
        [0, buy(1, 0.155, 'now', 'yes')],
        [0, buy(1, 0.15, 'now', 'yes')],
      ]),
      [meta, book(0, [], [[0.5, 1]], { ...b, outcome: 'yes' })],
    );
    expect(ends(result)).toEqual(['not_marketable', 'off_tick', 'not_marketable']);
  });

  test('a closed market takes no order', () => {
    const result = run(sending([[1, buy(1)]]), [
      LADDER,
      market(1, { status: 'closed' }),
      book(1, [], [[0.5, 1]]),
    ]);
    expect(ends(result)).toEqual(['market_closed']);
  });

  test('nor one whose closing time is over, whatever its last recorded status; what rests ends at that time', () => {
    const b = { venue: 'venueb' as const, outcome: 'yes' };
    const ended: (readonly [number, number])[] = [];
    const { onBook } = sending([
      [0, buy(1, 0.4, 'rest', 'yes')],
      [9, buy(1, undefined, undefined, 'yes')],
      [10, buy(1, undefined, undefined, 'yes')],
    ]);
    const result = run(
      { onBook: onBook!, onEnd: ({ id }, { now }) => ended.push([id, (now - T0) / SECOND]) },
      [
        market(0, { venue: 'venueb', closesAt: T0 + 10 * SECOND }),
        ...[0, 9].map((at) => book(at, [], [[0.5, 10]], b)),
        // At the closing time itself: through the price of what rested, and too late.
        book(10, [], [[0.3, 10]], b),
        book(11, [], [[0.3, 10]], b),
      ],
    );
    expect(ends(result)).toEqual(['market_closed', 'filled', 'market_closed']);
    expect(ended).toEqual([
      [2, 9],
      [1, 10],
      [3, 10],
    ]);
  });

  test('a closing time that was put off is not heeded; known before the range, it is', () => {
    const b = { venue: 'venueb' as const, outcome: 'yes' };
    const meta = market(-5, { venue: 'venueb', closesAt: T0 + 10 * SECOND });
    const events = [book(0, [], [[0.5, 10]], b), book(12, [], [[0.3, 10]], b)];
    const resting = () => sending([[0, buy(1, 0.4, 'rest', 'yes')]]);
    expect(ends(run(resting(), events, { markets: [meta] }))).toEqual(['market_closed']);
    const later = market(5, { venue: 'venueb', closesAt: T0 + 20 * SECOND });
    const put = run(resting(), [events[0]!, later, events[1]!], { markets: [meta] });
    expect(ends(put)).toEqual(['filled']);
  });

  test('venue C trades on after the end of its question, until it says closed', () => {
    const result = run(sending([[11, buy(1)]]), [
      market(0, { closesAt: T0 + 10 * SECOND }),
      book(11, [], [[0.5, 1]]),
    ]);
    expect(ends(result)).toEqual(['filled']);
  });
});

describe('the other outcome of one recorded book', () => {
  const b = { venue: 'venueb' as const, outcome: 'yes' };
  const yes = book(
    0,
    [
      [0.4, 3],
      [0.39, 10],
    ],
    [[0.45, 7]],
    b,
  );

  test('NO is bought from YES bids at 1 − p, and both take the same depth', () => {
    const result = run(
      sending([
        [0, buy(4, undefined, undefined, 'no')],
        [0, buy(100, 0.61, 'now', 'no')],
      ]),
      [yes],
      { fees: { ...OPTIONS.fees, venueb: { kind: 'none' } } },
    );
    expect(shape(result)).toEqual([
      [0.6, 3, 1.8, 0, 'taker'],
      [0.61, 1, 0.61, 0, 'taker'],
      [0.61, 9, 5.49, 0, 'taker'],
    ]);
    // NO is worth 1 − the YES ask.
    expect(result.open[0]!.mark).toBe(550_000);
  });

  test("venue B's fee is rounded up to the cent", () => {
    // 0.07 × 3 × 0.6 × 0.4 = 0.0504 → 0.06
    expect(shape(run(sending([[0, buy(3, undefined, undefined, 'no')]]), [yes]))).toEqual([
      [0.6, 3, 1.8, 0.06, 'taker'],
    ]);
  });
});

describe('settlement', () => {
  const held = [[0, buy(5)]] as const;
  const last = (over: Parameters<typeof market>[1], voidRule: 'refund' | 'split' = 'refund') =>
    run(sending(held), [LADDER, market(9, over)], { voidRule });

  test('the winner pays one, the others nothing', () => {
    const won = last({ status: 'resolved', winningOutcome: TOKEN });
    expect([won.cash, won.equity, won.settlements[0]!.rule]).toEqual([
      1_002_400_000,
      1_002_400_000,
      'winner',
    ]);
    const lost = last({ status: 'resolved', winningOutcome: '72' });
    expect([lost.cash, lost.settlements[0]!.amount]).toEqual([997_400_000, 0]);
  });

  test('a stated value pays that value', () => {
    const half = last({ status: 'resolved', settlementValue: 500_000 });
    expect(half.settlements[0]).toMatchObject({
      payout: 500_000,
      amount: 2_500_000,
      rule: 'settlement_value',
    });
  });

  test('void: what was paid comes back, or each outcome its share', () => {
    const refund = last({ status: 'voided', settlementValue: 0 });
    expect(refund.settlements[0]).toMatchObject({ payout: null, amount: 2_600_000, rule: 'void_refund' });
    expect(refund.equity).toBe(1_000_000_000);
    expect(last({ status: 'voided' }, 'split').settlements[0]).toMatchObject({ payout: 500_000 });
  });

  test('resolved without a stated value stays open until one is stated', () => {
    const silent = market(9, { status: 'resolved' });
    expect(run(sending(held), [LADDER, silent]).settlements).toEqual([]);
    const stated = market(10, { status: 'resolved', winningOutcome: TOKEN });
    expect(run(sending(held), [LADDER, silent, stated, stated]).settlements).toHaveLength(1);
  });

  test('onResolve is told once, with what was settled', () => {
    const told: number[] = [];
    const resolved = market(9, { status: 'resolved', winningOutcome: TOKEN });
    run({ ...sending(held), onResolve: (_market, settled) => void told.push(settled.length) }, [
      LADDER,
      resolved,
      { ...resolved, observedAt: resolved.observedAt + 1 },
    ]);
    expect(told).toEqual([1]);
  });
});

describe('a strategy that misbehaves', () => {
  test('its error is named', () => {
    const failing = () =>
      run(
        {
          onBook() {
            throw new Error('boom');
          },
        },
        [LADDER],
      );
    expect(failing).toThrow(LadderlogError);
    expect(failing).toThrow(/onBook: boom/);
  });

  test('orders without end at one moment are stopped', () => {
    const endless: Omit<Strategy, 'name'> = {
      onBook: (_book, context) => void context.send(buy(1, 0.1, 'now')),
      onEnd: (_order, context) => void context.send(buy(1, 0.1, 'now')),
    };
    expect(() => run(endless, [LADDER])).toThrow(/without end/);
  });

  test('many orders at many moments, all on their way at once, are no fault', () => {
    let sent = 0;
    const steady: Omit<Strategy, 'name'> = {
      onStart(context) {
        context.send(buy(1, 0.1, 'now'));
      },
      // One after the other, a microsecond apart, with no event between.
      onEnd(_order, context) {
        if (++sent < 12_000) context.send(buy(1, 0.1, 'now'));
      },
    };
    expect(run(steady, [LADDER], { latency: 1 }).orders).toHaveLength(12_000);
  });

  test('sizes that are no whole 1e-6 are refused', () => {
    expect(ends(run(sending([[0, { ...buy(1), size: 0.5 }]]), [LADDER]))).toEqual(['bad_request']);
    expect(ends(run(sending([[0, { ...buy(1), size: -1 }]]), [LADDER]))).toEqual(['bad_request']);
  });
});
