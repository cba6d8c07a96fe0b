// The border between a venue's protocol (servers in venue-a, venue-b, venue-c) and what stands behind it: the simulated market
// or a recording. A server owns authentication, quotas, subscriptions, pings, sequence numbers and envelopes; a source owns
// content. A replay server is one of these servers with a source that reads recorded frames.

import type { Venue } from '@ladderlog/core';

/** Where a REST request arrived. `rest` for A and B; C has two hosts. Same words as the channel of a recorded frame. */
export type RestService = 'rest' | 'gamma' | 'clob';

export type RestRequest = {
  readonly service: RestService;
  readonly method: string;
  /** Path below the service's base, without the query: `/markets/KX…/orderbook`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Path and query without what only authenticates (signature, timestamp, recvWindow): `/book?token_id=…`. */
  readonly target: string;
  readonly body: string;
};

export type RestAnswer = {
  readonly status: number;
  /** The exact text. */
  readonly body: string;
  /** Native ids of the markets it speaks of, when it is about few: for the record of what was sent. */
  readonly markets?: readonly string[];
};

/** Venue A: `data` is the inner text of a push (itself JSON); the server adds the topic and encodes it again. */
export type FrameA = { readonly market: string; readonly data: string };

/** Venue B: the server adds sid and seq, and turns no-side prices into YES prices where the subscription asked for them. */
export type FrameB = {
  /** Channel of the subscription that gets it. */
  readonly channel: 'orderbook_delta' | 'trade' | 'ticker' | 'market_lifecycle_v2';
  readonly type:
    'orderbook_snapshot' | 'orderbook_delta' | 'trade' | 'ticker' | 'market_lifecycle_v2' | 'event_lifecycle';
  readonly market: string;
  readonly msg: Readonly<Record<string, unknown>>;
  /** True when the no side of `msg` already is in YES prices (a recording made so). */
  readonly yesPrices: boolean;
};

/** Venue C: `text` is one JSON object, sent as it is. */
export type FrameC = {
  /** Tokens it concerns: a connection gets it when it watches one of them. Empty: every connection. */
  readonly tokens: readonly string[];
  readonly market: string;
  readonly text: string;
  /** Sent only to subscriptions with custom_feature_enabled (best_bid_ask, new_market, market_resolved). */
  readonly custom: boolean;
};

/**
 * `connect` is called once per client socket. The source may give each its own timeline or share one; it hands every frame
 * that falls due to `deliver` (in order, at once or later) without looking at subscriptions, which the server keeps.
 * `initial` gives what a client gets at once for newly subscribed ids (market ids on A, tickers on B, tokens on C): nothing
 * on A, one snapshot per known ticker on B, one book per known token on C. `ended` (optional) is awaited by replay servers:
 * when it resolves there is nothing more to come and the server closes the socket.
 */
export type NativeSource<Frame> = {
  connect(deliver: (frame: Frame) => void): SourceConnection<Frame>;
  /** Null: the venue has no such thing; the server answers 404 in the venue's own words. */
  rest(request: RestRequest): RestAnswer | null | Promise<RestAnswer | null>;
};

export type SourceConnection<Frame> = {
  initial(ids: readonly string[]): readonly Frame[];
  /** Called when the set of ids that this client watches changed; a replay source may begin its timeline here. */
  watching?(ids: ReadonlySet<string>): void;
  readonly ended?: Promise<void>;
  close(): void;
};

/** Something that left a server. `text` is kept only while recording. */
export type SentFrame = {
  readonly venue: Venue;
  /** `ws`, or for an answer `rest:/path?query`, `gamma:…`, `clob:…`. */
  readonly channel: string;
  readonly text: string;
  /** When it was written to the socket, by the servers' clock, microseconds. */
  readonly at: number;
  /** Native market ids (A marketId, B ticker, C conditionId) it is about. */
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

/** Tells the outside what left; the servers call it for every text frame and every REST answer. */
export type SentTap = (frame: SentFrame) => void;

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

/** A running server of one venue. */
export type VenueServer = {
  readonly port: number;
  connections(): number;
  /** Bytes that wait for the slowest reader: a source that is not bound to the clock holds back by it. */
  backlog(): number;
  /** Cuts every socket without a closing handshake. */
  disconnect(): number;
  /** Closes every socket with a code, as a venue does at the end of a connection's life. */
  closeAll(code: number, reason: string): number;
  /** Sends a text to every client, or to those that watch this id (a token on C). Returns to how many. */
  broadcast(text: string, id: string | null): number;
  /** The next market frame of each client (that concerns this id) is lost; on B its sequence number is used up. */
  skipNext(id: string | null): void;
  /** Ends every subscription as for a reader that is too slow, where the venue has such an end. Returns of how many sockets. */
  overflow?(): number;
  close(): Promise<void>;
};

export type ServerOptions<Source> = {
  readonly source: Source;
  readonly host?: string;
  readonly port?: number;
  /** Microseconds; for timestamps checked in signatures, quotas and the record. */
  readonly clock: () => number;
  readonly gate?: Gate;
  readonly onSent?: SentTap;
  readonly onLost?: (frame: LostFrame) => void;
};
