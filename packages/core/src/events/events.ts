// What was observed, as immutable facts. One Avro record per event in /avro; the field names there are these in snake_case
// (packages/log does the renaming, a test holds the two together). Documentation of each field lives in the schemas.

import type { Micro, TextFormat } from '../kernel/decimal.ts';
import type { Micros } from '../kernel/time.ts';
import type { MarketFields } from './market-fields.ts';

export type { MarketFields, MarketStatus, Outcome } from './market-fields.ts';

/** A venue's name: its topic, its part of the routes, a column. Which ones there are says venues/venues.ts. */
export type Venue = `venue${string}`;

export const PROVENANCES = ['captured', 'imported', 'backfilled'] as const;
export type Provenance = (typeof PROVENANCES)[number];

export const DATASETS = ['catalogue', 'books', 'samples'] as const;
export type Dataset = (typeof DATASETS)[number];

export const METRICS = ['chance', 'price', 'last_trade'] as const;
export type Metric = (typeof METRICS)[number];

export const BOOK_STATES = ['two_sided', 'bid_only', 'ask_only', 'empty', 'crossed'] as const;
export type BookState = (typeof BOOK_STATES)[number];

/** Why nothing was recorded. */
export const GAP_CAUSES = [
  'unknown', // written by a newer version of Ladderlog
  'collector_down', // the recorder was not running: found on the next start from the last evidence in the log
  'disconnected', // the socket closed, or could not be opened
  'silence', // the socket was open and said nothing past its limit
  'sequence_break', // the venue's sequence skipped: messages were lost
  'awaiting_snapshot', // changes arrive for a book whose snapshot never did
  'lost_sync', // a change cannot be applied (negative size): the book we hold is not the venue's
  'tick_change', // the price grid changed: the old book is void until the venue sends the new one
  'quota', // the venue's rate limit left no call for this market in time
  'venue_error', // the venue answered with errors
  'rejected_frame', // a frame of this book could not be understood
  'clock_jump', // our own clock was set: times across the jump cannot be compared
  'log_unavailable', // the log could not accept events and the bounded buffer was full
  'recorder_stalled', // the recorder itself was held up: it could not have stamped in time what came meanwhile
] as const;
export type GapCause = (typeof GAP_CAUSES)[number];

/** How much one cause hit: a single book, everything on one connection, a venue, or the whole collector. */
export const GAP_SCOPES = ['book', 'connection', 'venue', 'collector'] as const;
export type GapScope = (typeof GAP_SCOPES)[number];

/** Row checks; a failing observation is kept and carries the names of what failed. Nothing is repaired. */
export const CHECK_FLAGS = [
  'missing_id',
  'missing_timestamp',
  'price_out_of_bounds',
  'unequal_lengths',
  'not_ordered',
  'duplicate_price',
  'crossed',
  'size_not_positive',
  'inexact', // a value had more than six decimals and was rounded to the nearest 1e-6; its text is kept
  'off_tick',
  'source_time_backwards', // the venue's clock stepped back against the observation before
] as const;
export type CheckFlag = (typeof CHECK_FLAGS)[number];

/** In every event of a venue: whose, which market, when by our clock and by theirs, and from where. */
export type Envelope = {
  readonly venue: Venue;
  /** Native market id: marketId (A), ticker (B), conditionId (C). Empty when a frame concerns no market. The log's key. */
  readonly market: string;
  /** Our clock, stamped before parsing, monotone within a session, never replaced. */
  readonly observedAt: Micros;
  /** The venue's claim; null when it makes none. */
  readonly sourceTs: Micros | null;
  /** One connection or one poll run of one collector, or one recorded connection of an import. */
  readonly session: string;
  /** Ordinal of the frame within the session, from 0; the frame an event came from. Beats carry the newest so far. */
  readonly ordinal: number;
  readonly provenance: Provenance;
};

export type FrameCaptured = Envelope & {
  readonly type: 'FrameCaptured';
  readonly channel: string;
  readonly direction: 'in' | 'out';
  readonly body: Uint8Array;
  /** For a REST answer, when the request was sent. */
  readonly requestedAt: Micros | null;
  /** Anything that changes what the bytes mean, e.g. use_yes_price. */
  readonly settings: Readonly<Record<string, string>>;
};

/** A level whose text is not what the book's format gives for its integer. `level` counts from the best, 0. */
export type TextException = {
  readonly side: 'bid' | 'ask';
  readonly level: number;
  readonly price: string;
  readonly size: string;
};

