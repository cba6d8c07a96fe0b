// What the sessions of one capture share, as each of them sees it.

import type { Envelope } from '../events/events.ts';
import type { MarketFields } from '../events/market-fields.ts';
import type { Micros } from '../kernel/time.ts';
import type { VenueAdapter } from '../venues/adapter.ts';
import type { Track, Tracks } from './tracks.ts';

/** What capture needs of a venue. */
export type CapturedVenue = Pick<VenueAdapter, 'venue' | 'capture'>;

/** Another connection, while it is open. */
export type OpenSession = {
  readonly id: string;
  /** It has a socket: what it watches is sent to it, not asked for. */
  readonly streams: boolean;
  envelope(track: Track, at: Micros): Envelope;
};

export type SharedCapture = {
  readonly adapter: CapturedVenue;
  readonly tracks: Tracks;
  readonly known: ReadonlyMap<string, MarketFields>;
  /** The connection of this name, while it is open. */
  session(id: string): OpenSession | undefined;
  /** A catalogue fact, whichever session saw it, is known to all. */
  learn(market: string, fields: MarketFields): void;
  /** True when these fields differ from the newest known of the market. */
  changed(market: string, fields: MarketFields): boolean;
  envelope(session: string, ordinal: number, observedAt: Micros, market?: string): Envelope;
};
