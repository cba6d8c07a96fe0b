// The state of one market, as a fold of its events: newest books, open gaps, metadata, and how it is watched. Everything that
// speaks of a market's state (latest books, coverage, health, the live feed, a replay, recovery after a crash) speaks of this
// one. A new state shares all that did not change with the one before, and ladders are never copied.

import type { BookObserved, GapOpened, MarketObserved, Venue, VenueEvent } from '../events/events.ts';
import type { Position } from '../events/topics.ts';
import type { MarketFacts } from '../feed/requests.ts';
import type { Micros } from '../kernel/time.ts';
import { isNewer } from '../tables/projection.ts';
import type { LastSeen, Watched } from './watching.ts';
import { evolveWatched, lastSeenOf, withGapOf, withLastSeen } from './watching.ts';

/** An event and its place in the log. */
export type Placed<E> = { readonly event: E; readonly position: Position };

export type MarketState = {
  readonly venue: Venue;
  readonly market: string;
  /** The last event that was folded in; it and those before it change nothing any more. */
  readonly seen: number;
  /** The newest of each outcome, by observation time, then by offset; in the order in which outcomes were first seen. */
  readonly books: readonly Placed<BookObserved>[];
  /** Open ones, of all datasets, in the order in which they opened. */
  readonly gaps: readonly Placed<GapOpened>[];
  readonly metadata: Placed<MarketObserved> | null;
  readonly watched: readonly Watched[];
  readonly lastTrades: readonly { readonly outcome: string; readonly text: string }[];
};

export const emptyMarket = (venue: Venue, market: string): MarketState => ({
  venue,
  market,
  seen: -1,
  books: NONE,
  gaps: NONE,
  metadata: null,
  watched: NONE,
  lastTrades: NONE,
});

const NONE: readonly never[] = [];

/**
 * `order` is the event's place in the order of this fold: its offset, since all events of a market lie in one partition. A
 * replay, which goes by time, counts its own.
 */
export function evolve(
  state: MarketState,
  event: VenueEvent,
  position: Position,
  order: number = position.offset,
): MarketState {
  if (order <= state.seen) return state;
  switch (event.type) {
    case 'BookObserved':
      return {
        ...state,
        seen: order,
        books: newestBooks(state.books, { event, position }),
        watched: evolveWatched(state.watched, event),
      };
    case 'MarketObserved':
      return { ...state, seen: order, metadata: newest(state.metadata, { event, position }) };
    case 'MetricSampled':
      return {
        ...state,
        seen: order,
        watched: evolveWatched(state.watched, event),
        lastTrades: event.metric === 'last_trade' ? traded(state.lastTrades, event) : state.lastTrades,
      };
    case 'GapOpened':
      return {
        ...state,
        seen: order,
        gaps: opened(state.gaps, { event, position }),
        watched: evolveWatched(state.watched, event),
      };
    case 'GapClosed':
      return {
        ...state,
        seen: order,
        gaps: state.gaps.some((gap) => gap.event.gapId === event.gapId)
          ? state.gaps.filter((gap) => gap.event.gapId !== event.gapId)
          : state.gaps,
        watched: evolveWatched(state.watched, event),
      };
    case 'CaptureStarted':
    case 'CaptureBeat':
    case 'CaptureStopped':
      return { ...state, seen: order, watched: evolveWatched(state.watched, event) };
    default:
      return state;
  }
}

type Observed = Placed<{ readonly observedAt: Micros }>;

const isNewerThan = (one: Observed, other: Observed): boolean =>
  isNewer(one.event.observedAt, one.position.offset, other.event.observedAt, other.position.offset);

const newest = <P extends Observed>(known: P | null, given: P): P =>
  known && !isNewerThan(given, known) ? known : given;

function newestBooks(
  books: MarketState['books'],
  given: Placed<BookObserved>,
): readonly Placed<BookObserved>[] {
  const at = books.findIndex(({ event }) => event.outcome === given.event.outcome);
  const known = books[at];
  if (!known) return [...books, given];
  return isNewerThan(given, known) ? books.with(at, given) : books;
}

/** An open gap is told again from time to time, under its own id. */
function opened(gaps: MarketState['gaps'], given: Placed<GapOpened>): readonly Placed<GapOpened>[] {
  const at = gaps.findIndex(({ event }) => event.gapId === given.event.gapId);
  return at < 0 ? [...gaps, given] : gaps.with(at, given);
}

