-- Tables are exactly the log: every row is a pure function of one event and its position. `generation` says which build of
-- the tables a row belongs to; current_generation names the one that is served, so a rebuild is switched by one row.
-- Placeholders ({…}) are filled by configuration: {db} database, {cluster} ON CLUSTER clause or nothing, and the engines.

CREATE DATABASE IF NOT EXISTS {db} {cluster};

CREATE TABLE IF NOT EXISTS {db}.book_snapshots{local} {cluster} (
  generation UInt32 COMMENT 'Build of the tables; see current_generation',
  version UInt16 COMMENT 'Version of the projection that made the row',
  topic LowCardinality(String) COMMENT 'Log position: topic',
  partition UInt16 COMMENT 'Log position: partition',
  offset UInt64 COMMENT 'Log position: offset',
  venue LowCardinality(String),
  market String COMMENT 'Native market id: marketId (A), ticker (B), conditionId (C)',
  outcome String COMMENT 'Outcome index (A), yes (B), token id (C)',
  observed_at DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(3)) COMMENT 'Our clock, stamped before parsing',
  source_ts Nullable(DateTime64(6, 'UTC')) CODEC(ZSTD(3)) COMMENT 'The venue''s claim; null when it makes none',
  session String CODEC(ZSTD(3)) COMMENT 'Connection, poll run or import',
  ordinal UInt64 CODEC(DoubleDelta, ZSTD(3)) COMMENT 'Frame within the session',
  entry UInt16 COMMENT 'Observation within the frame',
  provenance LowCardinality(String) COMMENT 'captured, imported',
  kind LowCardinality(String) COMMENT 'snapshot or delta',
  state LowCardinality(String) COMMENT 'two_sided, bid_only, ask_only, empty, crossed',
  flags Array(LowCardinality(String)) COMMENT 'Row checks that failed',
  best_bid Nullable(Int64) COMMENT '1e-6; null when there is no bid',
  best_ask Nullable(Int64) COMMENT '1e-6; null when there is no ask',
  bid_levels UInt16,
  ask_levels UInt16,
  bid_prices Array(Int64) CODEC(ZSTD(3)) COMMENT '1e-6, highest first',
  bid_sizes Array(Int64) CODEC(ZSTD(3)) COMMENT '1e-6, aligned with bid_prices',
  ask_prices Array(Int64) CODEC(ZSTD(3)) COMMENT '1e-6, lowest first',
  ask_sizes Array(Int64) CODEC(ZSTD(3)) COMMENT '1e-6, aligned with ask_prices',
  native_bid LowCardinality(String) COMMENT 'The venue''s name of our bids',
  native_ask LowCardinality(String) COMMENT 'The venue''s name of our asks',
  ask_complement Bool COMMENT 'Ask price = 1 - native price',
  price_format LowCardinality(String) COMMENT 'How the venue wrote prices; see docs/normalization.md',
  size_format LowCardinality(String) COMMENT 'How the venue wrote sizes',
  exception_sides Array(LowCardinality(String)) CODEC(ZSTD(3)) COMMENT 'Levels whose text the formats do not give: side',
  exception_levels Array(UInt16) CODEC(ZSTD(3)) COMMENT '… index from the best',
  exception_prices Array(String) CODEC(ZSTD(3)) COMMENT '… native price text',
  exception_sizes Array(String) CODEC(ZSTD(3)) COMMENT '… native size text',
  hash String CODEC(ZSTD(3)) COMMENT 'The venue''s own hash, or empty',
  sequence Nullable(Int64) CODEC(ZSTD(3)) COMMENT 'The venue''s sequence number',
  native_ids Map(LowCardinality(String), String) CODEC(ZSTD(3)) COMMENT 'Native ids the frame states'
) ENGINE = {MergeTree:book_snapshots}
PARTITION BY (generation, toYYYYMM(observed_at))
ORDER BY (venue, market, outcome, observed_at, offset)
SETTINGS index_granularity = 1024, non_replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS {db}.latest_books{local} {cluster} AS {db}.book_snapshots{local}
ENGINE = {ReplacingMergeTree:latest_books:rank}
PARTITION BY generation
ORDER BY (venue, market, outcome)
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 10000;
