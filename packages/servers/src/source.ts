// What stands behind and beside a venue's server: the content it serves, what faults do to it, and the record of what left.

import type { RestAnswer, RestRequest, Venue, VenueFrame } from '@ladderlog/core';

/**
 * Content for a server: a simulated market, or a recording. `connect` is called once per client socket; the source may give
 * each its own timeline or share one. It hands every frame that falls due to `deliver`, in order, at once or later, without
 * looking at subscriptions: those are the server's.
 */
export type NativeSource<F extends VenueFrame = VenueFrame> = {
  connect(deliver: (frame: F) => void): SourceConnection<F>;
  /** Null: there is no such thing; the server answers 404 in the venue's own words. */
  rest(request: RestRequest): RestAnswer | null;
};

export type SourceConnection<F extends VenueFrame = VenueFrame> = {
  /** What a client gets at once for ids that it newly watches (markets, tickers, tokens, as the venue has it). */
  initial(ids: readonly string[]): readonly F[];
  /** Called when the set of ids that this client watches changed; a recording may begin here. */
  watching?(ids: ReadonlySet<string>): void;
  /** When it resolves there is nothing more to come, and the server closes the socket. */
  readonly ended?: Promise<void>;
  close(): void;
};

/** Something that left a server. */
export type SentFrame = {
  readonly venue: Venue;
  /** `ws`, or for an answer `<service>:/path?query`. */
  readonly channel: string;
  readonly text: string;
  /** When it was written to the socket, by the servers' clock, microseconds. */
  readonly at: number;
  /** Native ids of the markets that it is about. */
  readonly markets: readonly string[];
  /** Number of the WebSocket connection it went to, from 1 per venue; 0 for REST. */
  readonly connection: number;
  /** `data`: market content. `control`: acknowledgements, pongs, errors. `fault`: put there by a fault. */
  readonly kind: 'data' | 'control' | 'fault';
};

/** A market frame that was due for a client and that a fault kept back. */
export type LostFrame = {
  readonly venue: Venue;
  readonly at: number;
  readonly market: string;
  readonly connection: number;
};

/** Hear of everything that leaves, and of what a fault keeps back. */
export type Taps = {
  readonly onSent?: (frame: SentFrame) => void;
  readonly onLost?: (frame: LostFrame) => void;
};

/** What faults may do to a server. The default lets everything through. */
export type Gate = {
  /** New TCP connections are cut. */
  refusing(): boolean;
  /** A status that every REST request gets instead of its answer. */
  restStatus(): 429 | 500 | null;
  /** Market frames are lost: all, or those of one id (market, ticker, token). */
  silent(id: string): boolean;
  /** True while any silence is on, so that the usual path asks nothing more. */
  anySilence(): boolean;
};

export const OPEN_GATE: Gate = {
  refusing: () => false,
  restStatus: () => null,
  silent: () => false,
  anySilence: () => false,
};
