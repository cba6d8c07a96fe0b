// The state of each venue's feed, from what capture wrote: healthy when every watched book is covered, degraded when some are
// not, disconnected when none is. A book is not covered while it is in a gap, or while its collector gives no sign of life: one
// that was killed writes its gap only when it is back. Imported events say nothing about now.

import type { BookObserved, Venue } from '../events/events.ts';
import { VENUES } from '../venues/registry.ts';
import type { FeedState, VenueStatus } from '../feed/messages.ts';
import type { Clock, Micros } from '../kernel/time.ts';
import { toIso } from '../kernel/time.ts';
import { trackKey } from '../capture/tracks.ts';
import { MessageAges } from './message-age.ts';
import type { MarketState } from './state.ts';
import type { Watched } from './watching.ts';

/**
 * Without a sign for so long, capture counts as dead. A running one gives signs in time: a connection counts as silent after
 * 35 s, and what it was seen last is written with the next beat. With slower beats, more; see silentMs.
 */
export const SILENT_MS = 60_000;

/** So many in a row, and a collector counts as gone. */
const MISSED_BEATS = 4;

export const silentMs = (beatSeconds: number): number =>
  Math.max(SILENT_MS, beatSeconds * MISSED_BEATS * 1_000);

/** A collector that never comes back never says which books it stopped watching; the oldest are forgotten past this. */
const MAX_BOOKS = 250_000;

type CollectorWatch = { readonly name: string; at: Micros; books: number; inGap: number };
type WatchedBook = {
  readonly market: string;
  readonly collector: CollectorWatch;
  uncoveredSince: Micros | null;
};

type VenueWatch = {
  readonly books: Map<string, WatchedBook>;
  /** By name; '' has the books of which only the observations were seen. */
  readonly collectors: Map<string, CollectorWatch>;
  readonly ages: MessageAges;
  inGap: number;
  evidence: Micros | null;
  state: FeedState;
  since: Micros;
};

/** `stopped`: recorded before, and ended as asked. */
export type CaptureState = 'capturing' | 'degraded' | 'disconnected' | 'stopped';

export type VenueHealth = {
  readonly state: CaptureState;
  readonly markets: number;
  readonly books: number;
  /** Books that are not covered now, and since when the first of them is not. */
  readonly uncovered: number;
  readonly gapSince: Micros | null;
  readonly evidenceAt: Micros | null;
  /** Median of the newest minute; null where the venue states no time. */
  readonly messageAge: Micros | null;
};

export class Statuses {
  private readonly clock: Clock;
  private readonly silent: Micros;
  private readonly venues = new Map<Venue, VenueWatch>();
  private unheardSince: Micros | null = null;

  constructor(clock: Clock, silentMs: number) {
    this.clock = clock;
    this.silent = silentMs * 1_000;
    const since = clock();
    for (const venue of VENUES)
      this.venues.set(venue, {
        books: new Map(),
        collectors: new Map(),
        ages: new MessageAges(),
        inGap: 0,
        evidence: null,
        state: 'disconnected',
        since,
      });
  }

  /** A market's state before and after an event. What is new in it is counted. */
  update(before: MarketState | null, after: MarketState): void {
    if (before?.watched === after.watched) return;
    const watch = this.venues.get(after.venue);
    if (!watch) return;
    after.watched.forEach((watched, at) => {
      if (watched.dataset === 'books' && watched.recording !== before?.watched[at]?.recording)
        count(watch, after.market, watched);
    });
  }

  /** A book that was captured now: how old was it? */
  observed({ venue, provenance, observedAt, sourceTs }: BookObserved): void {
    if (provenance === 'captured' && sourceTs !== null)
      this.venues.get(venue)?.ages.add(observedAt, sourceTs);
  }

  /** The recorder does not answer since then: nothing is covered since it was last seen. Null: it answers again. */
  unheard(since: Micros | null): void {
    this.unheardSince = since;
  }

  get isUnheard(): boolean {
    return this.unheardSince !== null;
  }

  /** Venues whose state is another than at the last call. */
  changed(): VenueStatus[] {
    const now = this.clock();
    const news: VenueStatus[] = [];
    for (const [venue, watch] of this.venues) {
      const state = this.stateOf(watch, now);
      if (state === watch.state) continue;
      watch.state = state;
      watch.since = now;
      news.push(this.status(venue));
    }
    return news;
  }

