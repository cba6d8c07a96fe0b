// What an export holds, per dataset. Prices and sizes are doubles, the nearest to each recorded decimal (round(x * 1e6) gives the
// integer back); times are UTC with microseconds. `b` is the table.

import { MARKET_FIELDS, TABLES } from '@ladderlog/core';

export const EXPORT_DATASETS = ['books', 'samples', 'markets'] as const;
export type ExportDataset = (typeof EXPORT_DATASETS)[number];

export const EXPORT_FORMATS = ['parquet', 'csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Raised when a column changes its name or meaning. */
export const EXPORT_SCHEMA_VERSION = 1;

const AMOUNTS: readonly string[] = Object.values(MARKET_FIELDS)
  .filter(({ kind }) => kind === 'amount')
  .map(({ column }) => column);

/** Stored as millionths. */
const SCALED: ReadonlySet<string> = new Set([
  ...wordsOf('best_bid best_ask bid_prices bid_sizes ask_prices ask_sizes value size'),
  ...AMOUNTS,
]);

const columns = (names: string | readonly string[]): string =>
  (typeof names === 'string' ? wordsOf(names) : names)
    .map((name) => `b.${name}${SCALED.has(name) ? ' / 1000000' : ''} AS ${name}`)
    .join(', ');

function wordsOf(text: string): string[] {
  return text.trim().split(/\s+/);
}

const POSITION = wordsOf('provenance session ordinal topic partition offset');
const MARKET = Object.keys(TABLES.market_history).filter(
  (name) => !POSITION.includes(name) && !AMOUNTS.includes(name),
);
/** The amounts stand together, before the number of participants: an order that exports of schema version 1 keep. */
const BEFORE_AMOUNTS = MARKET.indexOf('participant_count');

export type ExportTable = {
  readonly table: string;
  readonly columns: string;
  /** The table's own order, so that a day is read without sorting: by market, then by time. */
  readonly order: readonly string[];
  /** What stands between market and time in that order. */
  readonly track: string | null;
};

export const EXPORT_TABLES: Readonly<Record<ExportDataset, ExportTable>> = {
  books: {
    table: 'book_snapshots',
    columns: columns(`venue market outcome observed_at source_ts state flags
      best_bid best_ask bid_prices bid_sizes ask_prices ask_sizes
      kind native_bid native_ask ask_complement price_format size_format
      exception_sides exception_levels exception_prices exception_sizes hash sequence native_ids entry
      provenance session ordinal topic partition offset`),
    order: ['venue', 'market', 'outcome', 'observed_at', 'offset'],
    track: 'outcome',
  },
  samples: {
    table: 'metric_samples',
    columns: columns(`venue market outcome metric observed_at source_ts
      value size text exact taker_side entry
      provenance session ordinal topic partition offset`),
    order: ['venue', 'market', 'metric', 'observed_at', 'offset', 'entry'],
    track: 'metric',
  },
  markets: {
    table: 'market_history',
    columns: columns([
      ...MARKET.slice(0, BEFORE_AMOUNTS),
      ...AMOUNTS,
      ...MARKET.slice(BEFORE_AMOUNTS),
      ...POSITION,
    ]),
    order: ['venue', 'market', 'observed_at', 'offset'],
    track: null,
  },
};

export const GAP_COLUMNS = columns(`venue market outcome dataset cause scope
  from_at to_at last_before_at first_after_at detail gap_id provenance`);
