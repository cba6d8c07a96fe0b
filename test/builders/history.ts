// Random histories of several markets, as a recorder and importers would write them, in the order of the log: a captured market's
// time goes forward, a book is watched before it is observed, a gap is closed before the next one opens, an import tells of any
// time.

import type { VenueEvent } from '@ladderlog/core';
import * as fc from 'fast-check';
import { SECOND, T0, beat, book, gapClosed, gapOpened, market, sample, started, stopped } from './events.ts';

const ACTIONS = [
  'book',
  'book',
  'beat',
  'take over',
  'open gap',
  'restate gap',
  'close gap',
  'stop',
  'metadata',
  'sample',
  'imported book',
  'imported metadata',
  'imported stop',
] as const;

type Step = {
  readonly market: number;
  readonly outcome: string;
  readonly action: (typeof ACTIONS)[number];
  readonly seconds: number;
  readonly other: number;
};

const MARKETS = ['M1', 'M2', 'M3'];

/** Events of one venue. */
export const histories = (maxLength: number, minLength = 0): fc.Arbitrary<VenueEvent[]> =>
  fc
    .array(
      fc.record<Step>({
        market: fc.nat({ max: MARKETS.length - 1 }),
        outcome: fc.constantFrom('yes', 'no'),
        action: fc.constantFrom(...ACTIONS),
        seconds: fc.nat({ max: 3 }),
        other: fc.integer({ min: -50, max: 50 }),
      }),
      // Else fast-check keeps to about ten.
      { minLength, maxLength, size: 'max' },
    )
    .map(written);

type Track = { collector: string; gap: string | null; from: number };

function written(steps: readonly Step[]): VenueEvent[] {
  const events: VenueEvent[] = [];
  const tracks = new Map<string, Track>();
  let now = T0;
  steps.forEach((step, ordinal) => {
    now += step.seconds * SECOND;
    const { outcome, action } = step;
    const place = { market: MARKETS[step.market]!, observedAt: now, session: 'live', ordinal };
    const at = { ...place, outcome };
    const then = {
      ...place,
      observedAt: T0 + step.other * SECOND,
      session: `import-${ordinal}`,
      provenance: 'imported' as const,
    };
    const key = `${at.market}/${outcome}`;
    const track = tracks.get(key);
    const edge = { session: 'live', ordinal, observedAt: now };
    switch (action) {
      case 'book':
        if (!track) {
          events.push(started(at));
          tracks.set(key, { collector: 'c1', gap: null, from: now });
        } else if (track.gap) {
          events.push(gapClosed({ ...at, gapId: track.gap, from: track.from, to: now, firstAfter: edge }));
          track.gap = null;
        }
        events.push(book({ ...at, bidPrices: [500_000 + ordinal], bidSizes: [1_000_000] }));
        break;
      case 'beat':
      case 'take over':
        if (!track || track.gap) break;
        if (action === 'take over') track.collector = track.collector === 'c1' ? 'c2' : 'c1';
        events.push(beat({ ...at, collector: track.collector }));
        break;
      case 'open gap':
        if (!track || track.gap) break;
        track.gap = `gap-${ordinal}`;
        track.from = now;
        events.push(gapOpened({ ...at, gapId: track.gap, from: now, lastBefore: edge, detail: 'closed' }));
        break;
      case 'restate gap':
        if (track?.gap)
          events.push(gapOpened({ ...at, gapId: track.gap, from: track.from, detail: 'closed' }));
        break;
      case 'close gap':
        if (!track?.gap) break;
        events.push(gapClosed({ ...at, gapId: track.gap, from: track.from, to: now, firstAfter: edge }));
        track.gap = null;
        break;
      case 'stop':
        if (!track) break;
        if (track.gap) events.push(gapClosed({ ...at, gapId: track.gap, from: track.from, to: now }));
        events.push(stopped({ ...at, collector: track.collector }));
        tracks.delete(key);
        break;
      case 'metadata':
        events.push(market({ ...place, title: `told at ${ordinal}` }));
        break;
      case 'sample':
        events.push(sample({ ...at, venue: 'venueb', metric: 'last_trade', text: String(ordinal) }));
        break;
      case 'imported book':
        events.push(book({ ...then, outcome, askPrices: [900_000 - ordinal], askSizes: [2_000_000] }));
        break;
      case 'imported metadata':
        events.push(market({ ...then, title: `imported at ${ordinal}` }));
        break;
      case 'imported stop':
        events.push(stopped({ ...then, outcome, collector: 'import' }));
    }
  });
  return events;
}
