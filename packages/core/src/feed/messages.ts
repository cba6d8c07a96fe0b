// The messages of the live feed and of a replay over WebSocket: one shape for both, so that a client cannot tell them apart but
// for the `replay` flag. The contract is asyncapi.yaml and docs/stream.md. Pure: sockets and logs are elsewhere.

import type {
  BookObserved,
  GapClosed,
  GapOpened,
  MarketObserved,
  Plan,
  Provenance,
  Venue,
} from '../events/events.ts';
import type { MarketFieldName } from '../events/market-fields.ts';
import type { ShownFields } from '../market/shown-fields.ts';
import { showFields } from '../market/shown-fields.ts';
import type { BookRecord, MarketIdentity } from '../market/record.ts';
import { recordText } from '../market/record-text.ts';
import type { StreamFilter } from './requests.ts';
import { isoOrNull, toIso } from '../kernel/time.ts';
import type { Position } from '../events/topics.ts';
import { formatPosition } from '../events/topics.ts';

export const STREAM_VERSION = 1;

/** The same fields as a record of GET /v3/gaps, and which way it went. */
export type GapView = ReturnType<typeof gapView>;

const MARKET_MESSAGE_FIELDS = [
  'eventId',
  'seriesId',
  'conditionId',
  'slug',
  'title',
  'question',
  'asset',
  'window',
  'status',
  'nativeStatus',
  'outcomes',
  'opensAt',
  'closesAt',
  'resolvedAt',
  'resolution',
  'winningOutcome',
  'settlementValue',
  'strike',
  'volume',
  'liquidity',
  'openInterest',
  'tickSize',
  'minSize',
  'feeBps',
  'simulated',
] as const satisfies readonly MarketFieldName[];

/** A market as GET …/markets shows it, without the venue's own object. */
export type StreamMarket = {
  readonly venue: Venue;
  readonly market_id: string;
  readonly provenance: Provenance;
  readonly observed_at: string;
} & ShownFields<(typeof MARKET_MESSAGE_FIELDS)[number]>;

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

export const gapView = (event: GapOpened | GapClosed) => ({
  state: event.type === 'GapOpened' ? ('opened' as const) : ('closed' as const),
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

function streamMarket(event: MarketObserved): StreamMarket {
  const view: Record<string, unknown> = { venue: event.venue, market_id: event.market };
  showFields(view, event, MARKET_MESSAGE_FIELDS);
  view['provenance'] = event.provenance;
  view['observed_at'] = toIso(event.observedAt);
  return view as StreamMarket;
}

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
