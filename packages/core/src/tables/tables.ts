// The columns of every table the projector writes, in the order of the migrations; a test holds the two together. Types are
// ClickHouse's as they travel in RowBinary: LowCardinality and SimpleAggregateFunction are storage and not named here.

import type { MarketFieldKind, MarketFieldName } from '../events/market-fields.ts';
import { MARKET_FIELDS } from '../events/market-fields.ts';

export type ColumnType =
  | 'Bool'
  | 'UInt16'
  | 'UInt32'
  | 'UInt64'
  | 'Int64'
  | 'String'
  | 'DateTime64(6)'
  | 'Nullable(UInt64)'
  | 'Nullable(Int64)'
  | 'Nullable(String)'
  | 'Nullable(DateTime64(6))'
  | 'Array(UInt16)'
  | 'Array(UInt32)'
  | 'Array(Int64)'
  | 'Array(String)'
  | 'Map(String, String)';

export type Columns = Readonly<Record<string, ColumnType>>;

/** What a column takes: integers as safe JS integers, times as microseconds. Bytes may stand for a String. */
export type ColumnValue<T extends ColumnType> = T extends 'Bool'
  ? boolean
  : T extends 'String'
    ? string | Uint8Array
    : T extends `Nullable(${infer U extends ColumnType})`
      ? ColumnValue<U> | null
      : T extends `Array(${infer U extends ColumnType})`
        ? readonly ColumnValue<U>[]
        : T extends 'Map(String, String)'
          ? Readonly<Record<string, string>>
          : number;

/** In every row: the projection's version and the event it came from. */
export const POSITION_COLUMNS = {
  version: 'UInt16',
  topic: 'String',
  partition: 'UInt16',
  offset: 'UInt64',
} as const satisfies Columns;

/** When it was observed, by our clock and by theirs, and in which frame. */
const OBSERVED_COLUMNS = {
  observed_at: 'DateTime64(6)',
  source_ts: 'Nullable(DateTime64(6))',
  session: 'String',
  ordinal: 'UInt64',
} as const satisfies Columns;

const BOOK_COLUMNS = {
  venue: 'String',
  market: 'String',
  outcome: 'String',
  ...OBSERVED_COLUMNS,
  entry: 'UInt16',
  provenance: 'String',
  kind: 'String',
  state: 'String',
  flags: 'Array(String)',
  best_bid: 'Nullable(Int64)',
  best_ask: 'Nullable(Int64)',
  bid_levels: 'UInt32',
  ask_levels: 'UInt32',
  bid_prices: 'Array(Int64)',
  bid_sizes: 'Array(Int64)',
  ask_prices: 'Array(Int64)',
  ask_sizes: 'Array(Int64)',
  native_bid: 'String',
  native_ask: 'String',
  ask_complement: 'Bool',
  price_format: 'String',
  size_format: 'String',
  exception_sides: 'Array(String)',
  exception_levels: 'Array(UInt32)',
  exception_prices: 'Array(String)',
  exception_sizes: 'Array(String)',
  hash: 'String',
  sequence: 'Nullable(Int64)',
  native_ids: 'Map(String, String)',
} as const satisfies Columns;

/** Lists beside each other, one value an outcome. */
const OUTCOME_COLUMNS = {
  outcome_ids: 'Array(String)',
  outcome_labels: 'Array(String)',
  outcome_indexes: 'Array(UInt16)',
  /** Empty where the venue gives no token. */
  outcome_tokens: 'Array(String)',
  /** yes, no, or empty while unknown. */
  outcome_winners: 'Array(String)',
} as const satisfies Columns;

const COLUMN_OF_KIND = {
  text: 'Nullable(String)',
  time: 'Nullable(DateTime64(6))',
  amount: 'Nullable(Int64)',
  number: 'Nullable(Int64)',
  count: 'Nullable(UInt64)',
  status: 'String',
  flag: 'Bool',
  json: 'String',
} as const satisfies Record<Exclude<MarketFieldKind, 'outcomes'>, ColumnType>;

type Fields = typeof MARKET_FIELDS;
type FieldColumns = {
  [
    N in Exclude<MarketFieldName, 'outcomes'> as Fields[N]['column']
  ]: (typeof COLUMN_OF_KIND)[Fields[N]['kind']];
};

