// What a venue adds to the collector's one loop: how to discover markets, what a stream of it needs, how to poll it.

import type { MarketFields, Micros, Venue, VenueAdapter, VenueRequest } from '@ladderlog/core';

import type { PollLimits } from './poll-plan.ts';
import type { RestAnswer } from '../venue/rest.ts';
import type { StreamSpec } from './stream-spec.ts';
import type { Choice } from './targets.ts';

export type Ask = (request: VenueRequest) => Promise<RestAnswer>;

export type VenueDriver = {
  readonly venue: Venue;
  readonly adapter: VenueAdapter;
  readonly choice: Choice;
  /** Catalogue calls that find new markets; every `discoverMs`. The answers reach the catalogue by themselves. */
  readonly discover: (ask: Ask, now: Micros) => Promise<void>;
  readonly discoverMs: number;
  /** Asks again for markets that ended and whose resolution is not known. */
  readonly resolve: (ask: Ask, markets: readonly (readonly [string, MarketFields])[]) => Promise<void>;
  /** Calls that sample metrics (venue A's last trade), for the markets watched now. */
  readonly sample:
    ((ask: Ask, markets: readonly (readonly [string, MarketFields])[]) => Promise<void>) | null;
  /** Sockets, or null where books are polled. Books a socket may carry. */
  readonly stream: { readonly spec: (shard: number) => StreamSpec; readonly perSocket: number } | null;
  readonly poll: {
    readonly request: (market: string) => VenueRequest;
    readonly limits: PollLimits;
    readonly staleMs: number;
  } | null;
  /** The venue's own full book of a market's outcome: for scheduled comparison, and to tell quiet from dead. */
  readonly probe:
    ((market: string, outcome: string, fields: MarketFields | undefined) => VenueRequest | null) | null;
  /**
   * Where a book by REST begins and mends that of a stream: what has none is asked for at once, again after so long, and then
   * ever later; and once a market the books of both its tokens are compared. Null: it does not.
   */
  readonly seedMs: number | null;
  /** A book quiet for so long is probed. */
  readonly quietMs: number;
  /** How often some book is compared on schedule; null: only when quiet. */
  readonly compareMs: number | null;
};

export type RestEndpoint = {
  readonly baseUrl: string;
  readonly perSecond: number;
  readonly burst: number;
  readonly sign?: (request: { method: string; path: string }) => {
    path: string;
    headers: Record<string, string>;
  };
};
