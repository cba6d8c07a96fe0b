// The SELECT list that makes the engine print one record of the API, byte for byte what toRecord (core/src/market/record.ts) gives for
// the same event: same names, same order, same numbers. A test compares the two.

import type { LadderShape, MarketIdentity, Venue } from '@ladderlog/core';
import { VENUE_B_LEVELS } from '@ladderlog/core';
import type { QueryParams } from '../store.ts';

/** As toIso in core: milliseconds, and microseconds where the instant has them. */
export const isoColumn = (column: string): string =>
  `replaceOne(formatDateTime(${column}, '%Y-%m-%dT%H:%i:%S.%fZ'), '000Z', 'Z')`;

/**
 * Integers of 1e-6 as the nearest doubles; ClickHouse prints the shortest text that gives each back, as JavaScript does. An
 * array divides by a number as it is: a lambda would cost more to plan than a page costs to read.
 */
const decimals = (column: string): string => `${column} / 1000000`;

export const positionColumn = (alias: string): string =>
  `concat(${alias}.topic, '/', toString(${alias}.partition), '/', toString(${alias}.offset))`;

/** Bound by identityColumns; the catalogue knows them, the books do not. */
export function identityParams(market: MarketIdentity | null): QueryParams {
  const outcomes = market?.outcomes ?? [];
  return {
    event_id: market?.eventId ?? null,
    series_id: market?.seriesId ?? null,
    condition_id: market?.conditionId ?? null,
    outcome_ids: outcomes.map(({ id }) => id),
    outcome_labels: outcomes.map(({ label }) => label),
    outcome_indexes: outcomes.map(({ index }) => index),
    outcome_tokens: outcomes.map(({ tokenId }) => tokenId ?? ''),
  };
}

/** The value beside the row's outcome in a bound array; null for an outcome the catalogue does not know. */
const ofOutcome = (name: string, type: string): string =>
  `transform(b.outcome, {outcome_ids:Array(String)}, {${name}:Array(${type})}, NULL)`;
export const OUTCOME_LABEL = ofOutcome('outcome_labels', 'String');
const OUTCOME_INDEX = ofOutcome('outcome_indexes', 'UInt16');
const TOKEN = `nullIf(${ofOutcome('outcome_tokens', 'String')}, '')`;
const NULLABLE_TEXT = 'Nullable(String)';

/** Venue C's market id is its condition id and its outcome id its token, whether or not the catalogue knows the market. */
export const tokenColumn = (venue: Venue): string =>
  venue === 'venuec' ? `ifNull(${TOKEN}, b.outcome)` : TOKEN;
export const conditionColumn = (venue: Venue): string =>
  venue === 'venuec'
    ? `ifNull({condition_id:${NULLABLE_TEXT}}, b.market)`
    : `{condition_id:${NULLABLE_TEXT}}`;

function identityColumns(venue: Venue): string[] {
  const eventId = `{event_id:${NULLABLE_TEXT}}`;
  const seriesId = `{series_id:${NULLABLE_TEXT}}`;
  const common = [
    'b.venue AS venue',
    'b.market AS market_id',
    `${eventId} AS event_id`,
    `${seriesId} AS series_id`,
    `${conditionColumn(venue)} AS condition_id`,
    `${OUTCOME_LABEL} AS outcome_label`,
    `${OUTCOME_INDEX} AS outcome_index`,
    `${tokenColumn(venue)} AS token_id`,
  ];
  if (venue === 'venuea') return [...common, `${eventId} AS topic_id`];
  if (venue === 'venueb')
    return [
      ...common,
      'b.market AS market_ticker',
      `${eventId} AS event_ticker`,
      `${seriesId} AS series_ticker`,
    ];
  return common;
}

const NATIVE_TYPE = [
  'ids Map(String, String)',
  'bid_side String',
  'ask_side String',
  'ask_is_complement Bool',
  'price_format String',
  'size_format String',
  'exceptions Array(Tuple(side String, level UInt32, price String, size String))',
  'hash Nullable(String)',
  'sequence Nullable(Int64)',
  'session String',
  'ordinal UInt64',
  'entry UInt16',
].join(', ');

