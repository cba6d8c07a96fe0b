// What an export holds, per dataset. Prices and sizes are doubles, the nearest to each recorded decimal (round(x * 1e6) gives the
// integer back); times are UTC with microseconds. `b` is the table.

import { MARKET_FIELDS, TABLES } from '@ladderlog/core';

export const EXPORT_DATASETS = ['books', 'samples', 'markets'] as const;
export type ExportDataset = (typeof EXPORT_DATASETS)[number];

export const EXPORT_FORMATS = ['parquet', 'csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Raised when a column changes its name or meaning. */
export const EXPORT_SCHEMA_VERSION = 1;

const POSITION = ['b.provenance', 'b.session', 'b.ordinal', 'b.topic', 'b.partition', 'b.offset'];
const plain = (names: readonly string[]): string[] => names.map((name) => `${name} AS ${name.slice(2)}`);
const money = (...names: readonly string[]): string[] =>
  names.map((name) => `b.${name} / 1000000 AS ${name}`);

const BOOKS = [
  ...plain(['b.venue', 'b.market', 'b.outcome', 'b.observed_at', 'b.source_ts', 'b.state', 'b.flags']),
  ...money('best_bid', 'best_ask', 'bid_prices', 'bid_sizes', 'ask_prices', 'ask_sizes'),
  ...plain([
    'b.kind',
    'b.native_bid',
    'b.native_ask',
    'b.ask_complement',
    'b.price_format',
    'b.size_format',
    'b.exception_sides',
    'b.exception_levels',
    'b.exception_prices',
    'b.exception_sizes',
    'b.hash',
    'b.sequence',
    'b.native_ids',
    'b.entry',
    ...POSITION,
  ]),
];

const SAMPLES = [
  ...plain(['b.venue', 'b.market', 'b.outcome', 'b.metric', 'b.observed_at', 'b.source_ts']),
  ...money('value', 'size'),
  ...plain(['b.text', 'b.exact', 'b.taker_side', 'b.entry', ...POSITION]),
];

const AMOUNTS = Object.values(MARKET_FIELDS)
  .filter(({ kind }) => kind === 'amount')
  .map(({ column }) => column);
const OTHERS = Object.keys(TABLES.market_history)
  .map((name) => `b.${name}`)
  .filter((name) => !POSITION.includes(name) && !AMOUNTS.some((amount) => name === `b.${amount}`));
/** The amounts stand together, before the number of participants: an order that exports of schema version 1 keep. */
const BEFORE_AMOUNTS = OTHERS.indexOf('b.participant_count');

const MARKETS = [
  ...plain(OTHERS.slice(0, BEFORE_AMOUNTS)),
  ...money(...AMOUNTS),
  ...plain(OTHERS.slice(BEFORE_AMOUNTS)),
  ...plain(POSITION),
];

export type ExportTable = {
  readonly table: string;
  readonly columns: readonly string[];
  /** The table's own order, so that a day is read without sorting: by market, then by time. */
  readonly order: readonly string[];
  /** What stands between market and time in that order. */
  readonly track: string | null;
};

export const EXPORT_TABLES: Readonly<Record<ExportDataset, ExportTable>> = {
  books: {
    table: 'book_snapshots',
    columns: BOOKS,
    order: ['venue', 'market', 'outcome', 'observed_at', 'offset'],
    track: 'outcome',
  },
  samples: {
    table: 'metric_samples',
    columns: SAMPLES,
    order: ['venue', 'market', 'metric', 'observed_at', 'offset', 'entry'],
    track: 'metric',
  },
  markets: {
    table: 'market_history',
    columns: MARKETS,
    order: ['venue', 'market', 'observed_at', 'offset'],
    track: null,
  },
};

export const GAP_EXPORT =
  'SELECT b.venue AS venue, b.market AS market, b.outcome AS outcome, b.dataset AS dataset, b.cause AS cause, b.scope AS scope, b.from_at AS from_at, b.to_at AS to_at, b.last_before_at AS last_before_at, b.first_after_at AS first_after_at, b.detail AS detail, b.gap_id AS gap_id, b.provenance AS provenance';
