// What capture asks of a venue: frames go in, findings come out. A finding is what one frame was found to say, in words that are
// the same for all venues; apply-finding.ts turns it into events.

import type {
  BookCompared,
  BookObserved,
  Envelope,
  GapCause,
  GapScope,
  MarketFields,
  MetricSampled,
} from '../events/events.ts';
import type { Micro } from '../kernel/decimal.ts';
import type { Micros } from '../kernel/time.ts';

export type { MarketFields };

/** A frame as the shell hands it over: text as received, and the time stamped before parsing. */
export type Frame = {
  readonly channel: string;
  readonly direction: 'in' | 'out';
  readonly text: string;
  readonly observedAt: Micros;
  readonly settings: Readonly<Record<string, string>>;
};

/** An event as a normalizer states it: what the session adds (envelope, and what `K` names) is not its to say. */
type Stated<E extends Envelope, K extends keyof E> = Omit<
  E,
  'type' | Exclude<keyof Envelope, 'market' | 'sourceTs'> | K
>;

/**
 * A full book; the session adds checks and state. `flags` has what only the normalizer can see (inexact, duplicate_price on the
 * wire, off_tick).
 */
export type BookFinding = Stated<BookObserved, 'entry' | 'state'> & {
  readonly type: 'book';
  /** False where this is a REST answer beside a live socket: compared, not a new state of the stream. Default true. */
  readonly continues?: boolean;
};

export type MarketFinding = {
  readonly type: 'market';
  readonly sourceTs: Micros | null;
  readonly market: string;
  /** Everything of MarketObserved but the envelope. */
  readonly fields: MarketFields;
};

export type SampleFinding = Stated<MetricSampled, 'entry'> & { readonly type: 'sample' };

/**
 * The book of these outcomes is not known from here on, until its next book finding. The session turns it into one GapOpened
 * per outcome. An outcome of null means every outcome of the market that the session watches.
 */
export type BreakFinding = {
  readonly type: 'break';
  readonly market: string;
  readonly outcome: string | null;
  readonly cause: GapCause;
  readonly scope: GapScope;
  readonly detail: string | null;
  /** The last moment at which nothing was lost, where the normalizer knows it; else the connection's last activity counts. */
  readonly since?: Micros;
  /** `samples`: the book stands, samples of the market were lost until the next one. Default `books`. */
  readonly dataset?: 'books' | 'samples';
};

/** The venue says that this market ended: capture may stop. */
export type EndFinding = { readonly type: 'end'; readonly market: string; readonly reason: string };

/** Our book held against a full book of the venue. */
export type CompareFinding = Stated<BookCompared, 'equal'> & { readonly type: 'compare' };

/** Part of a frame, or all of it, that could not be understood. `market` when at least that much is known. */
export type RejectFinding = {
  readonly type: 'reject';
  readonly market: string;
  readonly reason: string;
  readonly detail: string;
  /** True where no book can have changed unseen: not a book message, or a break beside this says which books are lost. */
  readonly booksIntact?: boolean;
};

/** Understood, and holds nothing to record beyond the tape: acknowledgements, pings, tickers. */
export type SkipFinding = {
  readonly type: 'skip';
  readonly reason: string;
  /** An event that a list names without its markets; the answer about the event itself has them. */
  readonly listed?: {
    readonly eventId: string;
    readonly opensAt: Micros | null;
    readonly closesAt: Micros | null;
  };
};

export type Finding =
  | BookFinding
  | MarketFinding
  | SampleFinding
  | BreakFinding
  | EndFinding
  | CompareFinding
  | RejectFinding
  | SkipFinding;

/**
 * One session's view of a venue: books built so far, sequences, catalogue facts. Created fresh for every connection.
 * `normalize` is deterministic in (frames so far, frame), never throws, and returns at least one finding per frame.
 * `forget` drops every book (the connection broke): later deltas are then findings of kind break (awaiting_snapshot).
 */
export type Normalizer = {
  normalize(frame: Frame): Finding[];
  forget(): void;
  /** Facts learned elsewhere (the catalogue of another session); same shape as its own findings. */
  learn(market: string, fields: MarketFields): void;
};

/** How a venue is captured: what is the same on every connection of it. */
export type VenueCapture = {
  createNormalizer(): Normalizer;
  /** Price bounds of a valid level, 1e-6: [min, max] inclusive. */
  readonly priceBounds: readonly [Micro, Micro];
  /** True when the venue numbers its messages, so that a lost one shows in the numbers. */
  readonly sequenced: boolean;
  /** True when samples come on the socket, beside the books. */
  readonly streamsSamples: boolean;
  /** Outcomes of a market of which the venue sends books. */
  bookOutcomes(fields: MarketFields): readonly string[];
};
