// The messages of the live feed and of a replay over WebSocket: one shape for both, so that a client cannot tell them apart but
// for the `replay` flag. The contract is asyncapi.yaml and docs/stream.md. Pure: sockets and logs are elsewhere.

import type {
  BookObserved,
  Dataset,
  GapCause,
  GapClosed,
  GapOpened,
  GapScope,
  MarketObserved,
  MarketStatus,
  Plan,
  Provenance,
  Venue,
} from '../events/events.ts';
import { toNumber } from '../kernel/decimal.ts';
import type { BookRecord, MarketIdentity } from '../market/record.ts';
import { recordText } from '../market/record-text.ts';
import type { StreamFilter } from './requests.ts';
import { isoOrNull, toIso } from '../kernel/time.ts';
import type { Position } from '../events/topics.ts';
import { formatPosition } from '../events/topics.ts';

export const STREAM_VERSION = 1;

/** The same fields as a record of GET /v3/gaps, and which way it went. */
export type GapView = {
  readonly state: 'opened' | 'closed';
  readonly gap_id: string;
  readonly venue: Venue;
  readonly market_id: string;
  readonly from: string;
  readonly to: string | null;
  readonly cause: GapCause;
  readonly scope: GapScope;
  readonly dataset: Dataset;
  readonly outcome_id: string | null;
  readonly last_before: string | null;
  readonly first_after: string | null;
  readonly detail: string | null;
};

/** A market as GET …/markets shows it, without the venue's own object. */
export type StreamMarket = {
  readonly venue: Venue;
  readonly market_id: string;
  readonly event_id: string | null;
  readonly series_id: string | null;
  readonly condition_id: string | null;
  readonly slug: string | null;
  readonly title: string | null;
  readonly question: string | null;
  readonly asset: string | null;
  readonly window: string | null;
  readonly status: MarketStatus;
  readonly native_status: string | null;
  readonly outcomes: readonly {
    readonly outcome_id: string;
    readonly label: string;
    readonly index: number;
    readonly token_id: string | null;
    readonly winner: boolean | null;
  }[];
  readonly opens_at: string | null;
  readonly closes_at: string | null;
  readonly resolved_at: string | null;
  readonly resolution: string | null;
  readonly winning_outcome: string | null;
  readonly settlement_value: number | null;
  readonly strike: string | null;
  readonly volume: number | null;
  readonly liquidity: number | null;
  readonly open_interest: number | null;
  readonly tick_size: number | null;
  readonly min_size: number | null;
  readonly fee_bps: number | null;
  readonly simulated: boolean;
  readonly provenance: Provenance;
  readonly observed_at: string;
};

const FEED_STATES = ['healthy', 'degraded', 'disconnected'] as const;
export type FeedState = (typeof FEED_STATES)[number];

export type VenueStatus = {
  readonly venue: Venue;
  readonly state: FeedState;
  readonly since: string;
  /** Books watched, and how many of them are in a gap. */
  readonly books: number;
  readonly gaps_open: number;
  /** Newest proof that the venue is being recorded. */
  readonly evidence_at: string | null;
};

export const STREAM_ERRORS = [
  'AUTH_MISSING',
  'AUTH_INVALID',
  'ENDPOINT_NOT_IN_PLAN',
  'HISTORY_LIMIT_EXCEEDED',
  'INVALID_MESSAGE',
  'INVALID_PARAMETER',
  'POSITION_NOT_AVAILABLE',
  'TOO_MANY_SUBSCRIPTIONS',
  'UNKNOWN_SUBSCRIPTION',
  'INTERNAL_ERROR',
] as const;
export type StreamErrorCode = (typeof STREAM_ERRORS)[number];

type Logged<T extends string, D> = {
  readonly type: T;
  /** Place in the log: what `from.position` takes. */
  readonly seq: string;
  readonly replay?: true;
  readonly data: D;
};

export type BookMessage = Logged<'book', BookRecord> & {
  /** The state of the book when the subscription began; not news. */
  readonly current?: true;
};
export type GapMessage = Logged<'gap', GapView> & { readonly current?: true };
export type MarketMessage = Logged<'market', StreamMarket>;