export type BookObserved = Envelope & {
  readonly type: 'BookObserved';
  /** Outcome index `0`/`1` (A), `yes` (B), token id (C). */
  readonly outcome: string;
  /** Index among the observations of one frame. */
  readonly entry: number;
  readonly kind: 'snapshot' | 'delta';
  /** Best first: bids high to low, asks low to high. */
  readonly bidPrices: readonly Micro[];
  readonly bidSizes: readonly Micro[];
  readonly askPrices: readonly Micro[];
  readonly askSizes: readonly Micro[];
  readonly state: BookState;
  readonly flags: readonly CheckFlag[];
  /** The venue's names of what became our bids and asks: BUY/SELL, yes/no, bids/asks. */
  readonly nativeBid: string;
  readonly nativeAsk: string;
  /** True where an ask is 1 − the native price (B: a NO bid at p is a YES ask at 1 − p). */
  readonly askComplement: boolean;
  readonly priceFormat: TextFormat;
  readonly sizeFormat: TextFormat;
  readonly exceptions: readonly TextException[];
  /** The venue's own hash of the book, when it gives one. */
  readonly hash: string | null;
  /** Venue sequence number, when it gives one. */
  readonly sequence: number | null;
  /** Native ids that the frame itself states beside the market: token_id, asset_id, market_uuid … */
  readonly nativeIds: Readonly<Record<string, string>>;
};

/** Metadata, written when it changed. */
export type MarketObserved = Envelope & { readonly type: 'MarketObserved' } & MarketFields;

export type MetricSampled = Envelope & {
  readonly type: 'MetricSampled';
  readonly outcome: string;
  readonly entry: number;
  readonly metric: Metric;
  readonly value: Micro;
  readonly text: string;
  readonly exact: boolean;
  /** Traded size, for a last_trade that states it. */
  readonly size: Micro | null;
  readonly takerSide: string | null;
};

type Capture = Envelope & {
  readonly dataset: Dataset;
  readonly outcome: string | null;
  readonly collector: string;
};
export type CaptureStarted = Capture & { readonly type: 'CaptureStarted' };
export type CaptureBeat = Capture & {
  readonly type: 'CaptureBeat';
  /** The largest delay of a stamp of this connection since the beat before; null where it was not measured. */
  readonly stampDelay: Micros | null;
};
export type CaptureStopped = Capture & { readonly type: 'CaptureStopped'; readonly reason: string };

/** The last observation before a gap, or the first after it: which frame it came from, and when. */
export type GapEdge = { readonly session: string; readonly ordinal: number; readonly observedAt: Micros };

/** Frames of one connection that were stamped too late to be observations, first to last; null: to the last one of it. */
export type LateFrames = {
  readonly session: string;
  readonly first: number;
  readonly last: number | null;
};

type Gap = Envelope & {
  /** Deterministic: venue, market, outcome, dataset and start. */
  readonly gapId: string;
  readonly dataset: Dataset;
  /** Null: every outcome of the market. */
  readonly outcome: string | null;
  readonly cause: GapCause;
  readonly scope: GapScope;
  /** Last moment known to be covered. */
  readonly from: Micros;
  readonly lastBefore: GapEdge | null;
  /** What of the tape in the gap came late: it is in the book that is held, and gave no observation. */
  readonly late: readonly LateFrames[];
};
export type GapOpened = Gap & { readonly type: 'GapOpened'; readonly detail: string | null };
export type GapClosed = Gap & {
  readonly type: 'GapClosed';
  readonly to: Micros;
  /** Null when capture of the market ended inside the gap. For samples maybe the book that showed them to be watched again. */
  readonly firstAfter: GapEdge | null;
};

export type FrameRejected = Envelope & {
  readonly type: 'FrameRejected';
  readonly channel: string;
  readonly body: Uint8Array;
  readonly reason: string;
  readonly detail: string;
};

/** A book rebuilt from changes held against the venue's own full book of the same outcome. */
export type BookCompared = Envelope & {
  readonly type: 'BookCompared';
  readonly outcome: string;
  readonly method: 'rest' | 'snapshot';
  readonly equal: boolean;
  readonly levelsOurs: number;
  readonly levelsTheirs: number;
  readonly levelsDiffering: number;
  /** Sum over differing levels of |our size − theirs|. */
  readonly sizeDrift: Micro;
  readonly detail: string | null;
};

export type KeyIssued = {
  readonly type: 'KeyIssued';
  readonly keyId: string;
  readonly name: string;
  readonly plan: Plan;
  /** SHA-256 of the secret, hex. The secret itself is shown once and never kept. */
  readonly secretHash: string;
  readonly at: Micros;
};
export type KeyRevoked = {
  readonly type: 'KeyRevoked';
  readonly keyId: string;
  readonly reason: string;
  readonly at: Micros;
};

export const PLANS = ['explorer', 'quant', 'desk'] as const;
export type Plan = (typeof PLANS)[number];

export type VenueEvent =
  | FrameCaptured
  | BookObserved
  | MarketObserved
  | MetricSampled
  | CaptureStarted
  | CaptureBeat
  | CaptureStopped
  | GapOpened
  | GapClosed
  | FrameRejected
  | BookCompared;
export type ControlEvent = KeyIssued | KeyRevoked;
export type LadderEvent = VenueEvent | ControlEvent;
export type EventType = LadderEvent['type'];

export const EVENT_TYPES = [
  'FrameCaptured',
  'BookObserved',
  'MarketObserved',
  'MetricSampled',
  'CaptureStarted',
  'CaptureBeat',
  'CaptureStopped',
  'GapOpened',
  'GapClosed',
  'FrameRejected',
  'BookCompared',
  'KeyIssued',
  'KeyRevoked',
] as const satisfies readonly EventType[];
