// One collector's (or one import's) view of a venue over all its connections: what is watched, and what is known of the markets.

import type { Envelope, Provenance, VenueEvent } from '../events/events.ts';
import type { Evidence } from './evidence.ts';
import { hashText } from '../kernel/hash.ts';
import { Session } from './session.ts';
import type { CapturedVenue, SharedCapture } from './shared.ts';
import type { Micros } from '../kernel/time.ts';
import { Tracks } from './tracks.ts';
import type { MarketFields } from './finding.ts';

export type CaptureOptions = {
  readonly adapter: CapturedVenue;
  readonly collector: string;
  readonly provenance: Provenance;
};

export class Capture implements SharedCapture {
  readonly adapter: CapturedVenue;
  readonly provenance: Provenance;
  readonly tracks: Tracks;
  /** Hash of the newest metadata of each market: a MarketObserved is written only on change. */
  private readonly metadata = new Map<string, string>();
  /** Kept for sessions opened later: their normalizers learn what is known. */
  readonly known = new Map<string, MarketFields>();

  constructor(options: CaptureOptions) {
    this.adapter = options.adapter;
    this.provenance = options.provenance;
    this.tracks = new Tracks(options.adapter.venue, options.collector);
  }

  private readonly open = new Map<string, Session>();

  openSession(session: string): Session {
    const opened = new Session(this, session);
    this.open.set(session, opened);
    return opened;
  }

  /** The connection is gone for good; what it watched stays watched until stopped or taken over. */
  closeSession(session: Session): void {
    this.open.delete(session.id);
    session.close();
  }

  /** The connection of this name, while it is open. */
  session(id: string): Session | undefined {
    return this.open.get(id);
  }

  /** A catalogue fact, whichever session saw it, is known to all. */
  learn(market: string, fields: MarketFields): void {
    this.known.set(market, fields);
    for (const session of this.open.values()) session.learn(market, fields);
  }

  /** True when these fields differ from the newest known of the market. */
  changed(market: string, fields: MarketFields): boolean {
    const hash = hashText(JSON.stringify(fields));
    if (this.metadata.get(market) === hash) return false;
    this.metadata.set(market, hash);
    return true;
  }

  /** The market is over: nothing of it needs to be remembered. */
  forgetMarket(market: string): void {
    this.metadata.delete(market);
    this.known.delete(market);
  }

  envelope(session: string, ordinal: number, observedAt: Micros, market = ''): Envelope {
    return {
      venue: this.adapter.venue,
      market,
      observedAt,
      sourceTs: null,
      session,
      ordinal,
      provenance: this.provenance,
    };
  }

  /**
   * Says again which gaps are open, under the same ids: a restart reads only the newest stretch of the log and must find
   * them there. Projections keep one row per gap id.
   */
  restate(session: Session, at: Micros): VenueEvent[] {
    const events: VenueEvent[] = [];
    for (const { gap, market, dataset, outcome } of this.tracks.all()) {
      if (gap)
        events.push({
          ...this.envelope(session.id, session.ordinal, at, market),
          type: 'GapOpened',
          dataset,
          outcome,
          detail: null,
          ...gap,
        });
    }
    return events;
  }

  /** On start: opens a gap for whatever the log says was watched when the recorder went away. */
  recover(evidence: readonly Evidence[], session: string, at: Micros): VenueEvent[] {
    const events: VenueEvent[] = [];
    for (const item of evidence)
      this.tracks.recover(item, this.envelope(session, 0, at, item.market), events);
    return events;
  }
}
