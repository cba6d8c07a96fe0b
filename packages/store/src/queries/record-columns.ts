// The SELECT list that makes the engine print one record of the API, byte for byte what toRecord (core/src/market/record.ts) gives for
// the same event: same names, same order, same numbers. A test compares the two.

import type { LadderShape, MarketIdentity, RecordStyle, Venue } from '@ladderlog/core';
import { adapterOf } from '@ladderlog/core';
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

const EVENT_ID = `{event_id:${NULLABLE_TEXT}}`;
const SERIES_ID = `{series_id:${NULLABLE_TEXT}}`;
const CONDITION_ID = `{condition_id:${NULLABLE_TEXT}}`;

export const tokenColumn = ({ outcomeIsToken }: RecordStyle): string =>
  `${outcomeIsToken ? `ifNull(${TOKEN}, b.outcome)` : TOKEN} AS token_id`;
export const conditionColumn = ({ marketIsCondition }: RecordStyle): string =>
  `${marketIsCondition ? `ifNull(${CONDITION_ID}, b.market)` : CONDITION_ID} AS condition_id`;

const IDS = { market: 'b.market', event: EVENT_ID, series: SERIES_ID } as const;
/** Ids under the venue's own names. */
export const ownIdColumns = ({ idNames }: RecordStyle): string[] =>
  idNames.map(({ name, id }) => `${IDS[id]} AS ${name}`);

const identityColumns = (style: RecordStyle): string[] => [
  'b.venue AS venue',
  'b.market AS market_id',
  `${EVENT_ID} AS event_id`,
  `${SERIES_ID} AS series_id`,
  conditionColumn(style),
  `${OUTCOME_LABEL} AS outcome_label`,
  `${OUTCOME_INDEX} AS outcome_index`,
  tokenColumn(style),
  ...ownIdColumns(style),
];

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

const EXCEPTIONS = 'arrayZip(b.exception_sides, b.exception_levels, b.exception_prices, b.exception_sizes)';

const nativeColumn = ({ levelsShown }: RecordStyle): string => {
  const native = [
    'b.native_ids',
    'b.native_bid',
    'b.native_ask',
    'b.ask_complement',
    'b.price_format',
    'b.size_format',
    levelsShown === null ? EXCEPTIONS : `arrayFilter(one -> one.2 < ${levelsShown}, ${EXCEPTIONS})`,
    "nullIf(b.hash, '')",
    'b.sequence',
    'b.session',
    'b.ordinal',
    'b.entry',
  ];
  return `CAST((${native.join(', ')}), 'Tuple(${NATIVE_TYPE})') AS native`;
};

/** Of table `b`, book_snapshots or latest_books. */
export function recordColumns(venue: Venue, shape: LadderShape): string {
  const { record: style } = adapterOf(venue);
  const { levelsShown: shown } = style;
  return [
    ...identityColumns(style),
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
    `${namedTuple(levelCounts(style), 'UInt32')} AS levels`,
    `${shown === null ? 'false' : `toBool(b.bid_levels > ${shown} OR b.ask_levels > ${shown})`} AS truncated`,
    'b.flags AS checks',
    `${positionColumn('b')} AS position`,
    ...(shape === null ? [] : [`${shape === 'arrays' ? arrays(style) : levels(style)} AS orderbook`]),
    nativeColumn(style),
  ].join(',\n  ');
}

type NamedColumn = readonly [string, string];

const levelCounts = ({ twoBidSides: sides }: RecordStyle): NamedColumn[] => [
  ['bids', 'b.bid_levels'],
  ['asks', 'b.ask_levels'],
  ...(sides
    ? ([
        [sides.bids, 'b.bid_levels'],
        [sides.asks, 'b.ask_levels'],
      ] as const)
    : []),
];

/** A column of a ladder, as many levels as are shown. */
const ladder = ({ levelsShown }: RecordStyle, column: string): string =>
  levelsShown === null ? `b.${column}` : `arraySlice(b.${column}, 1, ${levelsShown})`;

/** A bid for the second outcome at p is our ask at 1 − p: the complement of the integer, so exact. */
const complements = (style: RecordStyle): string =>
  `arrayMap(x -> (1000000 - x) / 1000000, ${ladder(style, 'ask_prices')})`;

function arrays(style: RecordStyle): string {
  const { twoBidSides: sides } = style;
  const shown = (column: string): string => decimals(ladder(style, column));
  const columns: NamedColumn[] = ['bid_prices', 'bid_sizes', 'ask_prices', 'ask_sizes'].map((name) => [
    name,
    shown(name),
  ]);
  if (sides)
    columns.push(
      [`${sides.bids}_prices`, shown('bid_prices')],
      [`${sides.bids}_sizes`, shown('bid_sizes')],
      [`${sides.asks}_prices`, complements(style)],
      [`${sides.asks}_sizes`, shown('ask_sizes')],
    );
  return namedTuple(columns, 'Array(Float64)');
}

function levels(style: RecordStyle): string {
  const { twoBidSides: sides } = style;
  const zip = (prices: string, side: 'bid' | 'ask'): string => {
    const sizes = decimals(ladder(style, `${side}_sizes`));
    return `arrayZip(${prices}, arrayResize(${sizes}, length(${ladder(style, `${side}_prices`)})))`;
  };
  const bids = zip(decimals(ladder(style, 'bid_prices')), 'bid');
  const columns: NamedColumn[] = [
    ['bids', bids],
    ['asks', zip(decimals(ladder(style, 'ask_prices')), 'ask')],
  ];
  if (sides) columns.push([sides.bids, bids], [sides.asks, zip(complements(style), 'ask')]);
  return namedTuple(columns, 'Array(Tuple(price Float64, size Float64))');
}

const namedTuple = (columns: readonly NamedColumn[], type: string): string =>
  `CAST((${columns.map(([, value]) => value).join(', ')}), 'Tuple(${columns.map(([name]) => `${name} ${type}`).join(', ')})')`;
