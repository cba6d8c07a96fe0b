import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { venueC } from '../../../src/venues/venue-c/index.ts';
import { HOSTILE, deepTexts, feed, fixtureLines, frame, only, record, sourceText } from '../frames.ts';

const MARKET = `0x${'ab'.repeat(32)}`;
const TOKENS = ['11111111111111111111', '22222222222222222222'];

/** Ways the venue writes one number. */
const spell = (whole: bigint, fraction: string, style: number): string => {
  const short = fraction.replace(/0+$/, '');
  const head = style % 2 === 1 && whole === 0n && short !== '' ? '' : String(whole);
  const digits = style >= 4 ? fraction : style >= 2 ? short.padEnd(2, '0') : short;
  return digits === '' ? String(whole) : `${head}.${digits}`;
};
const decimalText = (max: number) =>
  fc
    .tuple(fc.integer({ min: 1, max }), fc.integer({ min: 0, max: 5 }))
    .map(([micro, style]) =>
      spell(BigInt(micro) / 1_000_000n, String(BigInt(micro) % 1_000_000n).padStart(6, '0'), style),
    );
const priceText = fc
  .tuple(fc.constantFrom(10_000, 1_000, 100), fc.integer({ min: 1, max: 99 }), fc.integer({ min: 0, max: 5 }))
  .map(([tick, steps, style]) => spell(0n, String(tick * steps).padStart(6, '0'), style));
const sizeText = fc.oneof(decimalText(30_000_000_000_000), decimalText(2_000_000), fc.constant('5'));
const level = fc.record({ price: priceText, size: sizeText });

/** Independent of the code under test: digits moved, nothing else. */
const microOf = (text: string): bigint => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(6, '0')}`);
};

type Model = { bids: Map<bigint, [string, string]>; asks: Map<bigint, [string, string]> };
const expected = (model: Model) => {
  const sorted = (side: Map<bigint, [string, string]>, direction: bigint) =>
    [...side]
      .sort(([a], [b]) => ((a - b) * direction < 0n ? -1 : 1))
      .map(([, texts]): [string, string] => texts);
  return { bids: sorted(model.bids, -1n), asks: sorted(model.asks, 1n) };
};

const distinct = (levels: { price: string; size: string }[]) => [
  ...new Map(levels.map((entry) => [microOf(entry.price), entry])).values(),
];

const step = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('book' as const),
      token: fc.constantFrom(...TOKENS),
      bids: fc.array(level, { maxLength: 25 }).map(distinct),
      asks: fc.array(level, { maxLength: 25 }).map(distinct),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      entries: fc.array(
        fc.record({
          asset_id: fc.constantFrom(...TOKENS),
          side: fc.constantFrom('BUY', 'SELL'),
          price: priceText,
          size: fc.oneof(sizeText, fc.constant('0')),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  },
);

describe('venue C, for any books and changes', () => {
  it('gives the venue text of every level back, and the integers are those texts', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
        const normalizer = venueC.capture.createNormalizer();
        const models = new Map<string, Model>();
        for (const taken of steps) {
          const touched = new Set<string>();
          let findings;
          if (taken.kind === 'book') {
            const { token, bids, asks } = taken;
            models.set(token, {
              bids: new Map(bids.map((entry) => [microOf(entry.price), [entry.price, entry.size]])),
              asks: new Map(asks.map((entry) => [microOf(entry.price), [entry.price, entry.size]])),
            });
            touched.add(token);
            findings = feed(normalizer, [
              { market: MARKET, asset_id: token, timestamp: '1794700801300', bids, asks },
            ]);
          } else {
            for (const entry of taken.entries) {
              const model = models.get(entry.asset_id);
              if (!model) continue;
              touched.add(entry.asset_id);
              const side = entry.side === 'BUY' ? model.bids : model.asks;
              if (entry.size === '0') side.delete(microOf(entry.price));
              else side.set(microOf(entry.price), [entry.price, entry.size]);
            }
            findings = feed(normalizer, {
              event_type: 'price_change',
              market: MARKET,
              timestamp: '1794700801301',
              price_changes: taken.entries,
            });
          }
          const books = only(findings, 'book');
          expect(books.map(({ outcome }) => outcome)).toEqual([...touched]);
          for (const book of books) {
            const want = expected(models.get(book.outcome)!);
            expect(sourceText(book)).toEqual(want);
            expect(book.bidPrices).toEqual(want.bids.map(([price]) => Number(microOf(price))));
            expect(book.bidSizes).toEqual(want.bids.map(([, size]) => Number(microOf(size))));
            expect(book.askPrices).toEqual(want.asks.map(([price]) => Number(microOf(price))));
            expect(book.askSizes).toEqual(want.asks.map(([, size]) => Number(microOf(size))));
            expect(book.flags).toEqual([]);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it.each(['ws', 'clob:/books', 'gamma:/events', 'clob:/markets/0x1'])(
    'takes JSON nested as deep as it likes on %s',
    (channel) => {
      for (const text of deepTexts()) {
        const findings = feed(venueC.capture.createNormalizer(), text, channel);
        expect(findings).toMatchObject([{ type: 'reject' }]);
        expect(findings).not.toMatchObject([{ reason: 'normalizer_failed' }]);
      }
    },
  );

  it('answers every frame with a finding and never throws, whatever arrives', () => {
    const real = [
      ...fixtureLines('venue-c/ws-eth15m.jsonl').slice(0, 6),
      ...fixtureLines('venue-c/ws-trades.jsonl'),
    ];
    const mangled = fc
      .tuple(fc.constantFrom(...real), fc.nat(), fc.nat({ max: 30 }), fc.string({ maxLength: 8 }))
      .map(([text, at, cut, put]) => {
        const from = at % text.length;
        return text.slice(0, from) + put + text.slice(from + cut);
      });
    const keys = fc.constantFrom(
      'event_type',
      'market',
      'asset_id',
      'bids',
      'asks',
      'buys',
      'price_changes',
      'changes',
      'price',
      'size',
      'side',
      'markets',
      'conditionId',
      'clobTokenIds',
      'outcomes',
      'tokens',
      'condition_id',
      'assets_ids',
      'winning_asset_id',
      'slug',
      'error',
    );
    const kinds = fc.constantFrom(
      'book',
      'price_change',
      'last_trade_price',
      'new_market',
      'market_resolved',
      '0.5',
      '["1"]',
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        kinds,
        fc.constantFrom(...HOSTILE),
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(keys, tie('tree'), { maxKeys: 6 }),
      ),
    }));
    const text = fc.oneof(
      mangled,
      tree.map((value) => JSON.stringify(value)),
      fc.string(),
    );
    const channel = fc.oneof(
      fc.constantFrom(
        'ws',
        'clob:/book?token_id=1',
        'clob:/books',
        'clob:/markets/0x1',
        'gamma:/events',
        'gamma:/markets',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(channel, text), { minLength: 1, maxLength: 12 }), (frames) => {
        for (const findings of record(
          venueC,
          frames.map(([from, body]) => frame(body, from)),
        )) {
          expect(findings.length).toBeGreaterThan(0);
          expect(findings).not.toContainEqual(expect.objectContaining({ reason: 'normalizer_failed' }));
        }
      }),
      { numRuns: 400 },
    );
  });
});
