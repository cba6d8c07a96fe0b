// A book observation as the REST API and the live feed show it. Two halves: `observation` says what was recorded (the store's
// engine prints the same text straight from the table; a test in packages/api holds the two together), `identity` says whose
// book it is, from the catalogue. Integers of 1e-6 become JSON numbers by one correctly rounded division, so the number
// printed is the decimal that was recorded.

import type { Micro, TextFormat } from '../kernel/decimal.ts';
import { MICRO } from '../kernel/decimal.ts';
import type {
  BookObserved,
  BookState,
  CheckFlag,
  MarketObserved,
  Provenance,
  Venue,
} from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';
import { toIso } from '../kernel/time.ts';
import type { Position } from '../events/topics.ts';
import { formatPosition } from '../events/topics.ts';

/** How ladders are shown: four arrays, lists of {price, size}, or not at all. */
export type LadderShape = 'arrays' | 'levels' | null;

/** Levels a side in an answer about venue B; every recorded level stays in the log, the tables and exports. */
export const VENUE_B_LEVELS = 100;

export type Level = { readonly price: number; readonly size: number };

export type ArrayLadders = {
  readonly bid_prices: readonly number[];
  readonly bid_sizes: readonly number[];
  readonly ask_prices: readonly number[];
  readonly ask_sizes: readonly number[];
  readonly yes_prices?: readonly number[];
  readonly yes_sizes?: readonly number[];
  readonly no_prices?: readonly number[];
  readonly no_sizes?: readonly number[];
};

export type LevelLadders = {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly yes?: readonly Level[];
  readonly no?: readonly Level[];
};

