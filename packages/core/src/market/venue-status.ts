// The state of each venue's feed, from what capture wrote: healthy when every watched book is covered, degraded when some are
// not, disconnected when none is. A book is not covered while it is in a gap, or while its collector gives no sign of life: one
// that was killed writes its gap only when it is back. Imported events say nothing about now.

import type { LadderEvent, Venue } from '../events/events.ts';
import { VENUES } from '../venues/registry.ts';
import type { FeedState, VenueStatus } from '../feed/messages.ts';
import type { Clock, Micros } from '../kernel/time.ts';
import { toIso } from '../kernel/time.ts';
import { trackKey } from '../capture/tracks.ts';

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
const MAX_TRACKS = 250_000;

type CollectorWatch = { readonly name: string; at: Micros; books: number; inGap: number };
type Watched = { readonly market: string; readonly collector: CollectorWatch; gapFrom: Micros | null };

type VenueWatch = {
  readonly tracks: Map<string, Watched>;
  /** By name; '' has the books of which only the observations were seen. */
  readonly collectors: Map<string, CollectorWatch>;
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
};

export class Statuses {
  private readonly clock: Clock;
  private readonly silent: Micros;
  private readonly venues = new Map<Venue, VenueWatch>();

  constructor(clock: Clock, silentMs: number) {
    this.clock = clock;
    this.silent = silentMs * 1_000;
    const since = clock();
    for (const venue of VENUES)
      this.venues.set(venue, {
        tracks: new Map(),
        collectors: new Map(),
        inGap: 0,
        evidence: null,
        state: 'disconnected',
        since,
      });
  }

  apply(event: LadderEvent): void {
    if (!('venue' in event) || event.provenance !== 'captured') return;
    const watch = this.venues.get(event.venue)!;
    switch (event.type) {
      case 'BookObserved':
        watched(watch, event, event.observedAt);
        break;
      case 'CaptureStarted':
      case 'CaptureBeat':
        if (event.dataset === 'books') watched(watch, event, event.observedAt, event.collector);
        break;
      case 'GapClosed':
        if (event.dataset === 'books') watched(watch, event, event.observedAt);
        break;
      case 'CaptureStopped':
        if (event.dataset === 'books') drop(watch, trackKey('books', event.market, event.outcome));
        return;
      case 'GapOpened':
        if (event.dataset === 'books') inGap(watch, event, event.from);
        // The venue was not seen at that moment: no evidence.
        return;
      default:
        return;
    }
    if (watch.evidence === null || event.observedAt > watch.evidence) watch.evidence = event.observedAt;
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
    return uncovered >= watch.tracks.size ? 'disconnected' : 'degraded';
  }

  private isSilent({ name, at }: CollectorWatch, now: Micros): boolean {
    return name !== '' && now - at > this.silent;
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
      books: watch.tracks.size,
      gaps_open: watch.inGap,
      evidence_at: watch.evidence === null ? null : toIso(watch.evidence),
    };
  }

  /** Null: no capture of this venue was seen. Looks at every book: for those who ask now and then. */
  health(venue: Venue): VenueHealth | null {
    const watch = this.venues.get(venue)!;
    const { tracks, evidence } = watch;
    if (tracks.size === 0 && evidence === null) return null;
    const now = this.clock();
    const markets = new Set<string>();
    let gapSince: Micros | null = null;
    for (const { market, collector, gapFrom } of tracks.values()) {
      markets.add(market);
      const from = gapFrom ?? (this.isSilent(collector, now) ? collector.at : null);
      if (from !== null && (gapSince === null || from < gapSince)) gapSince = from;
    }
    const feed = this.stateOf(watch, now);
    if (feed === 'disconnected' && tracks.size > 0) gapSince ??= evidence;
    return {
      state: tracks.size === 0 ? 'stopped' : feed === 'healthy' ? 'capturing' : feed,
      markets: markets.size,
      books: tracks.size,
      uncovered: feed === 'disconnected' ? tracks.size : this.uncovered(watch, now),
      gapSince,
      evidenceAt: evidence,
    };
  }
}

type Place = { readonly market: string; readonly outcome: string | null };

function watched(watch: VenueWatch, place: Place, at: Micros, collector?: string): void {
  const track = trackOf(watch, place, collector);
  if (track.gapFrom !== null) {
    track.gapFrom = null;
    track.collector.inGap--;
    watch.inGap--;
  }
  if (at > track.collector.at) track.collector.at = at;
}

function inGap(watch: VenueWatch, place: Place, from: Micros): void {
  const track = trackOf(watch, place);
  if (track.gapFrom === null) {
    track.collector.inGap++;
    watch.inGap++;
  }
  track.gapFrom = from;
}

/** The book, with this collector if one is named: it may have gone over from another. */
function trackOf(watch: VenueWatch, { market, outcome }: Place, name?: string): Watched {
  const key = trackKey('books', market, outcome);
  const known = watch.tracks.get(key);
  if (known && (name === undefined || known.collector.name === name)) return known;
  if (known) drop(watch, key);
  let collector = watch.collectors.get(name ?? '');
  if (!collector)
    watch.collectors.set(name ?? '', (collector = { name: name ?? '', at: 0, books: 0, inGap: 0 }));
  const track: Watched = { market, collector, gapFrom: null };
  collector.books++;
  watch.tracks.set(key, track);
  if (watch.tracks.size > MAX_TRACKS) drop(watch, watch.tracks.keys().next().value!);
  return track;
}

function drop(watch: VenueWatch, key: string): void {
  const track = watch.tracks.get(key);
  if (!track) return;
  watch.tracks.delete(key);
  const { collector } = track;
  collector.books--;
  if (track.gapFrom !== null) {
    collector.inGap--;
    watch.inGap--;
  }
  if (collector.books === 0) watch.collectors.delete(collector.name);
}
