// The newest book of every outcome, in memory: loaded from the store at the start, then kept current from the log's tail, so
// the route sends bytes that are ready. Markets quiet for longest are dropped past a bound; the store still has them.

import type {
  BookObserved,
  GapCause,
  GapScope,
  LadderShape,
  MarketIdentity,
  Micros,
  Position,
  Venue,
} from '@ladderlog/core';
import { isNewer, toIso, toRecord } from '@ladderlog/core';
import type { GapView } from './coverage-view.ts';
import type { TailRecord } from './tail.ts';

export type LatestBook = {
  readonly outcome: string;
  readonly observedAt: Micros;
  readonly offset: number;
  readonly session: string;
  /** The record as JSON. Written on first use, ladders as arrays kept. */
  json(shape: LadderShape): Buffer;
};

export type LatestBooks = {
  /** Books of a market in order of outcome id; empty when none is in memory. */
  of(venue: Venue, market: string): readonly LatestBook[];
  /** The open gap of a book that is not being recorded now. */
  gap(venue: Venue, market: string, outcome: string): GapView | null;
  readonly size: number;
};

export type OpenGap = {
  readonly gapId: string;
  readonly venue: Venue;
  readonly market: string;
  readonly outcome: string | null;
  readonly cause: GapCause;
  readonly scope: GapScope;
  readonly from: Micros;
  readonly lastBefore: Micros | null;
};

export type LatestMemory = LatestBooks & {
  put(event: BookObserved, position: Position): void;
  identify(venue: Venue, market: string, identity: MarketIdentity): void;
  openGap(gap: OpenGap): void;
  onRecord(record: TailRecord): void;
};

type Market = {
  identity: MarketIdentity | null;
  books: readonly LatestBook[];
  readonly gaps: Map<string, GapView>;
};

export function createLatestMemory(options: { readonly maxMarkets: number }): LatestMemory {
  // Insertion order is age of the last change: the first market is the one to drop.
  const markets = new Map<string, Market>();

  const touch = (venue: Venue, market: string): Market => {
    const key = `${venue}\n${market}`;
    const known = markets.get(key) ?? { identity: null, books: [], gaps: new Map() };
    markets.delete(key);
    markets.set(key, known);
    if (markets.size > options.maxMarkets) {
      const oldest = markets.keys().next().value;
      if (oldest !== undefined) markets.delete(oldest);
    }
    return known;
  };

  const memory: LatestMemory = {
    of: (venue, market) => markets.get(`${venue}\n${market}`)?.books ?? [],
    gap(venue, market, outcome) {
      const gaps = markets.get(`${venue}\n${market}`)?.gaps;
      if (!gaps || gaps.size === 0) return null;
      for (const gap of gaps.values()) if (gap.outcome_id === null || gap.outcome_id === outcome) return gap;
      return null;
    },
    get size() {
      return markets.size;
    },
    put(event, position) {
      const market = touch(event.venue, event.market);
      const at = market.books.findIndex(({ outcome }) => outcome === event.outcome);
      const known = market.books[at];
      if (known && !isNewer(event.observedAt, position.offset, known.observedAt, known.offset)) return;
      const book = latestBook(event, position, () => market.identity);
      market.books = known
        ? market.books.with(at, book)
        : [...market.books, book].sort((left, right) => (left.outcome < right.outcome ? -1 : 1));
    },
    identify(venue, market, identity) {
      touch(venue, market).identity = identity;
    },
    openGap(gap) {
      touch(gap.venue, gap.market).gaps.set(gap.gapId, {
        from: toIso(gap.from),
        to: null,
        cause: gap.cause,
        scope: gap.scope,
        dataset: 'books',
        outcome_id: gap.outcome,
        last_before: gap.lastBefore === null ? null : toIso(gap.lastBefore),
        first_after: null,
      });
    },
    onRecord({ event, topic, partition, record }) {
      if (!event) return;
      if (event.type === 'BookObserved') memory.put(event, { topic, partition, offset: record.offset });
      else if (event.type === 'MarketObserved') memory.identify(event.venue, event.market, event);
      else if (event.type === 'GapOpened' && event.dataset === 'books')
        memory.openGap({ ...event, lastBefore: event.lastBefore?.observedAt ?? null });
      else if (event.type === 'GapClosed')
        markets.get(`${event.venue}\n${event.market}`)?.gaps.delete(event.gapId);
    },
  };
  return memory;
}

function latestBook(
  event: BookObserved,
  position: Position,
  identity: () => MarketIdentity | null,
): LatestBook {
  let written: { readonly bytes: Buffer; readonly identity: MarketIdentity | null } | null = null;
  return {
    outcome: event.outcome,
    observedAt: event.observedAt,
    offset: position.offset,
    session: event.session,
    json(shape) {
      const market = identity();
      if (shape !== 'arrays') return Buffer.from(JSON.stringify(toRecord(event, position, market, shape)));
      if (written?.identity !== market || !written)
        written = { identity: market, bytes: Buffer.from(JSON.stringify(toRecord(event, position, market))) };
      return written.bytes;
    },
  };
}