const traded = (
  trades: MarketState['lastTrades'],
  { outcome, text }: { readonly outcome: string; readonly text: string },
): MarketState['lastTrades'] => [...trades.filter((one) => one.outcome !== outcome), { outcome, text }];

/** What the tables have of a market. They may have more than the log up to some offset: what follows is folded in again. */
export type MarketRows = {
  readonly books: readonly Placed<BookObserved>[];
  readonly metadata: Placed<MarketObserved> | null;
  readonly gaps: readonly Placed<GapOpened>[];
  /** Of its books; outcome null: of all. */
  readonly lastSeen: readonly (LastSeen & { readonly outcome: string | null })[];
};

/**
 * The state with what the tables know. Both may know what the other does not, and neither is taken back: newest wins. A gap that
 * was closed since must not be among the rows.
 */
export function withRows(state: MarketState, rows: MarketRows, now: Micros): MarketState {
  const metadata = rows.metadata ? newest(state.metadata, rows.metadata) : state.metadata;
  let { books, gaps, watched } = state;
  for (const book of rows.books) {
    const { outcome, observedAt } = book.event;
    books = newestBooks(books, book);
    watched = withLastSeen(watched, 'books', outcome, { at: observedAt, ended: false });
  }
  for (const { outcome, at, ended } of rows.lastSeen)
    watched = withLastSeen(watched, 'books', outcome, { at, ended });
  for (const gap of rows.gaps) {
    const known = gaps.find(({ event }) => event.gapId === gap.event.gapId);
    if (!known || known.position.offset < gap.position.offset) gaps = opened(gaps, gap);
    // A gap of a market that is over says nothing of now.
    if (!metadata || isGoingOn(metadata.event, now)) watched = withGapOf(watched, gap.event);
  }
  return { ...state, metadata, books, gaps, watched };
}

/** Without the venue's own object, which is large and which only the native replay shows. */
export const withoutNative = (event: MarketObserved): MarketObserved =>
  event.native === '' ? event : { ...event, native: '' };

/** Outcome null: without any. */
export const withoutBooks = (state: MarketState, outcome: string | null): MarketState => ({
  ...state,
  books: outcome === null ? NONE : state.books.filter(({ event }) => event.outcome !== outcome),
});

/** What subscriptions choose a market by. */
export const factsOf = ({ venue, market, metadata }: MarketState): MarketFacts => ({
  venue,
  market,
  asset: metadata?.event.asset ?? null,
  window: metadata?.event.window ?? null,
});

/** A market's last books come after its closing time. */
const LATE: Micros = 60_000_000;

/** Markets that are over have no current book, unless asked for by name. */
export const isGoingOn = (
  { status, closesAt }: { readonly status: string; readonly closesAt: Micros | null },
  now: Micros,
): boolean =>
  status !== 'closed' &&
  status !== 'resolved' &&
  status !== 'voided' &&
  (closesAt === null || closesAt + LATE > now);

/** How long a market stays in memory that is over; also how far back the tables are read at the start. */
export const KEPT: Micros = 2 * 86_400_000_000;

/** Nobody records it any more, it is not going on, and nothing was heard of it for long: it may leave memory. */
export function isOver({ books, gaps, metadata, watched }: MarketState, now: Micros, kept = KEPT): boolean {
  const since = now - kept;
  if (metadata && (isGoingOn(metadata.event, now) || metadata.event.observedAt > since)) return false;
  return (
    gaps.length === 0 &&
    books.every(({ event }) => event.observedAt <= since) &&
    watched.every(({ recording, lastSeen }) => !recording && (!lastSeen || lastSeen.at <= since))
  );
}

/** Why a book is not the present one: it is in an open gap, or capture of it ended or is dead since then. */
export type Absence = { readonly gap: GapOpened } | { readonly since: Micros };

/** `alive`: a running capture was seen since then. Null: it is the present book. */
export function absenceOf(state: MarketState, outcome: string, alive: Micros): Absence | null {
  for (const { event } of state.gaps)
    if (event.dataset === 'books' && (event.outcome === null || event.outcome === outcome))
      return { gap: event };
  const seen = lastSeenOf(
    state.watched.filter(({ dataset }) => dataset === 'books'),
    outcome,
  );
  return seen && !goesOn(seen, alive) ? { since: seen.at } : null;
}

export const goesOn = (seen: LastSeen, alive: Micros): boolean => !seen.ended && seen.at > alive;