export type StreamMessage =
  | BookMessage
  | GapMessage
  | MarketMessage
  | { readonly type: 'status'; readonly replay?: true; readonly data: VenueStatus }
  | {
      readonly type: 'ready';
      readonly version: number;
      readonly plan: Plan;
      readonly venues: readonly Venue[];
      readonly time: string;
      readonly heartbeat_seconds: number;
      readonly replay?: true;
    }
  | {
      readonly type: 'subscribed';
      readonly id: string;
      readonly filter: StreamFilter;
      /** Markets known now that match. */
      readonly markets: number;
      /** Last position of each partition before this subscription's first message; `-1` where there is none. */
      readonly positions: readonly string[];
      readonly replay?: true;
    }
  | { readonly type: 'live'; readonly id: string }
  | { readonly type: 'unsubscribed'; readonly id: string }
  | {
      readonly type: 'heartbeat';
      readonly time: string;
      /** Everything up to here was sent or named as skipped; null while that is not so. */
      readonly positions: readonly string[] | null;
      readonly replay?: true;
    }
  | { readonly type: 'pong'; readonly time: string; readonly id: string | null }
  | { readonly type: 'skipped'; readonly from: string; readonly to: string; readonly count: number }
  | {
      readonly type: 'error';
      readonly code: StreamErrorCode;
      readonly message: string;
      readonly details: Readonly<Record<string, unknown>>;
      readonly id: string | null;
    }
  | {
      readonly type: 'replay';
      readonly state: 'playing' | 'paused' | 'ended';
      readonly speed: number | 'max';
      readonly time: string;
    };

/** Events that become messages. */
export type StreamEvent = BookObserved | GapOpened | GapClosed | MarketObserved;
export const STREAM_TYPES: ReadonlySet<string> = new Set([
  'BookObserved',
  'GapOpened',
  'GapClosed',
  'MarketObserved',
]);

const numberOrNull = (value: number | null): number | null => (value === null ? null : toNumber(value));

export const gapView = (event: GapOpened | GapClosed): GapView => ({
  state: event.type === 'GapOpened' ? 'opened' : 'closed',
  gap_id: event.gapId,
  venue: event.venue,
  market_id: event.market,
  from: toIso(event.from),
  to: event.type === 'GapOpened' ? null : toIso(event.to),
  cause: event.cause,
  scope: event.scope,
  dataset: event.dataset,
  outcome_id: event.outcome,
  last_before: isoOrNull(event.lastBefore?.observedAt ?? null),
  first_after: event.type === 'GapOpened' ? null : isoOrNull(event.firstAfter?.observedAt ?? null),
  detail: event.type === 'GapOpened' ? event.detail : null,
});

const streamMarket = (event: MarketObserved): StreamMarket => ({
  venue: event.venue,
  market_id: event.market,
  event_id: event.eventId,
  series_id: event.seriesId,
  condition_id: event.conditionId,
  slug: event.slug,
  title: event.title,
  question: event.question,
  asset: event.asset,
  window: event.window,
  status: event.status,
  native_status: event.nativeStatus,
  outcomes: event.outcomes.map((one) => ({
    outcome_id: one.id,
    label: one.label,
    index: one.index,
    token_id: one.tokenId,
    winner: one.winner,
  })),
  opens_at: isoOrNull(event.opensAt),
  closes_at: isoOrNull(event.closesAt),
  resolved_at: isoOrNull(event.resolvedAt),
  resolution: event.resolution,
  winning_outcome: event.winningOutcome,
  settlement_value: numberOrNull(event.settlementValue),
  strike: event.strike,
  volume: numberOrNull(event.volume),
  liquidity: numberOrNull(event.liquidity),
  open_interest: numberOrNull(event.openInterest),
  tick_size: numberOrNull(event.tickSize),
  min_size: numberOrNull(event.minSize),
  fee_bps: event.feeBps,
  simulated: event.simulated,
  provenance: event.provenance,
  observed_at: toIso(event.observedAt),
});

export type MessageFlags = { readonly current?: true; readonly replay?: true };

/** The text of a message; a pure function of event, position, identity and flags. */
export function streamText(
  event: StreamEvent,
  position: Position,
  identity: MarketIdentity | null,
  flags: MessageFlags = {},
): string {
  const type = event.type === 'BookObserved' ? 'book' : event.type === 'MarketObserved' ? 'market' : 'gap';
  const head = `{"type":"${type}","seq":"${formatPosition(position)}"${flags.current ? ',"current":true' : ''}${
    flags.replay ? ',"replay":true' : ''
  },"data":`;
  if (event.type === 'BookObserved') return `${head}${recordText(event, position, identity)}}`;
  return `${head}${JSON.stringify(event.type === 'MarketObserved' ? streamMarket(event) : gapView(event))}}`;
}