  private stateOf(watch: VenueWatch, now: Micros): FeedState {
    if (watch.evidence === null || now - watch.evidence > this.silent) return 'disconnected';
    const uncovered = this.uncovered(watch, now);
    if (uncovered === 0) return 'healthy';
    return uncovered >= watch.books.size ? 'disconnected' : 'degraded';
  }

  private isSilent({ name, at }: CollectorWatch, now: Micros): boolean {
    return this.isUnheard || (name !== '' && now - at > this.silent);
  }

  private uncovered(watch: VenueWatch, now: Micros): number {
    let count = watch.inGap;
    for (const collector of watch.collectors.values())
      if (this.isSilent(collector, now)) count += collector.books - collector.inGap;
    return count;
  }

  status(venue: Venue): VenueStatus {
    const watch = this.venues.get(venue)!;
    return {
      venue,
      state: watch.state,
      since: toIso(watch.since),
      books: watch.books.size,
      gaps_open: watch.inGap,
      evidence_at: watch.evidence === null ? null : toIso(watch.evidence),
    };
  }

  /** Null: no capture of this venue was seen. Looks at every book: for those who ask now and then. */
  health(venue: Venue): VenueHealth | null {
    const watch = this.venues.get(venue)!;
    const { books, evidence } = watch;
    if (books.size === 0 && evidence === null) return null;
    const now = this.clock();
    const markets = new Set<string>();
    let gapSince: Micros | null = null;
    for (const { market, collector, uncoveredSince } of books.values()) {
      markets.add(market);
      const from = uncoveredSince ?? (this.isSilent(collector, now) ? collector.at : null);
      if (from !== null && (gapSince === null || from < gapSince)) gapSince = from;
    }
    const feed = this.stateOf(watch, now);
    if (feed === 'disconnected' && books.size > 0) gapSince ??= evidence;
    return {
      state: books.size === 0 ? 'stopped' : feed === 'healthy' ? 'capturing' : feed,
      markets: markets.size,
      books: books.size,
      uncovered: feed === 'disconnected' ? books.size : this.uncovered(watch, now),
      gapSince,
      evidenceAt: evidence,
      messageAge: watch.ages.median(now),
    };
  }
}

function count(watch: VenueWatch, market: string, { outcome, recording }: Watched): void {
  const key = trackKey('books', market, outcome);
  if (!recording) {
    drop(watch, key);
    return;
  }
  const book = bookOf(watch, key, market, recording.collector);
  const { shownAt, uncoveredSince } = recording;
  const change = Number(uncoveredSince !== null) - Number(book.uncoveredSince !== null);
  book.uncoveredSince = uncoveredSince;
  book.collector.inGap += change;
  watch.inGap += change;
  // The beginning of a gap shows nothing: the venue was not seen at that moment.
  if (shownAt === null) return;
  if (shownAt > book.collector.at) book.collector.at = shownAt;
  if (watch.evidence === null || shownAt > watch.evidence) watch.evidence = shownAt;
}

/** The book with this collector, if one is named: it may have gone over from another. */
function bookOf(watch: VenueWatch, key: string, market: string, name: string): WatchedBook {
  const known = watch.books.get(key);
  if (known && (name === '' || known.collector.name === name)) return known;
  if (known) drop(watch, key);
  let collector = watch.collectors.get(name);
  if (!collector) watch.collectors.set(name, (collector = { name, at: 0, books: 0, inGap: 0 }));
  const book: WatchedBook = { market, collector, uncoveredSince: null };
  collector.books++;
  watch.books.set(key, book);
  if (watch.books.size > MAX_BOOKS) drop(watch, watch.books.keys().next().value!);
  return book;
}

function drop(watch: VenueWatch, key: string): void {
  const book = watch.books.get(key);
  if (!book) return;
  watch.books.delete(key);
  const { collector } = book;
  collector.books--;
  if (book.uncoveredSince !== null) {
    collector.inGap--;
    watch.inGap--;
  }
  if (collector.books === 0) watch.collectors.delete(collector.name);
}