/** Of table `b`, book_snapshots or latest_books. */
export function recordColumns(venue: Venue, shape: LadderShape): string {
  const isB = venue === 'venueb';
  const shown = (column: string): string => (isB ? `arraySlice(${column}, 1, ${VENUE_B_LEVELS})` : column);
  const exceptions = 'arrayZip(b.exception_sides, b.exception_levels, b.exception_prices, b.exception_sizes)';
  const native = [
    'b.native_ids',
    'b.native_bid',
    'b.native_ask',
    'b.ask_complement',
    'b.price_format',
    'b.size_format',
    isB ? `arrayFilter(one -> one.2 < ${VENUE_B_LEVELS}, ${exceptions})` : exceptions,
    "nullIf(b.hash, '')",
    'b.sequence',
    'b.session',
    'b.ordinal',
    'b.entry',
  ];
  return [
    ...identityColumns(venue),
    'b.outcome AS outcome_id',
    `${isoColumn('b.observed_at')} AS timestamp`,
    `${isoColumn('b.source_ts')} AS source_timestamp`,
    `${isoColumn('b.observed_at')} AS received_timestamp`,
    'b.provenance AS provenance',
    'b.kind AS kind',
    'b.state AS book_state',
    'b.best_bid / 1000000 AS best_bid',
    'b.best_ask / 1000000 AS best_ask',
    '(b.best_bid + b.best_ask) / 2000000 AS mid',
    '(b.best_ask - b.best_bid) / 1000000 AS spread',
    isB
      ? "CAST((b.bid_levels, b.ask_levels, b.bid_levels, b.ask_levels), 'Tuple(bids UInt32, asks UInt32, yes UInt32, no UInt32)') AS levels"
      : "CAST((b.bid_levels, b.ask_levels), 'Tuple(bids UInt32, asks UInt32)') AS levels",
    isB
      ? `toBool(b.bid_levels > ${VENUE_B_LEVELS} OR b.ask_levels > ${VENUE_B_LEVELS}) AS truncated`
      : 'false AS truncated',
    'b.flags AS checks',
    `${positionColumn('b')} AS position`,
    ...(shape === null
      ? []
      : [`${shape === 'arrays' ? arrays(isB, shown) : levels(isB, shown)} AS orderbook`]),
    `CAST((${native.join(', ')}), 'Tuple(${NATIVE_TYPE})') AS native`,
  ].join(',\n  ');
}

type Shown = (column: string) => string;

/** A NO bid at p is our YES ask at 1 − p: the complement of the integer, so exact. */
const noPrices = (shown: Shown): string => `arrayMap(x -> (1000000 - x) / 1000000, ${shown('b.ask_prices')})`;

function arrays(isB: boolean, shown: Shown): string {
  const columns: [string, string][] = ['bid_prices', 'bid_sizes', 'ask_prices', 'ask_sizes'].map((name) => [
    name,
    decimals(shown(`b.${name}`)),
  ]);
  if (isB)
    columns.push(
      ['yes_prices', decimals(shown('b.bid_prices'))],
      ['yes_sizes', decimals(shown('b.bid_sizes'))],
      ['no_prices', noPrices(shown)],
      ['no_sizes', decimals(shown('b.ask_sizes'))],
    );
  return namedTuple(columns, 'Array(Float64)');
}

function levels(isB: boolean, shown: Shown): string {
  const zip = (prices: string, side: 'bid' | 'ask'): string =>
    `arrayZip(${prices}, arrayResize(${decimals(shown(`b.${side}_sizes`))}, length(${shown(`b.${side}_prices`)})))`;
  const bids = zip(decimals(shown('b.bid_prices')), 'bid');
  const columns: [string, string][] = [
    ['bids', bids],
    ['asks', zip(decimals(shown('b.ask_prices')), 'ask')],
  ];
  if (isB) columns.push(['yes', bids], ['no', zip(noPrices(shown), 'ask')]);
  return namedTuple(columns, 'Array(Tuple(price Float64, size Float64))');
}

const namedTuple = (columns: readonly (readonly [string, string])[], type: string): string =>
  `CAST((${columns.map(([, value]) => value).join(', ')}), 'Tuple(${columns.map(([name]) => `${name} ${type}`).join(', ')})')`;
