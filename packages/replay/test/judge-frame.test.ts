import type { BookFinding, BookObserved, Finding, MetricSampled, SampleFinding } from '@ladderlog/core';
import { adapterOf } from '@ladderlog/core';
import { describe, expect, test } from 'vitest';
import { book, sample, T0 } from '../../../test/builders/events.ts';
import { judgeFrame } from '../src/audit/judge-frame.ts';
import { bookTrack, samplesTrack } from '../src/audit/tracks.ts';

const bookFinding = ({ market, outcome, kind, sourceTs, ...book }: BookObserved): BookFinding => ({
  type: 'book',
  market,
  outcome,
  kind,
  sourceTs,
  bidPrices: book.bidPrices,
  bidSizes: book.bidSizes,
  askPrices: book.askPrices,
  askSizes: book.askSizes,
  nativeBid: book.nativeBid,
  nativeAsk: book.nativeAsk,
  askComplement: book.askComplement,
  priceFormat: book.priceFormat,
  sizeFormat: book.sizeFormat,
  exceptions: book.exceptions,
  hash: book.hash,
  sequence: book.sequence,
  nativeIds: book.nativeIds,
  flags: [],
});
const sampleFinding = ({ market, outcome, metric, sourceTs, value, text, exact }: MetricSampled) =>
  ({
    type: 'sample',
    market,
    outcome,
    metric,
    sourceTs,
    value,
    text,
    exact,
    size: null,
    takerSide: null,
  }) satisfies SampleFinding;

const at = (offset: number) => ({ topic: 'venueb', partition: 0, offset });
const judge = (
  findings: readonly Finding[],
  recorded: readonly (BookObserved | MetricSampled)[],
  inGap: (track: string) => boolean = () => false,
) =>
  judgeFrame(
    findings,
    recorded.map((event, offset) => ({ event, position: at(offset) })),
    adapterOf('venueb'),
    T0,
    inGap,
  );

describe('a frame against what was recorded of it', () => {
  test('what is said again in every field matches; acknowledgements are not judged', () => {
    const recorded = [book(), sample({ venue: 'venueb', outcome: 'yes' })];
    const verdict = judge(
      [
        { type: 'skip', reason: 'ack' },
        sampleFinding(recorded[1] as MetricSampled),
        bookFinding(recorded[0] as BookObserved),
      ],
      recorded,
    );
    expect(verdict.matched.toSorted()).toEqual(['BookObserved', 'MetricSampled']);
    expect(verdict.differences).toEqual([]);
  });
  test('names the first field that differs, with both values', () => {
    const recorded = book();
    const verdict = judge([{ ...bookFinding(recorded), bidSizes: [212_500_000, 2_000_000] }], [recorded]);
    expect(verdict.differences).toEqual([
      {
        kind: 'field',
        type: 'BookObserved',
        market: recorded.market,
        outcome: 'yes',
        event: at(0),
        field: 'bidSizes',
        recorded: [212_500_000, 1_000_000],
        recomputed: [212_500_000, 2_000_000],
      },
    ]);
  });
  test('flags are computed anew, but for the one that other connections decide', () => {
    const finding = bookFinding(book());
    expect(judge([finding], [book({ flags: ['off_tick'] })]).differences).toMatchObject([
      { field: 'flags', recorded: ['off_tick'], recomputed: [] },
    ]);
    expect(judge([finding], [book({ flags: ['source_time_backwards'] })]).matched).toHaveLength(1);
  });
  test('what is given now and was not recorded is missing, unless a recorded gap kept it back', () => {
    const finding = bookFinding(book());
    expect(judge([finding], []).differences).toMatchObject([{ kind: 'missing', event: null }]);
    const inGap = judge([finding], [], (track) => track === bookTrack(finding.market, 'yes'));
    expect([inGap.suppressed, inGap.differences]).toEqual([1, []]);
    // A sample would have ended the gap: only its end tells whether the frame came late.
    const given = sampleFinding(sample({ venue: 'venueb', outcome: 'yes' }));
    const held = judge([given], [], (track) => track === samplesTrack(given.market));
    expect([held.differences, held.held]).toMatchObject([[], [{ difference: { kind: 'missing' } }]]);
  });
  test('what was recorded and is not given now is unexpected', () => {
    expect(judge([], [book()]).differences).toMatchObject([{ kind: 'unexpected', event: at(0) }]);
  });
  test('of two books of one outcome, a gap keeps back the first: the last one closed it', () => {
    const last = book({ bidPrices: [540_000, 520_000] });
    const verdict = judge([bookFinding(book()), bookFinding(last)], [last], () => true);
    expect([verdict.matched, verdict.suppressed]).toEqual([['BookObserved'], 1]);
  });
  test('counts how our book compared with the venue’s', () => {
    const { compared } = judge(
      [
        {
          type: 'compare',
          market: 'm',
          outcome: 'yes',
          method: 'rest',
          sourceTs: null,
          levelsOurs: 5,
          levelsTheirs: 5,
          levelsDiffering: 2,
          sizeDrift: 7,
          detail: null,
        },
      ],
      [],
    );
    expect(compared).toEqual([{ levels: 2, drift: 7 }]);
  });
});