export type Observation = {
  readonly outcome_id: string;
  readonly timestamp: string;
  readonly source_timestamp: string | null;
  readonly received_timestamp: string;
  readonly provenance: Provenance;
  readonly kind: 'snapshot' | 'delta';
  readonly book_state: BookState;
  readonly best_bid: number | null;
  readonly best_ask: number | null;
  readonly mid: number | null;
  readonly spread: number | null;
  readonly levels: {
    readonly bids: number;
    readonly asks: number;
    readonly yes?: number;
    readonly no?: number;
  };
  readonly truncated: boolean;
  readonly checks: readonly CheckFlag[];
  readonly position: string;
  readonly orderbook?: ArrayLadders | LevelLadders;
  readonly native: {
    readonly ids: Readonly<Record<string, string>>;
    readonly bid_side: string;
    readonly ask_side: string;
    readonly ask_is_complement: boolean;
    readonly price_format: TextFormat;
    readonly size_format: TextFormat;
    readonly exceptions: readonly {
      readonly side: 'bid' | 'ask';
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
};

export type RecordIdentity = {
  readonly venue: Venue;
  readonly market_id: string;
  readonly event_id: string | null;
  readonly series_id: string | null;
  readonly condition_id: string | null;
  readonly outcome_label: string | null;
  readonly outcome_index: number | null;
  readonly token_id: string | null;
  /** Venue A's name of event_id. */
  readonly topic_id?: string | null;
  /** Venue B's names of market_id, event_id and series_id. */
  readonly market_ticker?: string;
  readonly event_ticker?: string | null;
  readonly series_ticker?: string | null;
};

export type BookRecord = RecordIdentity & Observation;

/** What `identity` needs of a market; a MarketObserved has it, and so has a row of the catalogue. */
export type MarketIdentity = Pick<MarketObserved, 'eventId' | 'seriesId' | 'conditionId' | 'outcomes'>;

/** Nearest double of value / 1e6: prints as the decimal itself. */
export const toNumber = (value: Micro): number => value / MICRO;

export function toRecord(
  event: BookObserved,
  position: Position,
  market: MarketIdentity | null = null,
  shape: LadderShape = 'arrays',
): BookRecord {
  return {
    ...identity(event.venue, event.market, event.outcome, market),
    ...observation(event, position, shape),
  };
}

export function identity(
  venue: Venue,
  market: string,
  outcome: string,
  known: MarketIdentity | null,
): RecordIdentity {
  const named = known?.outcomes.find((one) => one.id === outcome) ?? null;
  const eventId = known?.eventId ?? null;
  const seriesId = known?.seriesId ?? null;
  const common: RecordIdentity = {
    venue,
    market_id: market,
    event_id: eventId,
    series_id: seriesId,
    // Venue C's market id is the condition id, whether or not the catalogue knows the market.
    condition_id: known?.conditionId ?? (venue === 'venuec' ? market : null),
    outcome_label: named?.label ?? null,
    outcome_index: named?.index ?? null,
    token_id: named?.tokenId ?? (venue === 'venuec' ? outcome : null),
  };
  if (venue === 'venuea') return { ...common, topic_id: eventId };
  if (venue === 'venueb')
    return { ...common, market_ticker: market, event_ticker: eventId, series_ticker: seriesId };
  return common;
}

export function observation(
  event: BookObserved,
  position: Position,
  shape: LadderShape = 'arrays',
): Observation {
  const bid = event.bidPrices[0];
  const ask = event.askPrices[0];
  const both = bid !== undefined && ask !== undefined;
  const shown = event.venue === 'venueb' ? VENUE_B_LEVELS : Infinity;
  const bids = event.bidPrices.length;
  const asks = event.askPrices.length;
  return {
    outcome_id: event.outcome,
    timestamp: toIso(event.observedAt),
    source_timestamp: isoOrNull(event.sourceTs),
    received_timestamp: toIso(event.observedAt),
    provenance: event.provenance,
    kind: event.kind,
    book_state: event.state,
    best_bid: bid === undefined ? null : toNumber(bid),
    best_ask: ask === undefined ? null : toNumber(ask),
    mid: both ? (bid + ask) / (2 * MICRO) : null,
    spread: both ? toNumber(ask - bid) : null,
    levels: event.venue === 'venueb' ? { bids, asks, yes: bids, no: asks } : { bids, asks },
    truncated: bids > shown || asks > shown,
    checks: event.flags,
    position: formatPosition(position),
    ...(shape === null ? {} : { orderbook: ladders(event, shape, shown) }),
    native: {
      ids: event.nativeIds,
      bid_side: event.nativeBid,
      ask_side: event.nativeAsk,
      ask_is_complement: event.askComplement,
      price_format: event.priceFormat,
      size_format: event.sizeFormat,
      exceptions: event.exceptions.filter((one) => one.level < shown),
      hash: event.hash,
      sequence: event.sequence,
      session: event.session,
      ordinal: event.ordinal,
      entry: event.entry,
    },
  };
}

const isoOrNull = (at: Micros | null): string | null => (at === null ? null : toIso(at));

function ladders(
  event: BookObserved,
  shape: 'arrays' | 'levels',
  shown: number,
): ArrayLadders | LevelLadders {
  const bidPrices = head(event.bidPrices, shown);
  const askPrices = head(event.askPrices, shown);
  const arrays: ArrayLadders = {
    bid_prices: bidPrices.map(toNumber),
    bid_sizes: head(event.bidSizes, shown).map(toNumber),
    ask_prices: askPrices.map(toNumber),
    ask_sizes: head(event.askSizes, shown).map(toNumber),
  };
  const isB = event.venue === 'venueb';
  // A NO bid at p is our YES ask at 1 − p; the complement is taken on the integers, so it is exact.
  const noPrices = isB ? askPrices.map((price) => toNumber(MICRO - price)) : [];
  if (shape === 'arrays')
    return isB
      ? {
          ...arrays,
          yes_prices: arrays.bid_prices,
          yes_sizes: arrays.bid_sizes,
          no_prices: noPrices,
          no_sizes: arrays.ask_sizes,
        }
      : arrays;
  const bids = zip(arrays.bid_prices, arrays.bid_sizes);
  const asks = zip(arrays.ask_prices, arrays.ask_sizes);
  return isB ? { bids, asks, yes: bids, no: zip(noPrices, arrays.ask_sizes) } : { bids, asks };
}

const head = <T>(list: readonly T[], count: number): readonly T[] =>
  list.length > count ? list.slice(0, count) : list;

const zip = (prices: readonly number[], sizes: readonly number[]): Level[] =>
  prices.map((price, at) => ({ price, size: sizes[at] ?? 0 }));
