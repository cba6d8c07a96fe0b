// The state of each venue's feed, from what capture wrote: healthy when every watched book is covered, degraded when some are in
// a gap, disconnected when all are, or when there was no sign of capture for too long. Imported events say nothing about now.

import type { LadderEvent, Venue } from './events.ts';
import { VENUES } from './events.ts';
import type { FeedState, VenueStatus } from './stream.ts';
import type { Clock, Micros } from './time.ts';
import { toIso } from './time.ts';
import { trackKey } from './tracks.ts';

/** A collector that crashed never says which books it stopped watching; the oldest are forgotten past this. */
const MAX_TRACKS = 50_000;

type VenueWatch = {
  readonly tracks: Map<string, boolean>;
  inGap: number;
  evidence: Micros | null;
  state: FeedState;
  since: Micros;
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
      this.venues.set(venue, { tracks: new Map(), inGap: 0, evidence: null, state: 'disconnected', since });
  }

  apply(event: LadderEvent): void {
    if (!('venue' in event) || event.provenance !== 'captured') return;
    const watch = this.venues.get(event.venue)!;
    switch (event.type) {
      case 'BookObserved':
        this.set(watch, trackKey('books', event.market, event.outcome), false);
        break;
      case 'CaptureStarted':
      case 'CaptureBeat':
        if (event.dataset === 'books') this.set(watch, trackKey('books', event.market, event.outcome), false);
        break;
      case 'GapOpened':
        if (event.dataset === 'books') this.set(watch, trackKey('books', event.market, event.outcome), true);
        // The venue was not seen at that moment: no evidence.
        return;
      case 'GapClosed':
        if (event.dataset === 'books') this.set(watch, trackKey('books', event.market, event.outcome), false);
        break;
      case 'CaptureStopped':
        if (event.dataset === 'books') this.drop(watch, trackKey('books', event.market, event.outcome));
        return;
      default:
        return;
    }
    if (watch.evidence === null || event.observedAt > watch.evidence) watch.evidence = event.observedAt;
  }

  private set(watch: VenueWatch, track: string, gap: boolean): void {
    const before = watch.tracks.get(track);
    if (before === gap) return;
    if (before === true) watch.inGap--;
    if (gap) watch.inGap++;
    watch.tracks.set(track, gap);
    if (watch.tracks.size > MAX_TRACKS) this.drop(watch, watch.tracks.keys().next().value!);
  }

  private drop(watch: VenueWatch, track: string): void {
    if (watch.tracks.get(track)) watch.inGap--;
    watch.tracks.delete(track);
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
    if (watch.inGap === 0) return 'healthy';
    return watch.inGap >= watch.tracks.size ? 'disconnected' : 'degraded';
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
}
