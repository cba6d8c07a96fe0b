// How a recording becomes the venue's own protocol again (venue-x/replay.ts). Text goes to clients as it was recorded; what
// only concerned the recorder's own connection (acknowledgements, pongs, sequence numbers) is left to the server.

import type { BookObserved, FrameCaptured, MarketObserved } from '../../events/events.ts';
import type { Micros } from '../../kernel/time.ts';
import type { RestAnswer, RestRequest, ServerPrimitives, VenueFrame } from './server.ts';

/** What the recording says at the replay's moment. */
export type Recalled = {
  readonly now: Micros;
  book(market: string, outcome: string): BookObserved | null;
  /** By the outcome's native id alone, where that names one book. */
  bookOfToken(token: string): BookObserved | null;
  market(market: string): MarketObserved | null;
  markets(): Iterable<MarketObserved>;
  lastTrade(market: string, outcome: string): string | null;
};

/** A frame for clients, and the id whose book it changes. */
export type Delivery<F extends VenueFrame = VenueFrame> = { readonly frame: F; readonly id: string };

/** An answer made from what was recorded, and how new that is. */
export type DerivedAnswer = { readonly answer: RestAnswer; readonly at: Micros };

export type VenueReplayPart<F extends VenueFrame = VenueFrame> = {
  /** What clients watch for this book: its market, or its token. */
  watchedId(market: string, outcome: string): string;
  /**
   * What clients get of a recorded frame. Changes only build on a book of their own connection: `followed` says which session
   * the book of an id follows, and a whole book in the frame sets it.
   */
  frames(event: FrameCaptured, text: string, followed: Map<string, string>, known: Recalled): Delivery<F>[];
  /** The first book that a client gets for an id; null where the venue sends none, or none is known. */
  firstBook(id: string, known: Recalled): { readonly frame: F; readonly book: BookObserved } | null;
  /** True where a change says by how much: one that the first book already holds must not come again. */
  readonly relativeChanges: boolean;
  /** REST from books and markets; null: only a recorded answer will do. */
  answer(request: RestRequest, known: Recalled, primitives: ServerPrimitives): DerivedAnswer | null;
};