const MARKET_FIELD_COLUMNS = Object.fromEntries(
  Object.values(MARKET_FIELDS).flatMap(({ kind, column }): [string, ColumnType][] =>
    kind === 'outcomes' ? Object.entries(OUTCOME_COLUMNS) : [[column, COLUMN_OF_KIND[kind]]],
  ),
) as Readonly<FieldColumns> & typeof OUTCOME_COLUMNS;

const MARKET_COLUMNS = {
  venue: 'String',
  market: 'String',
  ...OBSERVED_COLUMNS,
  provenance: 'String',
  ...MARKET_FIELD_COLUMNS,
} as const satisfies Columns;

/** Columns of each table after `generation` (which build of the tables; the encoder adds it) and POSITION_COLUMNS. */
export const TABLES = {
  book_snapshots: BOOK_COLUMNS,
  latest_books: BOOK_COLUMNS,
  metric_samples: {
    venue: 'String',
    market: 'String',
    outcome: 'String',
    ...OBSERVED_COLUMNS,
    entry: 'UInt16',
    provenance: 'String',
    metric: 'String',
    value: 'Int64',
    text: 'String',
    exact: 'Bool',
    size: 'Nullable(Int64)',
    taker_side: 'Nullable(String)',
  },
  markets: MARKET_COLUMNS,
  market_history: MARKET_COLUMNS,
  coverage: {
    venue: 'String',
    market: 'String',
    outcome: 'String',
    dataset: 'String',
    session: 'String',
    kind: 'String',
    provenance: 'String',
    collector: 'String',
    reason: 'String',
    at: 'DateTime64(6)',
    since: 'DateTime64(6)',
  },
  gaps: {
    venue: 'String',
    market: 'String',
    gap_id: 'String',
    outcome: 'String',
    dataset: 'String',
    observed_at: 'DateTime64(6)',
    session: 'String',
    provenance: 'String',
    cause: 'String',
    scope: 'String',
    from_at: 'DateTime64(6)',
    to_at: 'Nullable(DateTime64(6))',
    last_before_session: 'Nullable(String)',
    last_before_ordinal: 'Nullable(UInt64)',
    last_before_at: 'Nullable(DateTime64(6))',
    first_after_session: 'Nullable(String)',
    first_after_ordinal: 'Nullable(UInt64)',
    first_after_at: 'Nullable(DateTime64(6))',
    detail: 'String',
  },
  rejects: {
    venue: 'String',
    market: 'String',
    ...OBSERVED_COLUMNS,
    provenance: 'String',
    origin: 'String',
    channel: 'String',
    reason: 'String',
    detail: 'String',
    body: 'String',
  },
  comparisons: {
    venue: 'String',
    market: 'String',
    outcome: 'String',
    ...OBSERVED_COLUMNS,
    provenance: 'String',
    method: 'String',
    equal: 'Bool',
    levels_ours: 'UInt32',
    levels_theirs: 'UInt32',
    levels_differing: 'UInt32',
    size_drift: 'Int64',
    detail: 'String',
  },
} as const satisfies Readonly<Record<string, Columns>>;

export type TableName = keyof typeof TABLES;

export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

type RowOf<C extends Columns> = { readonly [K in keyof C]: ColumnValue<C[K]> };

/** A row as a projection gives it: a pure function of the event and its position. */
export type TableRow<T extends TableName> = RowOf<typeof POSITION_COLUMNS> & RowOf<(typeof TABLES)[T]>;

/** A value as the store gives it back: text columns are text. */
type Stored<V> = V extends Uint8Array ? never : V extends readonly (infer U)[] ? readonly Stored<U>[] : V;

/** A row as it is read from the store, times in microseconds. */
export type StoredRow<T extends TableName> = { readonly [K in keyof TableRow<T>]: Stored<TableRow<T>[K]> };

/** Tables with one row an event, where count() = uniqExact(topic, partition, offset) must hold within a generation. */
export const EVENT_TABLES = [
  'book_snapshots',
  'metric_samples',
  'market_history',
  'rejects',
  'comparisons',
] as const satisfies readonly TableName[];
