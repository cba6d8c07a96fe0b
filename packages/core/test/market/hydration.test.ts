// What the tables have of a market at any moment, plus the events that follow, is the fold of all its events: also where a range
// is half inserted, so that some tables are ahead of the others.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { T0 } from '../../../../test/builders/events.ts';
import { histories } from '../../../../test/builders/history.ts';
import { viewsOf } from '../../../../test/builders/market-view.ts';
import { memoryTable } from '../../../../test/builders/memory-tables.ts';
import type { EventType, LastSeen, MarketRows, MarketState, Placed, VenueEvent } from '../../src/index.ts';
import { Markets, bookFromRow, emptyMarket, gapFromRow, marketFromRow, withRows } from '../../src/index.ts';

type Log = readonly Placed<VenueEvent>[];
const CAPTURE: ReadonlySet<EventType> = new Set([
  'CaptureStarted',
  'CaptureBeat',
  'CaptureStopped',
  'GapOpened',
  'GapClosed',
]);

/** Each table has the events up to an end of its own. */
type Ends = {
  readonly books: number;
  readonly markets: number;
  readonly gaps: number;
  readonly coverage: number;
};

function rowsOf(log: Log, market: string, ends: Ends): MarketRows {
  const of = log.filter(({ event }) => event.market === market);
  const until = (end: number): Log => of.filter(({ position }) => position.offset < end);
  const gaps = memoryTable('gaps', until(ends.gaps));
  const lastSeen: (LastSeen & { outcome: string | null })[] = [
    ...memoryTable('coverage', until(ends.coverage))
      .filter(({ kind, dataset }) => kind !== 'gap' && dataset === 'books')
      .map(({ outcome, at, kind }) => ({ outcome: outcome || null, at, ended: kind === 'stopped' })),
    ...gaps
      .filter(({ dataset, first_after_at: after }) => dataset === 'books' && after !== null)
      .map(({ outcome, to_at: at }) => ({ outcome: outcome || null, at: at!, ended: false })),
  ];
  return {
    books: memoryTable('latest_books', until(ends.books)).map(bookFromRow),
    metadata: memoryTable('markets', until(ends.markets)).map(marketFromRow)[0] ?? null,
    gaps: gaps.filter(({ to_at: to }) => to === null).map(gapFromRow),
    lastSeen,
  };
}

test('tables at any cut, a half-inserted range included, and the tail give the fold of the log', () => {
  const ahead = fc.nat({ max: 30 });
  fc.assert(
    fc.property(
      histories(80),
      fc.nat(),
      fc.record({ books: ahead, markets: ahead, gaps: ahead, coverage: ahead }),
      (events, anywhere, more) => {
        const log: Log = events.map((event, offset) => ({
          event,
          position: { topic: event.venue, partition: 0, offset },
        }));
        const cut = anywhere % (log.length + 1);
        const whole = new Markets();
        for (const { event, position } of log) whole.apply(event, position);
        // Who records a market is known from the capture events of the log; everything else from the tables.
        const recent = new Markets();
        for (const { event, position } of log.slice(0, cut))
          if (CAPTURE.has(event.type)) recent.apply(event, position);
        const hydrated = new Markets();
        for (const market of new Set(events.map((event) => event.market))) {
          const state: MarketState = recent.get('venueb', market) ?? emptyMarket('venueb', market);
          const ends = {
            books: cut + more.books,
            markets: cut + more.markets,
            gaps: cut + more.gaps,
            coverage: cut + more.coverage,
          };
          hydrated.set({ ...withRows(state, rowsOf(log, market, ends), T0), seen: cut - 1 });
        }
        for (const { event, position } of log.slice(cut)) hydrated.apply(event, position);
        expect(viewsOf(hydrated.values())).toEqual(viewsOf(whole.values()));
      },
    ),
    { numRuns: 200 },
  );
});
