import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMicro } from '../../../src/kernel/decimal.ts';
import type { Finding } from '../../../src/capture/finding.ts';
import { venueB } from '../../../src/venues/venue-b/index.ts';
import { AT, HOSTILE, only, record, sourceText } from '../frames.ts';

const M = 'KXBTC15M-26NOV141915-15';

/** A native level as integers: price in 1e-4 dollars, size in 1e-2 contracts. */
type Native = readonly [price: number, size: number];

type Dialect = {
  readonly name: string;
  readonly channel: string;
  readonly noIsYes: boolean;
  /** A level as it stands in the JSON. */
  readonly level: (native: Native) => readonly [string | number, string | number];
  readonly wrap: (yes: unknown[], no: unknown[]) => object;
};

const dollars = (price: number): string => formatMicro(price * 100, '4');
const contracts = (size: number): string => formatMicro(size * 10_000, '2');
const snapshot = (msg: object): object => ({
  type: 'orderbook_snapshot',
  sid: 1,
  seq: 1,
  msg: { market_ticker: M, ...msg },
});
const REST = `rest:/markets/${M}/orderbook`;
const fixed = ([price, size]: Native) => [dollars(price), contracts(size)] as const;
const cents = ([price, size]: Native) => [price / 100, Math.ceil(size / 100)] as const;
const mixed = ([price, size]: Native) => [dollars(price), Math.ceil(size / 100)] as const;
const short = ([price, size]: Native) => [formatMicro(price * 100), Math.ceil(size / 100)] as const;

const DIALECTS: readonly Dialect[] = [
  {
    name: 'socket, fixed point',
    channel: 'ws',
    noIsYes: false,
    level: fixed,
    wrap: (yes, no) => snapshot({ yes_dollars_fp: yes, no_dollars_fp: no }),
  },
  {
    name: 'socket, fixed point, YES prices',
    channel: 'ws',
    noIsYes: true,
    level: fixed,
    wrap: (yes, no) => snapshot({ yes_dollars_fp: yes, no_dollars_fp: no }),
  },
  {
    name: 'socket, dollars and counts',
    channel: 'ws',
    noIsYes: false,
    level: mixed,
    wrap: (yes, no) => snapshot({ yes_dollars: yes, no_dollars: no, yes: [], no: [] }),
  },
  {
    name: 'socket, cents',
    channel: 'ws',
    noIsYes: false,
    level: cents,
    wrap: (yes, no) => snapshot({ yes, no }),
  },
  {
    name: 'REST, fixed point',
    channel: REST,
    noIsYes: false,
    level: fixed,
    wrap: (yes, no) => ({ orderbook_fp: { yes_dollars: yes, no_dollars: no } }),
  },
  {
    name: 'REST, dollars and counts',
    channel: REST,
    noIsYes: false,
    level: short,
    wrap: (yes, no) => ({ orderbook: { yes_dollars: yes, no_dollars: no } }),
  },
  {
    name: 'REST, cents',
    channel: REST,
    noIsYes: false,
    level: cents,
    wrap: (yes, no) => ({ orderbook: { yes, no } }),
  },
];

const side = fc.uniqueArray(
  fc.tuple(fc.integer({ min: 1, max: 9_999 }), fc.integer({ min: 1, max: 1_000_000_000 })),
  { selector: ([price]) => price, maxLength: 40 },
);

const normalize = (text: string, channel: string, noIsYes = false): Finding[] =>
  venueB.capture.createNormalizer().normalize({
    channel,
    direction: 'in',
    text,
    observedAt: AT,
    settings: channel === 'ws' ? { use_yes_price: String(noIsYes) } : {},
  });

const best = (levels: readonly Native[], direction: 1 | -1): Native[] =>
  [...levels].sort(([a], [b]) => (a - b) * direction);

describe('normalize, then denormalize', () => {
  it.each(DIALECTS)('gives the source values back: $name', ({ channel, noIsYes, level, wrap }) => {
    fc.assert(
      fc.property(side, side, (yes, no) => {
        const message = wrap(yes.map(level), no.map(level));
        const [book] = only(normalize(JSON.stringify(message), channel, noIsYes), 'book');
        const text = (native: Native) => level(native).map(String);
        // A NO bid in NO prices is best when high; in YES prices it is an ask, best when low.
        expect(sourceText(book!)).toEqual({
          bids: best(yes, -1).map(text),
          asks: best(no, noIsYes ? 1 : -1).map(text),
        });
        const asks = best(no, noIsYes ? 1 : -1).map(([price]) =>
          noIsYes ? price * 100 : 1_000_000 - price * 100,
        );
        expect(book!.askPrices).toEqual(asks);
        expect(book!.bidPrices).toEqual(best(yes, -1).map(([price]) => price * 100));
        expect(book!.flags).toEqual([]);
      }),
    );
  });

  it('gives back any text of a level, however it is written', () => {
    const number = fc.constantFrom(
      '0.5',
      '.5',
      '0.50',
      '00.5',
      '5e-1',
      '0.500000',
      '0.1234567',
      '+0.25',
      '7.',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(number, number), { maxLength: 6 }), (levels) => {
        const message = snapshot({ yes_dollars_fp: levels });
        const [book] = only(normalize(JSON.stringify(message), 'ws'), 'book');
        const sorted = [...levels].sort(([a], [b]) => Number(b) - Number(a));
        expect(sourceText(book!).bids).toEqual(sorted);
      }),
    );
  });
});

