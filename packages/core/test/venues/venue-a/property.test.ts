import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { venueA } from '../../../src/venues/venue-a/index.ts';
import { HOSTILE, deepTexts, feed, fixtureLines, frame, only, record, sourceText } from '../frames.ts';

/** A decimal as a JSON number or a string may write it: padded, with dust, with an exponent. */
const sizeNumber = fc
  .tuple(
    fc.bigInt({ min: 0n, max: 30_000_000n }),
    fc.stringMatching(/^\d{0,14}$/),
    fc.constantFrom('', 'e0', 'E+1', 'e-2'),
  )
  .map(([whole, fraction, exponent]) => `${whole}${fraction === '' ? '' : `.${fraction}`}${exponent}`);
const priceNumber = fc.tuple(fc.integer({ min: 1, max: 999 }), fc.boolean()).map(([steps, padded]) => {
  const digits = String(steps).padStart(3, '0');
  return `0.${padded ? digits : digits.replace(/0+$/, '')}`;
});
const side = fc
  .array(fc.tuple(priceNumber, sizeNumber), { maxLength: 40 })
  .map((levels) => [...new Map(levels.map((level) => [Number(level[0]), level])).values()]);

/** Nearest 1e-6, half up, by string digits alone. */
function micro(text: string): { value: bigint; exact: boolean } {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = `${whole}${fraction}`;
  const point = whole.length + Number(exponent) + 6;
  const padded = digits.padStart(digits.length + Math.max(0, 1 - point), '0').padEnd(Math.max(point, 1), '0');
  const at = Math.max(point, 1);
  const rest = padded.slice(at);
  return {
    value: BigInt(padded.slice(0, at)) + (rest !== '' && rest[0]! >= '5' ? 1n : 0n),
    exact: /^0*$/.test(rest),
  };
}

const best = (levels: [string, string][], direction: 1 | -1): [string, string][] =>
  [...levels].sort(([a], [b]) => (Number(a) - Number(b)) * direction);

describe('venue A, for any book', () => {
  it.each([
    ['predict.fun numbers', 'number'],
    ['strings in a push', 'string'],
    ['objects of the REST book', 'object'],
  ] as const)('gives the venue text back and rounds only past 1e-6: %s', (_name, dialect) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(side, side), { minLength: 1, maxLength: 6 }), (books) => {
        const normalizer = venueA.capture.createNormalizer();
        books.forEach(([bids, asks], at) => {
          const [book] = only(
            feed(normalizer, ...encode(dialect, bids, asks, 1_794_700_800_000 + at)),
            'book',
          );
          const want = { bids: best(bids, -1), asks: best(asks, 1) };
          expect(sourceText(book!)).toEqual(want);
          const sizes = want.bids.map(([, size]) => micro(size));
          expect(book!.bidSizes.map(BigInt)).toEqual(sizes.map(({ value }) => value));
          const exact = [...bids, ...asks].every(([, size]) => micro(size).exact);
          expect(book!.flags).toEqual(exact ? [] : ['inexact']);
        });
      }),
      { numRuns: 80 },
    );
  });

  it.each(['ws', 'rest:/market/list', 'rest:/order-book?marketId=1', 'predictfun:/v1/categories'])(
    'takes JSON nested as deep as it likes on %s',
    (channel) => {
      for (const text of deepTexts()) {
        const findings = feed(venueA.capture.createNormalizer(), text, channel);
        expect(findings).toMatchObject([{ type: 'reject' }]);
        expect(findings).not.toMatchObject([{ reason: 'normalizer_failed' }]);
      }
    },
  );

  it('answers every frame with a finding and never throws, whatever arrives', () => {
    const real = fixtureLines('venue-a/session.jsonl').map(
      (line) => JSON.parse(line) as { channel: string; text: string },
    );
    const mangled = fc
      .tuple(fc.constantFrom(...real), fc.nat(), fc.nat({ max: 30 }), fc.string({ maxLength: 8 }))
      .map(([{ channel, text }, at, cut, put]): [string, string] => {
        const from = at % text.length;
        return [channel, text.slice(0, from) + put + text.slice(from + cut)];
      });
    const keys = fc.constantFrom(
      'type',
      'topic',
      'data',
      'success',
      'marketId',
      'marketTopicId',
      'markets',
      'marketTopics',
      'outcomes',
      'bids',
      'asks',
      'id',
      'code',
      'msg',
      'resolution',
      'status',
      'lastTradePrice',
      'tokenId',
      'outcome',
      'categories',
      'slug',
      'index',
      'participantCount',
    );
    const words = fc.constantFrom(
      'TOPIC',
      'M',
      'RESOLVED',
      'web3_prediction_orderbook_data',
      'predictOrderbook/1',
      'Up',
      '0.5',
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        words,
        fc.constantFrom(...HOSTILE),
        fc.jsonValue({ maxDepth: 1 }),
        tie('tree').map((value) => JSON.stringify(value)),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(keys, tie('tree'), { maxKeys: 6 }),
      ),
    }));
    const channel = fc.oneof(
      fc.constantFrom(
        'ws',
        'rest:/market/list',
        'rest:/market/detail',
        'rest:/order-book?marketId=1',
        'predictfun:/v1/markets/1',
      ),
      fc.constantFrom(
        'rest:/order-book/last-trade-price',
        'predictfun:/v1/markets/1/orderbook',
        'predictfun:/v1/categories',
      ),
      fc.string(),
    );
    const made = fc.tuple(
      channel,
      fc.oneof(
        tree.map((value) => JSON.stringify(value)),
        fc.string(),
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(mangled, made), { minLength: 1, maxLength: 12 }), (frames) => {
        for (const findings of record(
          venueA,
          frames.map(([from, text]) => frame(text, from)),
        )) {
          expect(findings.length).toBeGreaterThan(0);
          expect(findings).not.toContainEqual(expect.objectContaining({ reason: 'normalizer_failed' }));
        }
      }),
      { numRuns: 400 },
    );
  });
});

function encode(
  dialect: 'number' | 'string' | 'object',
  bids: [string, string][],
  asks: [string, string][],
  ms: number,
): [string, string] {
  if (dialect === 'object') {
    const levels = (list: [string, string][]) => list.map(([price, size]) => ({ price, size }));
    const answer = { outcome: 'Up', timestamp: ms, bids: levels(bids), asks: levels(asks) };
    return [JSON.stringify(answer), 'rest:/order-book?vendor=predict_fun&marketId=5&tokenId=9'];
  }
  const raw = (list: [string, string][]) =>
    `[${list.map(([price, size]) => `[${price},${size}]`).join(',')}]`;
  if (dialect === 'number') {
    const data = `{"marketId":5,"updateTimestampMs":${ms},"bids":${raw(bids)},"asks":${raw(asks)}}`;
    return [`{"type":"M","topic":"predictOrderbook/5","data":${data}}`, 'ws'];
  }
  const data = JSON.stringify({ msgType: 'orderbook', marketId: 5, updateTimestampMs: ms, bids, asks });
  return [JSON.stringify({ type: 'TOPIC', topic: 'web3_prediction_orderbook_data', data }), 'ws'];
}
