// The newest book of every outcome, in memory: loaded from the store, then kept current from the log's tail, so the route sends
// bytes that are ready. With it when each was last known to be watched, so that the last book of a dead capture is not taken for
// the present one. Markets quiet for longest are dropped past a bound; the store still has them.

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
import type { GapView, Sign, Signs } from '../answers/coverage-view.ts';
import { addSign, goesOn, notCaptured, signOf } from '../answers/coverage-view.ts';
import type { TailRecord } from './tail.ts';

export type LatestBook = {
  readonly outcome: string;
  readonly observedAt: Micros;
  readonly offset: number;
  readonly session: string;
  /** The record as JSON. Written on first use, ladders as arrays kept. */
  json(shape: LadderShape): Buffer;
};

export type LatestMarket = {
  /** In order of outcome id. */
  readonly books: readonly LatestBook[];
  /** Memory has all that the store has of it; else the store knows of more. */
  readonly whole: boolean;
  /** Why this is not the present book: it is in an open gap, or capture of it ended or is dead. `alive`: see aliveSince. */
  gap(book: LatestBook, alive: Micros): GapView | null;
};

export type LatestBooks = {
  find(venue: Venue, market: string): LatestMarket | null;
  readonly size: number;
};

export type OpenGap = {
  readonly gapId: string;
  readonly outcome: string | null;
  readonly cause: GapCause;
  readonly scope: GapScope;
  readonly from: Micros;
  readonly lastBefore: Micros | null;
};

export class MarketMemory implements LatestMarket {
  books: readonly LatestBook[] = [];
  identity: MarketIdentity | null = null;
  whole = false;
  /** Events of the market from this offset on were seen here. */
  readonly since: number;
  private readonly gaps = new Map<string, GapView>();
  /** The tables may not know yet. */
  private closed: Set<string> | null = null;
  private readonly signs: Signs = new Map();

  constructor(since: number) {
    this.since = since;
  }

  gap({ outcome, observedAt }: LatestBook, alive: Micros): GapView | null {
    for (const gap of this.gaps.values())
      if (gap.outcome_id === null || gap.outcome_id === outcome) return gap;
    const sign = signOf(this.signs, outcome);
    if (!sign || goesOn(sign, alive)) return null;
    const gap = notCaptured({ from: sign.at, to: null }, 'books', outcome);
    return { ...gap, last_before: toIso(observedAt) };
  }

  put(event: BookObserved, position: Position): void {
    this.sign(event.outcome, { at: event.observedAt, farewell: false });
    const at = this.books.findIndex(({ outcome }) => outcome === event.outcome);
    const known = this.books[at];
    if (known && !isNewer(event.observedAt, position.offset, known.observedAt, known.offset)) return;
    const book = latestBook(event, position, () => this.identity);
    this.books = known
      ? this.books.with(at, book)
      : [...this.books, book].sort((left, right) => (left.outcome < right.outcome ? -1 : 1));
  }

  sign(outcome: string | null, sign: Sign): void {
    addSign(this.signs, outcome ?? '', sign);
  }

  openGap(gap: OpenGap): void {
    if (this.closed?.has(gap.gapId)) return;
    this.gaps.set(gap.gapId, {
      from: toIso(gap.from),
      to: null,
      cause: gap.cause,
      scope: gap.scope,
      dataset: 'books',
      outcome_id: gap.outcome,
      last_before: gap.lastBefore === null ? null : toIso(gap.lastBefore),
      first_after: null,
    });
  }

  closeGap(gapId: string): void {
    this.gaps.delete(gapId);
    if (!this.whole) (this.closed ??= new Set()).add(gapId);
  }
}

export type LatestMemory = LatestBooks & {
  /** Of a market that is not there, memory begins with the event of this offset. */
  open(venue: Venue, market: string, offset: number): MarketMemory;
  onRecord(record: TailRecord): void;
};

export function createLatestMemory(options: { readonly maxMarkets: number }): LatestMemory {
  // Insertion order is age of the last change: the first market is the one to drop.
  const markets = new Map<string, MarketMemory>();

  const memory: LatestMemory = {
    find: (venue, market) => markets.get(`${venue}\n${market}`) ?? null,
    get size() {
      return markets.size;
    },
    open(venue, market, offset) {
      const key = `${venue}\n${market}`;
      const known = markets.get(key) ?? new MarketMemory(offset);
      markets.delete(key);
      markets.set(key, known);
      if (markets.size > options.maxMarkets) {
        const oldest = markets.keys().next().value;
        if (oldest !== undefined) markets.delete(oldest);
      }
      return known;
    },
    onRecord({ event, topic, partition, record: { offset } }) {
      if (!event || !('venue' in event)) return;
      const { venue, market, observedAt: at } = event;
      if (event.type === 'BookObserved')
        return memory.open(venue, market, offset).put(event, { topic, partition, offset });
      if (event.type === 'MarketObserved') {
        memory.open(venue, market, offset).identity = event;
        return;
      }
      if (!('dataset' in event) || event.dataset !== 'books') return;
      if (event.type === 'GapOpened')
        return memory
          .open(venue, market, offset)
          .openGap({ ...event, lastBefore: event.lastBefore?.observedAt ?? null });
      // What follows is about books: without any there is nothing to keep.
      const known = markets.get(`${venue}\n${market}`);
      if (event.type === 'GapClosed') {
        known?.closeGap(event.gapId);
        if (event.firstAfter) known?.sign(event.outcome, { at: event.to, farewell: false });
      } else known?.sign(event.outcome, { at, farewell: event.type === 'CaptureStopped' });
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