describe('a book built from changes', () => {
  const change = fc.tuple(
    fc.constantFrom('yes' as const, 'no' as const),
    fc.integer({ min: 1, max: 99 }),
    fc.integer({ min: -300, max: 500 }),
  );

  it('equals the snapshot the venue would send, at any moment', () => {
    fc.assert(
      fc.property(
        side,
        side,
        fc.array(change, { maxLength: 60 }),
        fc.boolean(),
        (yes, no, changes, noIsYes) => {
          const normalizer = venueB.capture.createNormalizer();
          const settings = { use_yes_price: String(noIsYes) };
          const send = (message: object): Finding[] =>
            normalizer.normalize({
              channel: 'ws',
              direction: 'in',
              text: JSON.stringify(message),
              observedAt: AT,
              settings,
            });
          const model = { yes: new Map(yes), no: new Map(no) };
          const full = (): object => ({
            yes_dollars_fp: [...model.yes].map(fixed),
            no_dollars_fp: [...model.no].map(fixed),
          });
          let seq = 1;
          send(snapshot(full()));
          for (const [name, cent, wanted] of changes) {
            const price = cent * 100;
            const before = model[name].get(price) ?? 0;
            const delta = Math.max(wanted, -before);
            if (before + delta === 0) model[name].delete(price);
            else model[name].set(price, before + delta);
            const msg = {
              market_ticker: M,
              price_dollars: dollars(price),
              delta_fp: contracts(delta),
              side: name,
            };
            const findings = send({ type: 'orderbook_delta', sid: 1, seq: ++seq, msg });
            expect(findings).toMatchObject([{ type: 'book', kind: 'delta', sequence: seq }]);
          }
          const whole = {
            type: 'orderbook_snapshot',
            sid: 1,
            seq: ++seq,
            msg: { market_ticker: M, ...full() },
          };
          expect(send(whole)).toMatchObject([
            { type: 'compare', levelsDiffering: 0, sizeDrift: 0 },
            { type: 'book', kind: 'snapshot' },
          ]);
        },
      ),
    );
  });
});

describe('hostile input', () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const kinds = fc.constantFrom(
    'orderbook_snapshot',
    'orderbook_delta',
    'trade',
    'ok',
    'subscribed',
    'unsubscribed',
    'error',
    'ticker',
    'market_lifecycle_v2',
    'other',
  );
  const field = fc.constantFrom(
    'market_ticker',
    'market_tickers',
    'yes_dollars_fp',
    'no_dollars_fp',
    'yes',
    'no',
    'price',
    'price_dollars',
    'delta',
    'delta_fp',
    'side',
    'code',
    'sid',
    'channel',
    'event_type',
    'ts',
    'ts_ms',
    '__proto__',
    'orderbook',
    'orderbook_fp',
    'orderbooks',
    'markets',
    'market',
    'events',
    'ticker',
    'error',
  );
  const loose = fc.oneof(json, fc.constantFrom(M, 'yes', 'no', '0.5', 25, 1e308, -0, ...HOSTILE));
  const message = fc.dictionary(field, loose, { maxKeys: 8 });
  const frame = fc.record({
    direction: fc.constantFrom('in' as const, 'out' as const),
    channel: fc.constantFrom('ws', REST, 'rest:/markets', 'rest:/events', 'rest:/markets/orderbooks', 'x'),
    text: fc.oneof(
      fc.string(),
      fc
        .record({ type: kinds, msg: message, sid: loose, seq: loose, id: loose })
        .map((it) => JSON.stringify(it)),
      message.map((it) => JSON.stringify(it)),
    ),
  });

  it('never throws, and every frame gives at least one finding', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 12 }), (frames) => {
        const first = JSON.stringify(snapshot({ yes_dollars_fp: [['0.5400', '10.00']] }));
        const all = [{ direction: 'in' as const, channel: 'ws', text: first }, ...frames];
        for (const findings of record(
          venueB,
          all.map((one) => ({ ...one, observedAt: AT, settings: {} })),
        )) {
          expect(findings.length).toBeGreaterThan(0);
          expect(findings).not.toContainEqual(expect.objectContaining({ reason: 'normalizer_failed' }));
          for (const { bidPrices, askPrices, bidSizes, askSizes } of only(findings, 'book')) {
            expect(bidPrices.length).toBe(bidSizes.length);
            expect(askPrices.length).toBe(askSizes.length);
            expect([bidPrices, askPrices, bidSizes, askSizes].flat().every(Number.isSafeInteger)).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
