// Written by `npm run generate` from openapi.yaml; do not edit.

export interface paths {
    readonly "/v3/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Is the service working */
        readonly get: operations["getHealth"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/overview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Since when each dataset is there
         * @description Per venue, asset, window and dataset: since when, until when, how many markets. The catalogue reaches back to the first
         *     market it tells of; venue A's can be backfilled (`provenances` says so). Books and samples cannot, so they begin later:
         *     when they were first watched. At most a minute old.
         */
        readonly get: operations["getOverview"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/whoami": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Whose key this is and what it may read */
        readonly get: operations["whoami"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venuea-prediction/markets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List markets
         * @description Newest window first. Topic id, market id, condition metadata and outcome labels come together, so that identity never
         *     depends on a title.
         */
        readonly get: operations["listVenueAMarkets"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venuea-prediction/markets/{market_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One market by id */
        readonly get: operations["getVenueAMarket"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venuea-prediction/markets/by-slug/{slug}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One market by slug */
        readonly get: operations["getVenueAMarketBySlug"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venuea-prediction/{market_id}/orderbook/latest": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The newest recorded full-depth book
         * @description From memory. `meta.gap` is set while the book is not being recorded. In every plan, however old the book is.
         */
        readonly get: operations["getVenueALatest"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venuea-prediction/{market_id}/snapshots": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Recorded full-depth snapshots
         * @description Oldest first.
         */
        readonly get: operations["listVenueASnapshots"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venuea-prediction/{market_id}/snapshots/at/{timestamp}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The book at an instant
         * @description The newest observation at or before the instant, if the instant was covered, or lies after the newest sign of a running
         *     capture (then `covered_ratio` is 0 and there is no gap); otherwise 404 `DATA_GAP`.
         */
        readonly get: operations["getVenueASnapshotAt"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venuea-prediction/{market_id}/timeseries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Samples of exactly one metric
         * @description Oldest first. `metric` is required and takes one value.
         */
        readonly get: operations["listVenueASamples"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venuea-prediction/{market_id}/trades": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reserved; an empty historical dataset
         * @description Fills are not recorded. The answer is an empty list, not an error.
         */
        readonly get: operations["listVenueATrades"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venuea-alias/markets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List markets
         * @description Newest window first. Topic id, market id, condition metadata and outcome labels come together, so that identity never
         *     depends on a title.
         */
        readonly get: operations["listVenueAMarketsAlias"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venuea-alias/markets/{market_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One market by id */
        readonly get: operations["getVenueAMarketAlias"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venuea-alias/markets/by-slug/{slug}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One market by slug */
        readonly get: operations["getVenueAMarketBySlugAlias"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venuea-alias/{market_id}/orderbook/latest": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The newest recorded full-depth book
         * @description From memory. `meta.gap` is set while the book is not being recorded. In every plan, however old the book is.
         */
        readonly get: operations["getVenueALatestAlias"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venuea-alias/{market_id}/snapshots": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Recorded full-depth snapshots
         * @description Oldest first.
         */
        readonly get: operations["listVenueASnapshotsAlias"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venuea-alias/{market_id}/snapshots/at/{timestamp}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The book at an instant
         * @description The newest observation at or before the instant, if the instant was covered, or lies after the newest sign of a running
         *     capture (then `covered_ratio` is 0 and there is no gap); otherwise 404 `DATA_GAP`.
         */
        readonly get: operations["getVenueASnapshotAtAlias"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venuea-alias/{market_id}/timeseries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Samples of exactly one metric
         * @description Oldest first. `metric` is required and takes one value.
         */
        readonly get: operations["listVenueASamplesAlias"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venuea-alias/{market_id}/trades": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reserved; an empty historical dataset
         * @description Fills are not recorded. The answer is an empty list, not an error.
         */
        readonly get: operations["listVenueATradesAlias"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venueb/markets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List markets of a series and time range
         * @description Newest first, with native series, event and market tickers.
         */
        readonly get: operations["listVenueBMarkets"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venueb/markets/{market_ticker}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One market by ticker */
        readonly get: operations["getVenueBMarket"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venueb/{market_ticker}/orderbook/latest": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The newest recorded book */
        readonly get: operations["getVenueBLatest"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venueb/{market_ticker}/snapshots": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Recorded observations, with yes/no ladders on request
         * @description Oldest first; `meta.market` has the market's metadata. With `include_orderbook=true` the best 100 levels of each side
         *     are included; `levels` says how many were recorded. No fixed cadence is promised.
         */
        readonly get: operations["listVenueBSnapshots"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/venueb/{market_ticker}/snapshots/at/{timestamp}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The book at an instant
         * @description The newest observation at or before the instant, if the instant was covered, or lies after the newest sign of a running
         *     capture (then `covered_ratio` is 0 and there is no gap); otherwise 404 `DATA_GAP`.
         */
        readonly get: operations["getVenueBSnapshotAt"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/{asset}/markets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List markets of an asset
         * @description Newest first.
         */
        readonly get: operations["listVenueCMarkets"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/{asset}/markets/{market_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One market by condition id */
        readonly get: operations["getVenueCMarket"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/{asset}/markets/by-slug/{slug}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** One market by slug */
        readonly get: operations["getVenueCMarketBySlug"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/{asset}/markets/{market_id}/orderbook/latest": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** The newest recorded books of both outcomes */
        readonly get: operations["getVenueCLatest"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/{asset}/markets/{market_id}/snapshots": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Recorded observations of both outcomes
         * @description Oldest first, both outcomes interleaved by time. With `interval`, the last observation of each outcome in each bucket,
         *     ordered by bucket, then outcome. A market known only from its books is served under any asset.
         */
        readonly get: operations["listVenueCSnapshots"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/{asset}/markets/{market_id}/snapshots/at/{timestamp}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The books of both outcomes at an instant
         * @description One record per outcome that was covered at the instant, or whose capture is running and gave its newest sign before
         *     it (then `covered_ratio` is 0 and there is no gap); 404 `DATA_GAP` when there is none.
         */
        readonly get: operations["getVenueCSnapshotAt"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/coverage": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What was recorded of a market
         * @description Coverage of one dataset of one market in a range. Default range: the whole time it was captured.
         */
        readonly get: operations["getCoverage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v3/gaps": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Gaps of a venue or a market
         * @description Oldest first: gaps that overlap the range.
         */
        readonly get: operations["listGaps"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description ISO 8601, UTC when no zone is given, or epoch milliseconds as digits; 2000 to 2199. In a query the `+` of a zone is
         *     understood also where it was not percent-encoded.
         */
        readonly TimeText: string;
        /**
         * @description ISO 8601 UTC with milliseconds, or microseconds where the instant has them.
         * @example 2026-11-15T00:00:02.113Z
         */
        readonly Iso: string;
        /** @description As Iso; null when there is none. */
        readonly IsoOrNull: string | null;
        /** @enum {string} */
        readonly Venue: "venuea" | "venueb" | "venuec";
        /** @enum {string} */
        readonly Plan: "explorer" | "quant" | "desk";
        /**
         * @description catalogue = market metadata, books = ladders, samples = chance, price and last_trade.
         * @enum {string}
         */
        readonly Dataset: "catalogue" | "books" | "samples";
        /**
         * @description chance: the displayed probability signal. price: the displayed quoted market value. last_trade: the newest execution
         *     sample. The three are distinct.
         * @enum {string}
         */
        readonly Metric: "chance" | "price" | "last_trade";
        /** @enum {string} */
        readonly MarketStatus: "unknown" | "upcoming" | "open" | "closed" | "resolved" | "voided";
        /**
         * @description captured by this recorder, imported from another recording, or backfilled later from the venue (metadata only).
         * @enum {string}
         */
        readonly Provenance: "captured" | "imported" | "backfilled";
        /** @enum {string} */
        readonly BookState: "two_sided" | "bid_only" | "ask_only" | "empty" | "crossed";
        /** @enum {string} */
        readonly Check: "missing_id" | "missing_timestamp" | "price_out_of_bounds" | "unequal_lengths" | "not_ordered" | "duplicate_price" | "crossed" | "size_not_positive" | "inexact" | "off_tick" | "source_time_backwards";
        /**
         * @description Why nothing was recorded. `not_captured` is not an event but the absence of any: capture had not begun, had ended, or gives
         *     no sign. The others are written by the recorder as they happen or on its next start; that of a recorder that was killed
         *     takes the place of `not_captured` then.
         * @enum {string}
         */
        readonly GapCause: "unknown" | "collector_down" | "disconnected" | "silence" | "sequence_break" | "awaiting_snapshot" | "lost_sync" | "tick_change" | "quota" | "venue_error" | "rejected_frame" | "clock_jump" | "log_unavailable" | "recorder_stalled" | "not_captured";
        readonly Gap: {
            /** @description Last moment known to be covered. */
            readonly from: components["schemas"]["Iso"];
            /** @description First moment covered again; null while the gap is open. */
            readonly to: components["schemas"]["IsoOrNull"];
            readonly cause: components["schemas"]["GapCause"];
            /** @enum {string} */
            readonly scope: "book" | "connection" | "venue" | "collector" | "market";
            readonly dataset: components["schemas"]["Dataset"];
            /** @description Null - every outcome of the market. */
            readonly outcome_id: string | null;
            /** @description Newest observation before the gap. */
            readonly last_before: components["schemas"]["IsoOrNull"];
            /** @description First observation after it. */
            readonly first_after: components["schemas"]["IsoOrNull"];
        };
        readonly GapRecord: {
            readonly gap_id: string;
            readonly venue: components["schemas"]["Venue"];
            readonly market_id: string;
            readonly from: components["schemas"]["Iso"];
            readonly to: components["schemas"]["IsoOrNull"];
            readonly cause: components["schemas"]["GapCause"];
            /** @enum {string} */
            readonly scope: "book" | "connection" | "venue" | "collector" | "market";
            readonly dataset: components["schemas"]["Dataset"];
            readonly outcome_id: string | null;
            readonly last_before: components["schemas"]["IsoOrNull"];
            readonly first_after: components["schemas"]["IsoOrNull"];
            readonly detail: string | null;
        };
        /**
         * @description What of the asked range was recorded. `covered_ratio` is the covered share of it, 0 to 1; null for an empty range. `gaps`
         *     are the parts that were not, clipped to nothing: a gap keeps its own full bounds. At most 1,000 are listed;
         *     `gaps_truncated` says when there are more (see /v3/gaps).
         */
        readonly Coverage: {
            readonly from: components["schemas"]["Iso"];
            readonly to: components["schemas"]["Iso"];
            readonly covered_ratio: number | null;
            readonly gaps: readonly components["schemas"]["Gap"][];
            readonly gaps_truncated: boolean;
            /** @description How much later than its arrival a message of the range may have been stamped, at most, in milliseconds; of whole connections, so it may be less for the range itself. Absent where it was not measured. */
            readonly stamp_precision_ms?: number;
        };
        readonly Meta: {
            readonly request_id: string;
            readonly timestamp: components["schemas"]["Iso"];
        };
        readonly HistoryMeta: {
            readonly request_id: string;
            readonly timestamp: components["schemas"]["Iso"];
            readonly coverage: components["schemas"]["Coverage"];
            readonly market?: components["schemas"]["Market"];
        };
        readonly LatestMeta: {
            readonly request_id: string;
            readonly timestamp: components["schemas"]["Iso"];
            /**
             * @description Set while the book is in an open gap, and since the last sign of its capture (`not_captured`) when that ended or is
             *     dead; the record is then the last one before it, not the present book.
             */
            readonly gap: components["schemas"]["Gap"] | null;
        };
        readonly Pagination: {
            readonly next_cursor: string | null;
            readonly has_more: boolean;
            readonly limit: number;
            /** @description Records in this page. */
            readonly count: number;
        };
        readonly ErrorAnswer: {
            readonly error: {
                /** @enum {string} */
                readonly code: "AUTH_MISSING" | "AUTH_INVALID" | "ENDPOINT_NOT_IN_PLAN" | "HISTORY_LIMIT_EXCEEDED" | "MARKET_NOT_FOUND" | "ENDPOINT_NOT_FOUND" | "DATA_GAP" | "INVALID_PARAMETER" | "INVALID_CURSOR" | "MALFORMED_REQUEST" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "RATE_LIMITED" | "HEADERS_TOO_LARGE" | "INTERNAL_ERROR" | "STORE_UNAVAILABLE";
                readonly message: string;
                readonly details: {
                    readonly [key: string]: unknown;
                };
            };
            readonly meta: components["schemas"]["Meta"];
        };
        readonly Outcome: {
            /** @description As in records: outcome index (A), `yes` (B), token id (C). */
            readonly outcome_id: string;
            /** @example Up */
            readonly label: string;
            readonly index: number;
            readonly token_id: string | null;
            /** @description Null until resolved. */
            readonly winner: boolean | null;
        };
        /**
         * @description Metadata as last seen. A market known only from its books has null metadata. `opens_at` is the start of the window the
         *     contract is about, not when it was listed. Close, expected and actual resolution times are separate fields, and none
         *     of them is an observation time: that is `observed_at`.
         */
        readonly Market: {
            readonly venue: components["schemas"]["Venue"];
            readonly market_id: string;
            readonly event_id: string | null;
            readonly series_id: string | null;
            readonly condition_id: string | null;
            readonly slug: string | null;
            readonly title: string | null;
            readonly question: string | null;
            readonly asset: string | null;
            readonly window: string | null;
            readonly status: components["schemas"]["MarketStatus"];
            readonly native_status: string | null;
            /** @description Metadata of the market condition, together, so that identity never depends on a title. */
            readonly condition: {
                readonly condition_id: string | null;
                readonly question: string | null;
                readonly strike: string | null;
                readonly opens_at: components["schemas"]["IsoOrNull"];
                readonly closes_at: components["schemas"]["IsoOrNull"];
            };
            readonly outcomes: readonly components["schemas"]["Outcome"][];
            readonly opens_at: components["schemas"]["IsoOrNull"];
            /** @description End of trading. */
            readonly closes_at: components["schemas"]["IsoOrNull"];
            readonly listed_at: components["schemas"]["IsoOrNull"];
            readonly expected_resolution_at: components["schemas"]["IsoOrNull"];
            readonly resolved_at: components["schemas"]["IsoOrNull"];
            readonly resolution: string | null;
            readonly winning_outcome: string | null;
            readonly settlement_value: number | null;
            readonly strike: string | null;
            readonly volume: number | null;
            readonly liquidity: number | null;
            readonly open_interest: number | null;
            readonly participant_count: number | null;
            readonly chain: string | null;
            readonly exchange_contract: string | null;
            readonly collateral: string | null;
            readonly fee_bps: number | null;
            readonly tick_size: number | null;
            readonly min_size: number | null;
            /** @description True for markets of the simulated venues of a demo. */
            readonly simulated: boolean;
            /** @description `backfilled`: metadata fetched after the fact. Null for a market known only from its books. */
            readonly provenance: components["schemas"]["Provenance"] | null;
            /** @description When we saw this metadata. */
            readonly observed_at: components["schemas"]["IsoOrNull"];
            readonly source_timestamp: components["schemas"]["IsoOrNull"];
            /** @description The venue's own objects of this market, every field kept; null when unknown. */
            readonly native: {
                readonly [key: string]: unknown;
            } | readonly unknown[] | null;
            /** @description Venue A: the venue's topic identifier (= event_id). */
            readonly topic_id?: string | null;
            /** @description Venue B: the native ticker (= market_id). */
            readonly market_ticker?: string;
            /** @description Venue B: = event_id. */
            readonly event_ticker?: string | null;
            /** @description Venue B: = series_id. */
            readonly series_ticker?: string | null;
        };
        readonly ArrayLadders: {
            /** @description Highest first. */
            readonly bid_prices: readonly number[];
            readonly bid_sizes: readonly number[];
            /** @description Lowest first. */
            readonly ask_prices: readonly number[];
            readonly ask_sizes: readonly number[];
            /** @description Venue B: native yes bids. */
            readonly yes_prices?: readonly number[];
            readonly yes_sizes?: readonly number[];
            /** @description Venue B: native no bids; an ask is 1 - this price. */
            readonly no_prices?: readonly number[];
            readonly no_sizes?: readonly number[];
        };
        readonly Level: {
            readonly price: number;
            readonly size: number;
        };
        readonly LevelLadders: {
            readonly bids: readonly components["schemas"]["Level"][];
            readonly asks: readonly components["schemas"]["Level"][];
            readonly yes?: readonly components["schemas"]["Level"][];
            readonly no?: readonly components["schemas"]["Level"][];
        };
        /** @description One recorded observation of one outcome's book. */
        readonly BookRecord: {
            readonly venue: components["schemas"]["Venue"];
            readonly market_id: string;
            readonly event_id: string | null;
            readonly series_id: string | null;
            readonly condition_id: string | null;
            readonly outcome_id: string;
            readonly outcome_label: string | null;
            readonly outcome_index: number | null;
            /** @description Order-book token. */
            readonly token_id: string | null;
            /** @description Observation time, our clock. */
            readonly timestamp: components["schemas"]["Iso"];
            /** @description The venue's claim. */
            readonly source_timestamp: components["schemas"]["IsoOrNull"];
            readonly received_timestamp: components["schemas"]["Iso"];
            readonly provenance: components["schemas"]["Provenance"];
            /**
             * @description Whether the venue sent a whole book or a change. The ladder is whole in both cases.
             * @enum {string}
             */
            readonly kind: "snapshot" | "delta";
            readonly book_state: components["schemas"]["BookState"];
            readonly best_bid: number | null;
            readonly best_ask: number | null;
            /** @description Null when a side is missing. */
            readonly mid: number | null;
            readonly spread: number | null;
            /** @description Levels recorded; venue B also under its native names. */
            readonly levels: {
                readonly bids: number;
                readonly asks: number;
                readonly yes?: number;
                readonly no?: number;
            };
            /** @description Venue B: more than 100 levels of a side were recorded; the best 100 are shown. */
            readonly truncated: boolean;
            /** @description Row checks that failed; empty is good. */
            readonly checks: readonly components["schemas"]["Check"][];
            /** @description Place in the log - topic/partition/offset. Unique. */
            readonly position: string;
            /** @description Ladders, best first. `ladder=arrays` or `levels`. */
            readonly orderbook?: components["schemas"]["ArrayLadders"] | components["schemas"]["LevelLadders"];
            /**
             * @description What normalization changed, so that it can be reversed: the venue's names of the sides, how it wrote numbers
             *     (`min` shortest, `cents` shortest in hundredths, a digit for that many decimals, a leading `.` for no zero before
             *     the point), the levels whose
             *     text that rule does not give, its hash, sequence and ids, and the frame (session, ordinal) it came from.
             */
            readonly native: {
                readonly ids: {
                    readonly [key: string]: string;
                };
                readonly bid_side: string;
                readonly ask_side: string;
                /** @description True where an ask is 1 - the native price. */
                readonly ask_is_complement: boolean;
                readonly price_format: string;
                readonly size_format: string;
                readonly exceptions: readonly {
                    /** @enum {string} */
                    readonly side: "bid" | "ask";
                    readonly level: number;
                    readonly price: string;
                    readonly size: string;
                }[];
                readonly hash: string | null;
                readonly sequence: number | null;
                readonly session: string;
                readonly ordinal: number;
                readonly entry: number;
            };
            readonly topic_id?: string | null;
            readonly market_ticker?: string;
            readonly event_ticker?: string | null;
            readonly series_ticker?: string | null;
        };
        /** @description One sample of exactly one metric. */
        readonly Sample: {
            readonly venue: components["schemas"]["Venue"];
            readonly market_id: string;
            readonly topic_id: string | null;
            readonly condition_id: string | null;
            readonly outcome_id: string;
            readonly outcome_label: string | null;
            readonly token_id: string | null;
            readonly metric: components["schemas"]["Metric"];
            readonly timestamp: components["schemas"]["Iso"];
            readonly source_timestamp: components["schemas"]["IsoOrNull"];
            readonly received_timestamp: components["schemas"]["Iso"];
            readonly value: number;
            readonly provenance: components["schemas"]["Provenance"];
            readonly position: string;
            readonly native: {
                /** @description The venue's own text of the value. */
                readonly text: string;
                readonly exact: boolean;
                readonly size: number | null;
                readonly taker_side: string | null;
                readonly session: string;
                readonly ordinal: number;
                readonly entry: number;
            };
        };
        readonly MarketAnswer: {
            readonly data: components["schemas"]["Market"];
            readonly meta: components["schemas"]["Meta"];
        };
        readonly MarketList: {
            readonly data: readonly components["schemas"]["Market"][];
            readonly pagination: components["schemas"]["Pagination"];
            readonly meta: components["schemas"]["Meta"];
        };
        readonly SnapshotList: {
            readonly data: readonly components["schemas"]["BookRecord"][];
            readonly pagination: components["schemas"]["Pagination"];
            readonly meta: components["schemas"]["HistoryMeta"];
        };
        readonly SnapshotAnswer: {
            readonly data: components["schemas"]["BookRecord"];
            readonly meta: components["schemas"]["HistoryMeta"];
        };
        readonly SnapshotsAnswer: {
            /** @description One record per outcome that was covered at that instant. */
            readonly data: readonly components["schemas"]["BookRecord"][];
            readonly meta: components["schemas"]["HistoryMeta"];
        };
        readonly LatestAnswer: {
            readonly data: components["schemas"]["BookRecord"];
            readonly meta: components["schemas"]["LatestMeta"];
        };
        readonly LatestsAnswer: {
            /** @description One record per outcome. */
            readonly data: readonly components["schemas"]["BookRecord"][];
            readonly meta: components["schemas"]["LatestMeta"];
        };
        readonly SampleList: {
            readonly data: readonly components["schemas"]["Sample"][];
            readonly pagination: components["schemas"]["Pagination"];
            readonly meta: components["schemas"]["HistoryMeta"];
        };
        readonly TradeList: {
            readonly data: readonly Record<string, never>[];
            readonly pagination: components["schemas"]["Pagination"];
            readonly meta: components["schemas"]["Meta"];
        };
        readonly GapList: {
            readonly data: readonly components["schemas"]["GapRecord"][];
            readonly pagination: components["schemas"]["Pagination"];
            readonly meta: components["schemas"]["Meta"];
        };
        readonly CoverageAnswer: {
            readonly data: {
                readonly venue: components["schemas"]["Venue"];
                readonly market_id: string;
                readonly dataset: components["schemas"]["Dataset"];
                readonly outcome_id: string | null;
                /** @description When capture began; null when it never did. */
                readonly available_since: components["schemas"]["IsoOrNull"];
                /** @description Last evidence of capture. */
                readonly available_until: components["schemas"]["IsoOrNull"];
                /**
                 * @description Of the asked range: fully covered, covered in part, or not at all.
                 * @enum {string}
                 */
                readonly condition: "available" | "degraded" | "missing";
                readonly coverage: components["schemas"]["Coverage"];
            };
            readonly meta: components["schemas"]["Meta"];
        };
        readonly Health: {
            readonly data: {
                /** @enum {string} */
                readonly status: "ok" | "degraded";
                readonly version: string;
                /** @description Build of the tables that is served; absent while the store does not answer. */
                readonly generation?: number;
                /** @description One entry a part: store, log, projector (how many events are not in the tables), and each venue that is recorded: capturing, degraded, disconnected, starting or stopped, since when books are not covered, and message_age_ms: how old messages are when they are received, by the time that the venue states (median of the newest minute; absent where it states none). */
                readonly checks: {
                    readonly [key: string]: unknown;
                };
            };
            readonly meta: components["schemas"]["Meta"];
        };
        readonly Overview: {
            readonly data: readonly {
                readonly venue: components["schemas"]["Venue"];
                readonly asset: string | null;
                readonly window: string | null;
                readonly dataset: components["schemas"]["Dataset"];
                readonly available_since: components["schemas"]["IsoOrNull"];
                readonly available_until: components["schemas"]["IsoOrNull"];
                readonly markets: number;
                /** @description Backfilled history says so here. */
                readonly provenances: readonly components["schemas"]["Provenance"][];
            }[];
            readonly meta: components["schemas"]["Meta"];
        };
        readonly Whoami: {
            readonly data: {
                readonly key_id: string;
                readonly name: string;
                readonly plan: components["schemas"]["Plan"];
                readonly issued_at: components["schemas"]["Iso"];
                readonly venues: readonly components["schemas"]["Venue"][];
                /** @description Null - all history. */
                readonly history_days: number | null;
                /** @description History begins here: a midnight in UTC, one day later each midnight. */
                readonly oldest_allowed: components["schemas"]["IsoOrNull"];
                readonly rate_limits: readonly {
                    readonly requests: number;
                    readonly seconds: number;
                }[];
            };
            readonly meta: components["schemas"]["Meta"];
        };
    };
    responses: {
        /** @description The range is closed and still the same; nothing was read. */
        readonly NotModified: {
            headers: {
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /**
         * @description `INVALID_PARAMETER`: a parameter is unknown, malformed or out of bounds (details.parameter, and details.nearest when a
         *     valid name is close). `INVALID_CURSOR`: a cursor that is not ours, was changed, belongs to another route, other
         *     filters or another build of the tables. Before any route: `MALFORMED_REQUEST` (400) for what is not HTTP,
         *     `REQUEST_TIMEOUT` (408) for a request that does not arrive, `HEADERS_TOO_LARGE` (431) for more than 16 KiB.
         */
        readonly BadRequest: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "INVALID_PARAMETER",
                 *         "message": "Unknown query parameter 'limt'; did you mean 'limit'?",
                 *         "details": {
                 *           "parameter": "limt",
                 *           "nearest": "limit",
                 *           "allowed": [
                 *             "cursor",
                 *             "limit"
                 *           ]
                 *         }
                 *       },
                 *       "meta": {
                 *         "request_id": "0f9c2d3e5a7b4c1d",
                 *         "timestamp": "2026-11-15T00:00:00.000Z"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
        /** @description `AUTH_MISSING`: no key. `AUTH_INVALID`: not a key of ours, or revoked. */
        readonly Unauthorized: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "AUTH_MISSING",
                 *         "message": "Send your key as Authorization: Bearer <key>.",
                 *         "details": {}
                 *       },
                 *       "meta": {
                 *         "request_id": "0f9c2d3e5a7b4c1d",
                 *         "timestamp": "2026-11-15T00:00:00.000Z"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
        /**
         * @description `ENDPOINT_NOT_IN_PLAN`: the plan does not include this venue (details.required_plan). `HISTORY_LIMIT_EXCEEDED`: the
         *     range reaches further back than the plan (details.required_plan, details.oldest_allowed).
         */
        readonly Forbidden: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "HISTORY_LIMIT_EXCEEDED",
                 *         "message": "The plan explorer reaches back to 2026-10-15T00:00:00.000Z.",
                 *         "details": {
                 *           "required_plan": "quant",
                 *           "oldest_allowed": "2026-10-15T00:00:00.000Z"
                 *         }
                 *       },
                 *       "meta": {
                 *         "request_id": "0f9c2d3e5a7b4c1d",
                 *         "timestamp": "2026-11-15T00:00:00.000Z"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
        /**
         * @description `MARKET_NOT_FOUND`: never seen here. `DATA_GAP`: the market exists, that moment was not recorded (details.gap).
         *     `ENDPOINT_NOT_FOUND`: no such route.
         */
        readonly NotFound: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "DATA_GAP",
                 *         "message": "Nothing was recorded at 2026-11-15T00:00:02.500Z (disconnected).",
                 *         "details": {
                 *           "gap": {
                 *             "from": "2026-11-15T00:00:01.000Z",
                 *             "to": "2026-11-15T00:00:09.000Z",
                 *             "cause": "disconnected",
                 *             "scope": "connection",
                 *             "dataset": "books",
                 *             "outcome_id": "yes",
                 *             "last_before": "2026-11-15T00:00:00.900Z",
                 *             "first_after": "2026-11-15T00:00:09.000Z"
                 *           }
                 *         }
                 *       },
                 *       "meta": {
                 *         "request_id": "0f9c2d3e5a7b4c1d",
                 *         "timestamp": "2026-11-15T00:00:00.000Z"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
        /** @description `METHOD_NOT_ALLOWED`: every route is GET (and HEAD). */
        readonly MethodNotAllowed: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly Allow: components["headers"]["Allow"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
        /** @description `RATE_LIMITED`: wait for `Retry-After` seconds. */
        readonly RateLimited: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                readonly [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "RATE_LIMITED",
                 *         "message": "Limit of 1 requests in 1 s used up.",
                 *         "details": {
                 *           "limit": 1,
                 *           "seconds": 1,
                 *           "retry_after": 1
                 *         }
                 *       },
                 *       "meta": {
                 *         "request_id": "0f9c2d3e5a7b4c1d",
                 *         "timestamp": "2026-11-15T00:00:00.000Z"
                 *       }
                 *     }
                 */
                readonly "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
        /** @description `INTERNAL_ERROR`: our fault; the request id finds it in the log. */
        readonly Internal: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
        /** @description `STORE_UNAVAILABLE`: the store is down, or its queue is full or too slow. Try again after `Retry-After`. */
        readonly Unavailable: {
            headers: {
                readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                readonly "Retry-After": components["headers"]["Retry-After"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorAnswer"];
            };
        };
    };
    parameters: {
        /**
         * @description The venue's own slug of the market.
         * @example btc-updown-5m-1794700800
         */
        readonly slug: string;
        /**
         * @description The instant, ISO 8601 or epoch milliseconds.
         * @example 2026-11-15T00:00:02.500Z
         */
        readonly at: components["schemas"]["TimeText"];
        /** @description Normalized status; the venue's own word is `native_status`. */
        readonly status: components["schemas"]["MarketStatus"];
        /**
         * @description First instant, inclusive. Default, for history, the oldest your plan reaches.
         * @example 2026-11-15T00:00:00Z
         */
        readonly startTime: components["schemas"]["TimeText"];
        /**
         * @description Last instant, exclusive. Default now.
         * @example 2026-11-15T00:15:00Z
         */
        readonly endTime: components["schemas"]["TimeText"];
        /** @description Only markets that end after this instant (a market counts when its life overlaps the range). */
        readonly marketStart: components["schemas"]["TimeText"];
        /** @description Only markets that begin before this instant. */
        readonly marketEnd: components["schemas"]["TimeText"];
        /**
         * @description Keep only the last observation of each outcome inside each bucket of this length (buckets are aligned to the epoch). A
         *     bucket without an observation is absent; nothing crosses a bucket and nothing is filled.
         * @example 1m
         */
        readonly interval: "1s" | "10s" | "1m" | "5m" | "15m" | "1h";
        /** @description Add the ladders to every record. `true` and `false` in any case. */
        readonly includeOrderbook: boolean;
        /** @description `arrays`: price and size arrays per side. `levels`: `bids: [{price, size}]` instead. */
        readonly ladder: "arrays" | "levels";
        /** @description Exactly one metric; the three are different things and are never merged. */
        readonly metric: components["schemas"]["Metric"];
        /** @description Records a page. */
        readonly pageLimit: number;
        /** @description Markets a page. */
        readonly marketLimit: number;
        /** @description `pagination.next_cursor` of the page before, with the same filters. */
        readonly cursor: string;
        /** @description Venue. */
        readonly venueQuery: components["schemas"]["Venue"];
        /**
         * @description Native market id - market id (A), ticker (B), condition id (C).
         * @example KXBTC15M-26NOV141915-15
         */
        readonly marketQuery: string;
        /** @description Native market id - market id (A), ticker (B), condition id (C). */
        readonly marketQueryOptional: string;
        /** @description Which dataset; they begin at different times. */
        readonly datasetQuery: components["schemas"]["Dataset"];
        /** @description Only this outcome id. */
        readonly anyOutcome: string;
        /**
         * @description Venue A's own market identifier (an integer, written as text).
         * @example 4107231
         */
        readonly marketIdA: string;
        /**
         * @description Underlying asset.
         * @example BTC
         */
        readonly coin: "BTC" | "ETH" | "BNB" | "btc" | "eth" | "bnb";
        /** @description Length of the window the contract is about. */
        readonly window: "5m" | "15m";
        /** @description Full ladders are part of venue A's records; pass false to leave them out (`true` and `false` in any case). */
        readonly includeOrderbookA: boolean;
        /** @description Outcome index whose book is meant. Venue A's socket prices the book in outcome 0. */
        readonly outcomeA: "0" | "1";
        /** @description Only samples of this outcome index. Default both; each sample names its outcome. */
        readonly outcomeSample: "0" | "1";
        /**
         * @description The exact native market ticker, dots and dashes included; find it by listing markets of a series.
         * @example KXBTC15M-26NOV141915-15
         */
        readonly marketTicker: string;
        /**
         * @description Series ticker, the recurring contract family.
         * @example KXBTC15M
         */
        readonly series: string;
        /**
         * @description Event ticker, a group of related markets.
         * @example KXBTC15M-26NOV141915
         */
        readonly event: string;
        /**
         * @description Underlying asset of venue C's markets. Any other value is a 400 `INVALID_PARAMETER`.
         * @example btc
         */
        readonly asset: "btc" | "eth" | "sol" | "xrp" | "doge" | "bnb" | "hype";
        /**
         * @description Venue C's condition id, `0x` and 64 hexadecimal digits.
         * @example 0x5d1c0c1e2f7a4b3c9d8e7f60514233445566778899aabbccddeeff0011223344
         */
        readonly marketIdC: string;
        /** @description Length of the window the contract is about. */
        readonly anyWindow: "5m" | "15m" | "1h" | "4h" | "1d";
        /** @description Only this outcome token. Default every outcome of the market. */
        readonly outcomeC: string;
    };
    requestBodies: never;
    headers: {
        /** @description The id of this request, also in `meta.request_id`. A well-formed one sent by the client is kept. */
        readonly "X-Request-Id": string;
        /** @description Requests of the limit that is nearest to being used up. */
        readonly "X-RateLimit-Limit": number;
        /** @description Requests left of it. */
        readonly "X-RateLimit-Remaining": number;
        /** @description When it is full again, epoch seconds. */
        readonly "X-RateLimit-Reset": number;
        /** @description Seconds to wait before the same request can succeed. */
        readonly "Retry-After": number;
        /** @description `<url>; rel="next"` when there is a next page. */
        readonly Link: string;
        /**
         * @description Weak. Present when the range ended at least a minute ago, has a `start_time` (or the plan reads all history), and is
         *     wholly projected. Send it back in `If-None-Match` for a 304.
         */
        readonly ETag: string;
        /** @description Methods of this route. */
        readonly Allow: string;
        /** @description The scheme to use. */
        readonly "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly getHealth: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Working, or degraded with the part that is. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "status": "ok",
                     *         "version": "0.1.0",
                     *         "generation": 1,
                     *         "checks": {
                     *           "store": "ok",
                     *           "log": "ok",
                     *           "projector": {
                     *             "ok": true,
                     *             "lag": 12
                     *           },
                     *           "venuec": {
                     *             "ok": true,
                     *             "state": "capturing",
                     *             "markets": 6,
                     *             "books": 12,
                     *             "gaps_open": 0,
                     *             "gap_since": null,
                     *             "message_age_ms": 38
                     *           }
                     *         }
                     *       },
                     *       "meta": {
                     *         "request_id": "0f9c2d3e5a7b4c1d",
                     *         "timestamp": "2026-11-15T00:10:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Health"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getOverview: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What is here. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "venue": "venuea",
                     *           "asset": "BTC",
                     *           "window": "5m",
                     *           "dataset": "catalogue",
                     *           "available_since": "2026-05-05T00:00:00.000Z",
                     *           "available_until": "2026-11-15T00:10:00.000Z",
                     *           "markets": 55872,
                     *           "provenances": [
                     *             "backfilled",
                     *             "captured"
                     *           ]
                     *         }
                     *       ],
                     *       "meta": {
                     *         "request_id": "0f9c2d3e5a7b4c1d",
                     *         "timestamp": "2026-11-15T00:10:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Overview"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly whoami: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The key's plan and limits. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "key_id": "k1a2b3c4d5e6",
                     *         "name": "research",
                     *         "plan": "quant",
                     *         "issued_at": "2026-11-01T00:00:00.000Z",
                     *         "venues": [
                     *           "venuea",
                     *           "venueb",
                     *           "venuec"
                     *         ],
                     *         "history_days": 60,
                     *         "oldest_allowed": "2026-09-16T00:00:00.000Z",
                     *         "rate_limits": [
                     *           {
                     *             "requests": 25,
                     *             "seconds": 1
                     *           },
                     *           {
                     *             "requests": 1000,
                     *             "seconds": 60
                     *           }
                     *         ]
                     *       },
                     *       "meta": {
                     *         "request_id": "0f9c2d3e5a7b4c1d",
                     *         "timestamp": "2026-11-15T00:10:00.000Z"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Whoami"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listVenueAMarkets: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Underlying asset.
                 * @example BTC
                 */
                readonly coin?: components["parameters"]["coin"];
                /** @description Length of the window the contract is about. */
                readonly window?: components["parameters"]["window"];
                /** @description Normalized status; the venue's own word is `native_status`. */
                readonly status?: components["parameters"]["status"];
                /** @description Only markets that end after this instant (a market counts when its life overlaps the range). */
                readonly start_time?: components["parameters"]["marketStart"];
                /** @description Only markets that begin before this instant. */
                readonly end_time?: components["parameters"]["marketEnd"];
                /** @description Markets a page. */
                readonly limit?: components["parameters"]["marketLimit"];
                /** @description `pagination.next_cursor` of the page before, with the same filters. */
                readonly cursor?: components["parameters"]["cursor"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of markets. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly Link: components["headers"]["Link"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketList"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getVenueAMarket: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Venue A's own market identifier (an integer, written as text).
                 * @example 4107231
                 */
                readonly market_id: components["parameters"]["marketIdA"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The market. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getVenueAMarketBySlug: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The venue's own slug of the market.
                 * @example btc-updown-5m-1794700800
                 */
                readonly slug: components["parameters"]["slug"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The market. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getVenueALatest: {
        readonly parameters: {
            readonly query?: {
                /** @description Outcome index whose book is meant. Venue A's socket prices the book in outcome 0. */
                readonly outcome?: components["parameters"]["outcomeA"];
                /** @description `arrays`: price and size arrays per side. `levels`: `bids: [{price, size}]` instead. */
                readonly ladder?: components["parameters"]["ladder"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description Venue A's own market identifier (an integer, written as text).
                 * @example 4107231
                 */
                readonly market_id: components["parameters"]["marketIdA"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The newest recorded book. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "venue": "venuea",
                     *         "market_id": "4107231",
                     *         "event_id": "990017",
                     *         "series_id": null,
                     *         "condition_id": "0x1c3e",
                     *         "outcome_label": "Up",
                     *         "outcome_index": 0,
                     *         "token_id": "8812",
                     *         "topic_id": "990017",
                     *         "outcome_id": "0",
                     *         "timestamp": "2026-11-15T00:00:02.113Z",
                     *         "source_timestamp": "2026-11-15T00:00:02.090Z",
                     *         "received_timestamp": "2026-11-15T00:00:02.113Z",
                     *         "provenance": "captured",
                     *         "kind": "snapshot",
                     *         "book_state": "two_sided",
                     *         "best_bid": 0.51,
                     *         "best_ask": 0.53,
                     *         "mid": 0.52,
                     *         "spread": 0.02,
                     *         "levels": {
                     *           "bids": 2,
                     *           "asks": 1
                     *         },
                     *         "truncated": false,
                     *         "checks": [],
                     *         "position": "venuea/1/20417",
                     *         "orderbook": {
                     *           "bid_prices": [
                     *             0.51,
                     *             0.5
                     *           ],
                     *           "bid_sizes": [
                     *             42,
                     *             310.4
                     *           ],
                     *           "ask_prices": [
                     *             0.53
                     *           ],
                     *           "ask_sizes": [
                     *             18.75
                     *           ]
                     *         },
                     *         "native": {
                     *           "ids": {
                     *             "tokenId": "8812"
                     *           },
                     *           "bid_side": "bids",
                     *           "ask_side": "asks",
                     *           "ask_is_complement": false,
                     *           "price_format": "min",
                     *           "size_format": "min",
                     *           "exceptions": [],
                     *           "hash": null,
                     *           "sequence": null,
                     *           "session": "s-7f",
                     *           "ordinal": 88,
                     *           "entry": 0
                     *         }
                     *       },
                     *       "meta": {
                     *         "request_id": "0f9c2d3e5a7b4c1d",
                     *         "timestamp": "2026-11-15T00:15:30.000Z",
                     *         "gap": null
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["LatestAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listVenueASnapshots: {
        readonly parameters: {
            readonly query?: {
                /** @description Outcome index whose book is meant. Venue A's socket prices the book in outcome 0. */
                readonly outcome?: components["parameters"]["outcomeA"];
                /**
                 * @description First instant, inclusive. Default, for history, the oldest your plan reaches.
                 * @example 2026-11-15T00:00:00Z
                 */
                readonly start_time?: components["parameters"]["startTime"];
                /**
                 * @description Last instant, exclusive. Default now.
                 * @example 2026-11-15T00:15:00Z
                 */
                readonly end_time?: components["parameters"]["endTime"];
                /**
                 * @description Keep only the last observation of each outcome inside each bucket of this length (buckets are aligned to the epoch). A
                 *     bucket without an observation is absent; nothing crosses a bucket and nothing is filled.
                 * @example 1m
                 */
                readonly interval?: components["parameters"]["interval"];
                /** @description Full ladders are part of venue A's records; pass false to leave them out (`true` and `false` in any case). */
                readonly include_orderbook?: components["parameters"]["includeOrderbookA"];
                /** @description `arrays`: price and size arrays per side. `levels`: `bids: [{price, size}]` instead. */
                readonly ladder?: components["parameters"]["ladder"];
                /** @description Records a page. */
                readonly limit?: components["parameters"]["pageLimit"];
                /** @description `pagination.next_cursor` of the page before, with the same filters. */
                readonly cursor?: components["parameters"]["cursor"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description Venue A's own market identifier (an integer, written as text).
                 * @example 4107231
                 */
                readonly market_id: components["parameters"]["marketIdA"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of snapshots. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly Link: components["headers"]["Link"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "venue": "venuea",
                     *           "market_id": "4107231",
                     *           "event_id": "990017",
                     *           "series_id": null,
                     *           "condition_id": "0x1c3e",
                     *           "outcome_label": "Up",
                     *           "outcome_index": 0,
                     *           "token_id": "8812",
                     *           "topic_id": "990017",
                     *           "outcome_id": "0",
                     *           "timestamp": "2026-11-15T00:00:02.113Z",
                     *           "source_timestamp": "2026-11-15T00:00:02.090Z",
                     *           "received_timestamp": "2026-11-15T00:00:02.113Z",
                     *           "provenance": "captured",
                     *           "kind": "snapshot",
                     *           "book_state": "two_sided",
                     *           "best_bid": 0.51,
                     *           "best_ask": 0.53,
                     *           "mid": 0.52,
                     *           "spread": 0.02,
                     *           "levels": {
                     *             "bids": 2,
                     *             "asks": 1
                     *           },
                     *           "truncated": false,
                     *           "checks": [],
                     *           "position": "venuea/1/20417",
                     *           "orderbook": {
                     *             "bid_prices": [
                     *               0.51,
                     *               0.5
                     *             ],
                     *             "bid_sizes": [
                     *               42,
                     *               310.4
                     *             ],
                     *             "ask_prices": [
                     *               0.53
                     *             ],
                     *             "ask_sizes": [
                     *               18.75
                     *             ]
                     *           },
                     *           "native": {
                     *             "ids": {
                     *               "tokenId": "8812"
                     *             },
                     *             "bid_side": "bids",
                     *             "ask_side": "asks",
                     *             "ask_is_complement": false,
                     *             "price_format": "min",
                     *             "size_format": "min",
                     *             "exceptions": [],
                     *             "hash": null,
                     *             "sequence": null,
                     *             "session": "s-7f",
                     *             "ordinal": 88,
                     *             "entry": 0
                     *           }
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next_cursor": null,
                     *         "has_more": false,
                     *         "limit": 100,
                     *         "count": 1
                     *       },
                     *       "meta": {
                     *         "request_id": "0f9c2d3e5a7b4c1d",
                     *         "timestamp": "2026-11-15T00:15:30.000Z",
                     *         "coverage": {
                     *           "from": "2026-11-15T00:00:00.000Z",
                     *           "to": "2026-11-15T00:15:00.000Z",
                     *           "covered_ratio": 0.991,
                     *           "gaps": [
                     *             {
                     *               "from": "2026-11-15T00:00:01.000Z",
                     *               "to": "2026-11-15T00:00:09.000Z",
                     *               "cause": "disconnected",
                     *               "scope": "connection",
                     *               "dataset": "books",
                     *               "outcome_id": "0",
                     *               "last_before": "2026-11-15T00:00:00.900Z",
                     *               "first_after": "2026-11-15T00:00:09.000Z"
                     *             }
                     *           ],
                     *           "gaps_truncated": false
                     *         }
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SnapshotList"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getVenueASnapshotAt: {
        readonly parameters: {
            readonly query?: {
                /** @description Outcome index whose book is meant. Venue A's socket prices the book in outcome 0. */
                readonly outcome?: components["parameters"]["outcomeA"];
                /** @description `arrays`: price and size arrays per side. `levels`: `bids: [{price, size}]` instead. */
                readonly ladder?: components["parameters"]["ladder"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description Venue A's own market identifier (an integer, written as text).
                 * @example 4107231
                 */
                readonly market_id: components["parameters"]["marketIdA"];
                /**
                 * @description The instant, ISO 8601 or epoch milliseconds.
                 * @example 2026-11-15T00:00:02.500Z
                 */
                readonly timestamp: components["parameters"]["at"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The book as it stood. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SnapshotAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listVenueASamples: {
        readonly parameters: {
            readonly query: {
                /** @description Exactly one metric; the three are different things and are never merged. */
                readonly metric: components["parameters"]["metric"];
                /** @description Only samples of this outcome index. Default both; each sample names its outcome. */
                readonly outcome?: components["parameters"]["outcomeSample"];
                /**
                 * @description First instant, inclusive. Default, for history, the oldest your plan reaches.
                 * @example 2026-11-15T00:00:00Z
                 */
                readonly start_time?: components["parameters"]["startTime"];
                /**
                 * @description Last instant, exclusive. Default now.
                 * @example 2026-11-15T00:15:00Z
                 */
                readonly end_time?: components["parameters"]["endTime"];
                /** @description Records a page. */
                readonly limit?: components["parameters"]["pageLimit"];
                /** @description `pagination.next_cursor` of the page before, with the same filters. */
                readonly cursor?: components["parameters"]["cursor"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description Venue A's own market identifier (an integer, written as text).
                 * @example 4107231
                 */
                readonly market_id: components["parameters"]["marketIdA"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of samples. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly Link: components["headers"]["Link"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SampleList"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listVenueATrades: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description First instant, inclusive. Default, for history, the oldest your plan reaches.
                 * @example 2026-11-15T00:00:00Z
                 */
                readonly start_time?: components["parameters"]["startTime"];
                /**
                 * @description Last instant, exclusive. Default now.
                 * @example 2026-11-15T00:15:00Z
                 */
                readonly end_time?: components["parameters"]["endTime"];
                /** @description Records a page. */
                readonly limit?: components["parameters"]["pageLimit"];
                /** @description `pagination.next_cursor` of the page before, with the same filters. */
                readonly cursor?: components["parameters"]["cursor"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description Venue A's own market identifier (an integer, written as text).
                 * @example 4107231
                 */
                readonly market_id: components["parameters"]["marketIdA"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Always empty. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly Link: components["headers"]["Link"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TradeList"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listVenueAMarketsAlias: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Underlying asset.
                 * @example BTC
                 */
                readonly coin?: components["parameters"]["coin"];
                /** @description Length of the window the contract is about. */
                readonly window?: components["parameters"]["window"];
                /** @description Normalized status; the venue's own word is `native_status`. */
                readonly status?: components["parameters"]["status"];
                /** @description Only markets that end after this instant (a market counts when its life overlaps the range). */
                readonly start_time?: components["parameters"]["marketStart"];
                /** @description Only markets that begin before this instant. */
                readonly end_time?: components["parameters"]["marketEnd"];
                /** @description Markets a page. */
                readonly limit?: components["parameters"]["marketLimit"];
                /** @description `pagination.next_cursor` of the page before, with the same filters. */
                readonly cursor?: components["parameters"]["cursor"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of markets. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly Link: components["headers"]["Link"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketList"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getVenueAMarketAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Venue A's own market identifier (an integer, written as text).
                 * @example 4107231
                 */
                readonly market_id: components["parameters"]["marketIdA"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The market. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getVenueAMarketBySlugAlias: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The venue's own slug of the market.
                 * @example btc-updown-5m-1794700800
                 */
                readonly slug: components["parameters"]["slug"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The market. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getVenueALatestAlias: {
        readonly parameters: {
            readonly query?: {
                /** @description Outcome index whose book is meant. Venue A's socket prices the book in outcome 0. */
                readonly outcome?: components["parameters"]["outcomeA"];
                /** @description `arrays`: price and size arrays per side. `levels`: `bids: [{price, size}]` instead. */
                readonly ladder?: components["parameters"]["ladder"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description Venue A's own market identifier (an integer, written as text).
                 * @example 4107231
                 */
                readonly market_id: components["parameters"]["marketIdA"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The newest recorded book. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LatestAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listVenueASnapshotsAlias: {
        readonly parameters: {
            readonly query?: {
                /** @description Outcome index whose book is meant. Venue A's socket prices the book in outcome 0. */
                readonly outcome?: components["parameters"]["outcomeA"];
                /**
                 * @description First instant, inclusive. Default, for history, the oldest your plan reaches.
                 * @example 2026-11-15T00:00:00Z
                 */
                readonly start_time?: components["parameters"]["startTime"];
                /**
                 * @description Last instant, exclusive. Default now.
                 * @example 2026-11-15T00:15:00Z
                 */
                readonly end_time?: components["parameters"]["endTime"];
                /**
                 * @description Keep only the last observation of each outcome inside each bucket of this length (buckets are aligned to the epoch). A
                 *     bucket without an observation is absent; nothing crosses a bucket and nothing is filled.
                 * @example 1m
                 */
                readonly interval?: components["parameters"]["interval"];
                /** @description Full ladders are part of venue A's records; pass false to leave them out (`true` and `false` in any case). */
                readonly include_orderbook?: components["parameters"]["includeOrderbookA"];
                /** @description `arrays`: price and size arrays per side. `levels`: `bids: [{price, size}]` instead. */
                readonly ladder?: components["parameters"]["ladder"];
                /** @description Records a page. */
                readonly limit?: components["parameters"]["pageLimit"];
                /** @description `pagination.next_cursor` of the page before, with the same filters. */
                readonly cursor?: components["parameters"]["cursor"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description Venue A's own market identifier (an integer, written as text).
                 * @example 4107231
                 */
                readonly market_id: components["parameters"]["marketIdA"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of snapshots. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly Link: components["headers"]["Link"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SnapshotList"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getVenueASnapshotAtAlias: {
        readonly parameters: {
            readonly query?: {
                /** @description Outcome index whose book is meant. Venue A's socket prices the book in outcome 0. */
                readonly outcome?: components["parameters"]["outcomeA"];
                /** @description `arrays`: price and size arrays per side. `levels`: `bids: [{price, size}]` instead. */
                readonly ladder?: components["parameters"]["ladder"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description Venue A's own market identifier (an integer, written as text).
                 * @example 4107231
                 */
                readonly market_id: components["parameters"]["marketIdA"];
                /**
                 * @description The instant, ISO 8601 or epoch milliseconds.
                 * @example 2026-11-15T00:00:02.500Z
                 */
                readonly timestamp: components["parameters"]["at"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The book as it stood. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SnapshotAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listVenueASamplesAlias: {
        readonly parameters: {
            readonly query: {
                /** @description Exactly one metric; the three are different things and are never merged. */
                readonly metric: components["parameters"]["metric"];
                /** @description Only samples of this outcome index. Default both; each sample names its outcome. */
                readonly outcome?: components["parameters"]["outcomeSample"];
                /**
                 * @description First instant, inclusive. Default, for history, the oldest your plan reaches.
                 * @example 2026-11-15T00:00:00Z
                 */
                readonly start_time?: components["parameters"]["startTime"];
                /**
                 * @description Last instant, exclusive. Default now.
                 * @example 2026-11-15T00:15:00Z
                 */
                readonly end_time?: components["parameters"]["endTime"];
                /** @description Records a page. */
                readonly limit?: components["parameters"]["pageLimit"];
                /** @description `pagination.next_cursor` of the page before, with the same filters. */
                readonly cursor?: components["parameters"]["cursor"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description Venue A's own market identifier (an integer, written as text).
                 * @example 4107231
                 */
                readonly market_id: components["parameters"]["marketIdA"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of samples. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly Link: components["headers"]["Link"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SampleList"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listVenueATradesAlias: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description First instant, inclusive. Default, for history, the oldest your plan reaches.
                 * @example 2026-11-15T00:00:00Z
                 */
                readonly start_time?: components["parameters"]["startTime"];
                /**
                 * @description Last instant, exclusive. Default now.
                 * @example 2026-11-15T00:15:00Z
                 */
                readonly end_time?: components["parameters"]["endTime"];
                /** @description Records a page. */
                readonly limit?: components["parameters"]["pageLimit"];
                /** @description `pagination.next_cursor` of the page before, with the same filters. */
                readonly cursor?: components["parameters"]["cursor"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description Venue A's own market identifier (an integer, written as text).
                 * @example 4107231
                 */
                readonly market_id: components["parameters"]["marketIdA"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Always empty. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly Link: components["headers"]["Link"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TradeList"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listVenueBMarkets: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Series ticker, the recurring contract family.
                 * @example KXBTC15M
                 */
                readonly series?: components["parameters"]["series"];
                /**
                 * @description Event ticker, a group of related markets.
                 * @example KXBTC15M-26NOV141915
                 */
                readonly event?: components["parameters"]["event"];
                /** @description Normalized status; the venue's own word is `native_status`. */
                readonly status?: components["parameters"]["status"];
                /** @description Only markets that end after this instant (a market counts when its life overlaps the range). */
                readonly start_time?: components["parameters"]["marketStart"];
                /** @description Only markets that begin before this instant. */
                readonly end_time?: components["parameters"]["marketEnd"];
                /** @description Markets a page. */
                readonly limit?: components["parameters"]["marketLimit"];
                /** @description `pagination.next_cursor` of the page before, with the same filters. */
                readonly cursor?: components["parameters"]["cursor"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of markets. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly Link: components["headers"]["Link"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketList"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getVenueBMarket: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The exact native market ticker, dots and dashes included; find it by listing markets of a series.
                 * @example KXBTC15M-26NOV141915-15
                 */
                readonly market_ticker: components["parameters"]["marketTicker"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The market. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getVenueBLatest: {
        readonly parameters: {
            readonly query?: {
                /** @description `arrays`: price and size arrays per side. `levels`: `bids: [{price, size}]` instead. */
                readonly ladder?: components["parameters"]["ladder"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The exact native market ticker, dots and dashes included; find it by listing markets of a series.
                 * @example KXBTC15M-26NOV141915-15
                 */
                readonly market_ticker: components["parameters"]["marketTicker"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The newest recorded book. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LatestAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listVenueBSnapshots: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description First instant, inclusive. Default, for history, the oldest your plan reaches.
                 * @example 2026-11-15T00:00:00Z
                 */
                readonly start_time?: components["parameters"]["startTime"];
                /**
                 * @description Last instant, exclusive. Default now.
                 * @example 2026-11-15T00:15:00Z
                 */
                readonly end_time?: components["parameters"]["endTime"];
                /**
                 * @description Keep only the last observation of each outcome inside each bucket of this length (buckets are aligned to the epoch). A
                 *     bucket without an observation is absent; nothing crosses a bucket and nothing is filled.
                 * @example 1m
                 */
                readonly interval?: components["parameters"]["interval"];
                /** @description Add the ladders to every record. `true` and `false` in any case. */
                readonly include_orderbook?: components["parameters"]["includeOrderbook"];
                /** @description `arrays`: price and size arrays per side. `levels`: `bids: [{price, size}]` instead. */
                readonly ladder?: components["parameters"]["ladder"];
                /** @description Records a page. */
                readonly limit?: components["parameters"]["pageLimit"];
                /** @description `pagination.next_cursor` of the page before, with the same filters. */
                readonly cursor?: components["parameters"]["cursor"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The exact native market ticker, dots and dashes included; find it by listing markets of a series.
                 * @example KXBTC15M-26NOV141915-15
                 */
                readonly market_ticker: components["parameters"]["marketTicker"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of observations. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly Link: components["headers"]["Link"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "venue": "venueb",
                     *           "market_id": "KXBTC15M-26NOV141915-15",
                     *           "event_id": "KXBTC15M-26NOV141915",
                     *           "series_id": "KXBTC15M",
                     *           "condition_id": null,
                     *           "outcome_label": "Yes",
                     *           "outcome_index": 0,
                     *           "token_id": null,
                     *           "market_ticker": "KXBTC15M-26NOV141915-15",
                     *           "event_ticker": "KXBTC15M-26NOV141915",
                     *           "series_ticker": "KXBTC15M",
                     *           "outcome_id": "yes",
                     *           "timestamp": "2026-11-15T00:00:02.140Z",
                     *           "source_timestamp": "2026-11-15T00:00:02.113Z",
                     *           "received_timestamp": "2026-11-15T00:00:02.140Z",
                     *           "provenance": "captured",
                     *           "kind": "delta",
                     *           "book_state": "two_sided",
                     *           "best_bid": 0.54,
                     *           "best_ask": 0.55,
                     *           "mid": 0.545,
                     *           "spread": 0.01,
                     *           "levels": {
                     *             "bids": 2,
                     *             "asks": 1,
                     *             "yes": 2,
                     *             "no": 1
                     *           },
                     *           "truncated": false,
                     *           "checks": [],
                     *           "position": "venueb/0/77120",
                     *           "orderbook": {
                     *             "bid_prices": [
                     *               0.54,
                     *               0.53
                     *             ],
                     *             "bid_sizes": [
                     *               1670.79,
                     *               212.5
                     *             ],
                     *             "ask_prices": [
                     *               0.55
                     *             ],
                     *             "ask_sizes": [
                     *               6445.03
                     *             ],
                     *             "yes_prices": [
                     *               0.54,
                     *               0.53
                     *             ],
                     *             "yes_sizes": [
                     *               1670.79,
                     *               212.5
                     *             ],
                     *             "no_prices": [
                     *               0.45
                     *             ],
                     *             "no_sizes": [
                     *               6445.03
                     *             ]
                     *           },
                     *           "native": {
                     *             "ids": {
                     *               "market_id": "9b0f6b43-5b68-4f9f-9f02-9a2d1b8ac1a1"
                     *             },
                     *             "bid_side": "yes",
                     *             "ask_side": "no",
                     *             "ask_is_complement": true,
                     *             "price_format": "4",
                     *             "size_format": "2",
                     *             "exceptions": [],
                     *             "hash": null,
                     *             "sequence": 2,
                     *             "session": "s-80",
                     *             "ordinal": 14,
                     *             "entry": 0
                     *           }
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next_cursor": null,
                     *         "has_more": false,
                     *         "limit": 100,
                     *         "count": 1
                     *       },
                     *       "meta": {
                     *         "request_id": "0f9c2d3e5a7b4c1d",
                     *         "timestamp": "2026-11-15T00:15:30.000Z",
                     *         "coverage": {
                     *           "from": "2026-11-15T00:00:00.000Z",
                     *           "to": "2026-11-15T00:15:00.000Z",
                     *           "covered_ratio": 0.991,
                     *           "gaps": [
                     *             {
                     *               "from": "2026-11-15T00:00:01.000Z",
                     *               "to": "2026-11-15T00:00:09.000Z",
                     *               "cause": "disconnected",
                     *               "scope": "connection",
                     *               "dataset": "books",
                     *               "outcome_id": "yes",
                     *               "last_before": "2026-11-15T00:00:00.900Z",
                     *               "first_after": "2026-11-15T00:00:09.000Z"
                     *             }
                     *           ],
                     *           "gaps_truncated": false
                     *         }
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SnapshotList"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getVenueBSnapshotAt: {
        readonly parameters: {
            readonly query?: {
                /** @description `arrays`: price and size arrays per side. `levels`: `bids: [{price, size}]` instead. */
                readonly ladder?: components["parameters"]["ladder"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The exact native market ticker, dots and dashes included; find it by listing markets of a series.
                 * @example KXBTC15M-26NOV141915-15
                 */
                readonly market_ticker: components["parameters"]["marketTicker"];
                /**
                 * @description The instant, ISO 8601 or epoch milliseconds.
                 * @example 2026-11-15T00:00:02.500Z
                 */
                readonly timestamp: components["parameters"]["at"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The book as it stood. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SnapshotAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listVenueCMarkets: {
        readonly parameters: {
            readonly query?: {
                /** @description Length of the window the contract is about. */
                readonly window?: components["parameters"]["anyWindow"];
                /** @description Normalized status; the venue's own word is `native_status`. */
                readonly status?: components["parameters"]["status"];
                /** @description Only markets that end after this instant (a market counts when its life overlaps the range). */
                readonly start_time?: components["parameters"]["marketStart"];
                /** @description Only markets that begin before this instant. */
                readonly end_time?: components["parameters"]["marketEnd"];
                /** @description Markets a page. */
                readonly limit?: components["parameters"]["marketLimit"];
                /** @description `pagination.next_cursor` of the page before, with the same filters. */
                readonly cursor?: components["parameters"]["cursor"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description Underlying asset of venue C's markets. Any other value is a 400 `INVALID_PARAMETER`.
                 * @example btc
                 */
                readonly asset: components["parameters"]["asset"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of markets. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly Link: components["headers"]["Link"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketList"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getVenueCMarket: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Underlying asset of venue C's markets. Any other value is a 400 `INVALID_PARAMETER`.
                 * @example btc
                 */
                readonly asset: components["parameters"]["asset"];
                /**
                 * @description Venue C's condition id, `0x` and 64 hexadecimal digits.
                 * @example 0x5d1c0c1e2f7a4b3c9d8e7f60514233445566778899aabbccddeeff0011223344
                 */
                readonly market_id: components["parameters"]["marketIdC"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The market. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getVenueCMarketBySlug: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description Underlying asset of venue C's markets. Any other value is a 400 `INVALID_PARAMETER`.
                 * @example btc
                 */
                readonly asset: components["parameters"]["asset"];
                /**
                 * @description The venue's own slug of the market.
                 * @example btc-updown-5m-1794700800
                 */
                readonly slug: components["parameters"]["slug"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The market. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getVenueCLatest: {
        readonly parameters: {
            readonly query?: {
                /** @description Only this outcome token. Default every outcome of the market. */
                readonly outcome?: components["parameters"]["outcomeC"];
                /** @description `arrays`: price and size arrays per side. `levels`: `bids: [{price, size}]` instead. */
                readonly ladder?: components["parameters"]["ladder"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description Underlying asset of venue C's markets. Any other value is a 400 `INVALID_PARAMETER`.
                 * @example btc
                 */
                readonly asset: components["parameters"]["asset"];
                /**
                 * @description Venue C's condition id, `0x` and 64 hexadecimal digits.
                 * @example 0x5d1c0c1e2f7a4b3c9d8e7f60514233445566778899aabbccddeeff0011223344
                 */
                readonly market_id: components["parameters"]["marketIdC"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One record per outcome. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LatestsAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listVenueCSnapshots: {
        readonly parameters: {
            readonly query?: {
                /** @description Only this outcome token. Default every outcome of the market. */
                readonly outcome?: components["parameters"]["outcomeC"];
                /**
                 * @description First instant, inclusive. Default, for history, the oldest your plan reaches.
                 * @example 2026-11-15T00:00:00Z
                 */
                readonly start_time?: components["parameters"]["startTime"];
                /**
                 * @description Last instant, exclusive. Default now.
                 * @example 2026-11-15T00:15:00Z
                 */
                readonly end_time?: components["parameters"]["endTime"];
                /**
                 * @description Keep only the last observation of each outcome inside each bucket of this length (buckets are aligned to the epoch). A
                 *     bucket without an observation is absent; nothing crosses a bucket and nothing is filled.
                 * @example 1m
                 */
                readonly interval?: components["parameters"]["interval"];
                /** @description Add the ladders to every record. `true` and `false` in any case. */
                readonly include_orderbook?: components["parameters"]["includeOrderbook"];
                /** @description `arrays`: price and size arrays per side. `levels`: `bids: [{price, size}]` instead. */
                readonly ladder?: components["parameters"]["ladder"];
                /** @description Records a page. */
                readonly limit?: components["parameters"]["pageLimit"];
                /** @description `pagination.next_cursor` of the page before, with the same filters. */
                readonly cursor?: components["parameters"]["cursor"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description Underlying asset of venue C's markets. Any other value is a 400 `INVALID_PARAMETER`.
                 * @example btc
                 */
                readonly asset: components["parameters"]["asset"];
                /**
                 * @description Venue C's condition id, `0x` and 64 hexadecimal digits.
                 * @example 0x5d1c0c1e2f7a4b3c9d8e7f60514233445566778899aabbccddeeff0011223344
                 */
                readonly market_id: components["parameters"]["marketIdC"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of observations. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly Link: components["headers"]["Link"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "venue": "venuec",
                     *           "market_id": "0x5d1c0c1e2f7a4b3c9d8e7f60514233445566778899aabbccddeeff0011223344",
                     *           "event_id": "51772",
                     *           "series_id": "btc-up-or-down-5m",
                     *           "condition_id": "0x5d1c0c1e2f7a4b3c9d8e7f60514233445566778899aabbccddeeff0011223344",
                     *           "outcome_label": "Up",
                     *           "outcome_index": 0,
                     *           "token_id": "71183960810705820955",
                     *           "outcome_id": "71183960810705820955",
                     *           "timestamp": "2026-11-15T00:00:01.388Z",
                     *           "source_timestamp": "2026-11-15T00:00:01.300Z",
                     *           "received_timestamp": "2026-11-15T00:00:01.388Z",
                     *           "provenance": "captured",
                     *           "kind": "snapshot",
                     *           "book_state": "two_sided",
                     *           "best_bid": 0.51,
                     *           "best_ask": 0.53,
                     *           "mid": 0.52,
                     *           "spread": 0.02,
                     *           "levels": {
                     *             "bids": 2,
                     *             "asks": 2
                     *           },
                     *           "truncated": false,
                     *           "checks": [],
                     *           "position": "venuec/3/118",
                     *           "orderbook": {
                     *             "bid_prices": [
                     *               0.51,
                     *               0.5
                     *             ],
                     *             "bid_sizes": [
                     *               42,
                     *               310.4
                     *             ],
                     *             "ask_prices": [
                     *               0.53,
                     *               0.54
                     *             ],
                     *             "ask_sizes": [
                     *               18.75,
                     *               120
                     *             ]
                     *           },
                     *           "native": {
                     *             "ids": {
                     *               "asset_id": "71183960810705820955"
                     *             },
                     *             "bid_side": "BUY",
                     *             "ask_side": "SELL",
                     *             "ask_is_complement": false,
                     *             "price_format": ".min",
                     *             "size_format": "min",
                     *             "exceptions": [],
                     *             "hash": "0a1b",
                     *             "sequence": null,
                     *             "session": "s-81",
                     *             "ordinal": 0,
                     *             "entry": 0
                     *           }
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "next_cursor": null,
                     *         "has_more": false,
                     *         "limit": 100,
                     *         "count": 1
                     *       },
                     *       "meta": {
                     *         "request_id": "0f9c2d3e5a7b4c1d",
                     *         "timestamp": "2026-11-15T00:15:30.000Z",
                     *         "coverage": {
                     *           "from": "2026-11-15T00:00:00.000Z",
                     *           "to": "2026-11-15T00:15:00.000Z",
                     *           "covered_ratio": 0.991,
                     *           "gaps": [
                     *             {
                     *               "from": "2026-11-15T00:00:01.000Z",
                     *               "to": "2026-11-15T00:00:09.000Z",
                     *               "cause": "disconnected",
                     *               "scope": "connection",
                     *               "dataset": "books",
                     *               "outcome_id": "71183960810705820955",
                     *               "last_before": "2026-11-15T00:00:00.900Z",
                     *               "first_after": "2026-11-15T00:00:09.000Z"
                     *             }
                     *           ],
                     *           "gaps_truncated": false
                     *         }
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SnapshotList"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getVenueCSnapshotAt: {
        readonly parameters: {
            readonly query?: {
                /** @description Only this outcome token. Default every outcome of the market. */
                readonly outcome?: components["parameters"]["outcomeC"];
                /** @description `arrays`: price and size arrays per side. `levels`: `bids: [{price, size}]` instead. */
                readonly ladder?: components["parameters"]["ladder"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description Underlying asset of venue C's markets. Any other value is a 400 `INVALID_PARAMETER`.
                 * @example btc
                 */
                readonly asset: components["parameters"]["asset"];
                /**
                 * @description Venue C's condition id, `0x` and 64 hexadecimal digits.
                 * @example 0x5d1c0c1e2f7a4b3c9d8e7f60514233445566778899aabbccddeeff0011223344
                 */
                readonly market_id: components["parameters"]["marketIdC"];
                /**
                 * @description The instant, ISO 8601 or epoch milliseconds.
                 * @example 2026-11-15T00:00:02.500Z
                 */
                readonly timestamp: components["parameters"]["at"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The books as they stood. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SnapshotsAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getCoverage: {
        readonly parameters: {
            readonly query: {
                /** @description Venue. */
                readonly venue: components["parameters"]["venueQuery"];
                /**
                 * @description Native market id - market id (A), ticker (B), condition id (C).
                 * @example KXBTC15M-26NOV141915-15
                 */
                readonly market_id: components["parameters"]["marketQuery"];
                /** @description Which dataset; they begin at different times. */
                readonly dataset?: components["parameters"]["datasetQuery"];
                /** @description Only this outcome id. */
                readonly outcome?: components["parameters"]["anyOutcome"];
                /**
                 * @description First instant, inclusive. Default, for history, the oldest your plan reaches.
                 * @example 2026-11-15T00:00:00Z
                 */
                readonly start_time?: components["parameters"]["startTime"];
                /**
                 * @description Last instant, exclusive. Default now.
                 * @example 2026-11-15T00:15:00Z
                 */
                readonly end_time?: components["parameters"]["endTime"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Coverage. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CoverageAnswer"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listGaps: {
        readonly parameters: {
            readonly query: {
                /** @description Venue. */
                readonly venue: components["parameters"]["venueQuery"];
                /** @description Native market id - market id (A), ticker (B), condition id (C). */
                readonly market_id?: components["parameters"]["marketQueryOptional"];
                /** @description Which dataset; they begin at different times. */
                readonly dataset?: components["parameters"]["datasetQuery"];
                /**
                 * @description First instant, inclusive. Default, for history, the oldest your plan reaches.
                 * @example 2026-11-15T00:00:00Z
                 */
                readonly start_time?: components["parameters"]["startTime"];
                /**
                 * @description Last instant, exclusive. Default now.
                 * @example 2026-11-15T00:15:00Z
                 */
                readonly end_time?: components["parameters"]["endTime"];
                /** @description Records a page. */
                readonly limit?: components["parameters"]["pageLimit"];
                /** @description `pagination.next_cursor` of the page before, with the same filters. */
                readonly cursor?: components["parameters"]["cursor"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of gaps. */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    readonly "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    readonly "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    readonly Link: components["headers"]["Link"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["GapList"];
                };
            };
            readonly 400: components["responses"]["BadRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 405: components["responses"]["MethodNotAllowed"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
}
