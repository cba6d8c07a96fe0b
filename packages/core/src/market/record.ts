// A book observation as the REST API and the live feed show it. Two halves: `observation` says what was recorded (the store's
// engine prints the same text straight from the table; a test in packages/api holds the two together), `identity` says whose
// book it is, from the catalogue. Integers of 1e-6 become JSON numbers by one correctly rounded division, so the number
// printed is the decimal that was recorded.

import { MICRO, complement, toNumber } from '../kernel/decimal.ts';
import type { BookObserved, MarketObserved } from '../events/events.ts';
import { isoOrNull, toIso } from '../kernel/time.ts';
import type { Position } from '../events/topics.ts';
import { formatPosition } from '../events/topics.ts';
import { adapterOf } from '../venues/registry.ts';
import type { RecordStyle } from './record-style.ts';
import { ownIds } from './record-style.ts';

/** How ladders are shown: four arrays, lists of {price, size}, or not at all. */
export type LadderShape = 'arrays' | 'levels' | null;

/** Beside these, `<side>_prices` and `<side>_sizes` of a venue with two bid sides. */
export type ArrayLadders = Record<'bid_prices' | 'bid_sizes' | 'ask_prices' | 'ask_sizes', number[]>;

type Level = { price: number; size: number };
export type LevelLadders = Record<'bids' | 'asks', Level[]>;

/** Beside these fields, the venue's own names of the ids (RecordStyle.idNames). */
export type BookRecord = ReturnType<typeof toRecord>;

/** What `identity` needs of a market; a MarketObserved has it, and so has a row of the catalogue. */
export type MarketIdentity = Pick<MarketObserved, 'eventId' | 'seriesId' | 'conditionId' | 'outcomes'>;

export function toRecord(
  event: BookObserved,
  position: Position,
  market: MarketIdentity | null = null,
  shape: LadderShape = 'arrays',
) {
  const { record: style } = adapterOf(event.venue);
  return { ...identity(style, event, market), ...observation(style, event, position, shape) };
}

function identity(
  style: RecordStyle,
  { venue, market, outcome }: BookObserved,
  known: MarketIdentity | null,
) {
  const named = known?.outcomes.find((one) => one.id === outcome) ?? null;
  const event = known?.eventId ?? null;
  const series = known?.seriesId ?? null;
  return {
    venue,
    market_id: market,
    event_id: event,
    series_id: series,
    condition_id: known?.conditionId ?? (style.marketIsCondition ? market : null),
    outcome_label: named?.label ?? null,
    outcome_index: named?.index ?? null,
    token_id: named?.tokenId ?? (style.outcomeIsToken ? outcome : null),
    ...ownIds(style, { market, event, series }),
  };
}

function observation(style: RecordStyle, event: BookObserved, position: Position, shape: LadderShape) {
  const bid = event.bidPrices[0];
  const ask = event.askPrices[0];
  const both = bid !== undefined && ask !== undefined;
  const shown = style.levelsShown ?? Infinity;
  const sides = style.twoBidSides;
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
    levels: sides ? { bids, asks, [sides.bids]: bids, [sides.asks]: asks } : { bids, asks },
    truncated: bids > shown || asks > shown,
    checks: event.flags,
    position: formatPosition(position),
    ...(shape === null ? {} : { orderbook: ladders(style, event, shape) }),
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

function ladders(
  { levelsShown, twoBidSides: sides }: RecordStyle,
  event: BookObserved,
  shape: 'arrays' | 'levels',
): ArrayLadders | LevelLadders {
  const shown = levelsShown ?? Infinity;
  const askPrices = head(event.askPrices, shown);
  const bid_prices = head(event.bidPrices, shown).map(toNumber);
  const bid_sizes = head(event.bidSizes, shown).map(toNumber);
  const ask_prices = askPrices.map(toNumber);
  const ask_sizes = head(event.askSizes, shown).map(toNumber);
  // The complement is taken on the integers, so it is exact.
  const complements = sides ? askPrices.map((price) => toNumber(complement(price))) : [];
  if (shape === 'levels') {
    const bids = zip(bid_prices, bid_sizes);
    const asks = zip(ask_prices, ask_sizes);
    return sides
      ? { bids, asks, [sides.bids]: bids, [sides.asks]: zip(complements, ask_sizes) }
      : { bids, asks };
  }
  const arrays: ArrayLadders = { bid_prices, bid_sizes, ask_prices, ask_sizes };
  if (!sides) return arrays;
  return {
    ...arrays,
    [`${sides.bids}_prices`]: bid_prices,
    [`${sides.bids}_sizes`]: bid_sizes,
    [`${sides.asks}_prices`]: complements,
    [`${sides.asks}_sizes`]: ask_sizes,
  };
}

const head = <T>(list: readonly T[], count: number): readonly T[] =>
  list.length > count ? list.slice(0, count) : list;

const zip = (prices: readonly number[], sizes: readonly number[]): Level[] =>
  prices.map((price, at) => ({ price, size: sizes[at] ?? 0 }));
