-- Tables are exactly the log: every row is a pure function of one event and its position. `generation` says which build of
-- the tables a row belongs to; current_generation names the one that is served, so a rebuild is switched by one row.
-- Placeholders are filled by src/migrations.ts: {db}; {cluster} ON CLUSTER or nothing; {local} the suffix of a shard's own
-- table; {Engine column} the engine, replicated on a cluster; {dedup} the window in which a repeated token adds no rows (off by
-- default in ClickHouse: without it duplicates come back); {distributed table key} the table over all shards, or nothing.
-- fsync: the cursor that says a range is done survives a power failure, so the rows must too.
-- Every statement may run twice. Column lists equal TABLES in packages/core/src/tables.ts; a test holds them together.

CREATE DATABASE IF NOT EXISTS {db} {cluster};

CREATE TABLE IF NOT EXISTS {db}.book_snapshots{local} {cluster} (
  generation UInt32 COMMENT 'Build of the tables; see current_generation',
  version UInt16 COMMENT 'Version of the projection that made the row',
  topic LowCardinality(String) COMMENT 'Log position: topic',
  partition UInt16 COMMENT 'Log position: partition',
  offset UInt64 COMMENT 'Log position: offset' CODEC(DoubleDelta, ZSTD(3)),
  venue LowCardinality(String) COMMENT 'venuea, venueb, venuec',
  market String COMMENT 'Native market id: marketId (A), ticker (B), conditionId (C)',
  outcome String COMMENT 'Outcome index (A), yes (B), token id (C)',
  observed_at DateTime64(6, 'UTC') COMMENT 'Our clock, stamped before parsing' CODEC(Delta, ZSTD(3)),
  source_ts Nullable(DateTime64(6, 'UTC')) COMMENT 'The venue''s claim; null when it makes none',
  session String COMMENT 'Connection, poll run or import',
  ordinal UInt64 COMMENT 'Frame within the session, from 0' CODEC(DoubleDelta, ZSTD(3)),
  entry UInt16 COMMENT 'Observation within the frame, from 0',
  provenance LowCardinality(String) COMMENT 'captured, or imported from another recording',
  kind LowCardinality(String) COMMENT 'snapshot: the venue sent the whole book; delta: built from its changes',
  state LowCardinality(String) COMMENT 'two_sided, bid_only, ask_only, empty, crossed',
  flags Array(LowCardinality(String)) COMMENT 'Row checks that failed',
  best_bid Nullable(Int64) COMMENT '1e-6; null when there is no bid',
  best_ask Nullable(Int64) COMMENT '1e-6; null when there is no ask',
  bid_levels UInt16 COMMENT 'Number of bids',
  ask_levels UInt16 COMMENT 'Number of asks',
  bid_prices Array(Int64) COMMENT '1e-6, highest first',
  bid_sizes Array(Int64) COMMENT '1e-6, aligned with bid_prices',
  ask_prices Array(Int64) COMMENT '1e-6, lowest first',
  ask_sizes Array(Int64) COMMENT '1e-6, aligned with ask_prices',
  native_bid LowCardinality(String) COMMENT 'The venue''s name of our bids',
  native_ask LowCardinality(String) COMMENT 'The venue''s name of our asks',
  ask_complement Bool COMMENT 'True: ask price = 1 - native price',
  price_format LowCardinality(String) COMMENT 'How the venue wrote prices: min, or a number of decimals',
  size_format LowCardinality(String) COMMENT 'How the venue wrote sizes',
  exception_sides Array(LowCardinality(String)) COMMENT 'Levels whose text the formats do not give: bid or ask',
  exception_levels Array(UInt16) COMMENT 'Levels whose text the formats do not give: index from the best, 0',
  exception_prices Array(String) COMMENT 'Levels whose text the formats do not give: native price text',
  exception_sizes Array(String) COMMENT 'Levels whose text the formats do not give: native size text',
  hash String COMMENT 'The venue''s own hash of the book, or empty',
  sequence Nullable(Int64) COMMENT 'The venue''s sequence number' CODEC(Delta, ZSTD(3)),
  native_ids Map(LowCardinality(String), String) COMMENT 'Native ids the frame itself states'
) ENGINE = {MergeTree}
PARTITION BY (generation, toYYYYMM(observed_at))
ORDER BY (venue, market, outcome, observed_at, offset)
SETTINGS index_granularity = 1024, default_compression_codec = 'ZSTD(3)',
  fsync_after_insert = 1, fsync_part_directory = 1, {dedup}
COMMENT 'Every recorded book, full depth';

{distributed book_snapshots cityHash64(venue, market)};

CREATE TABLE IF NOT EXISTS {db}.latest_books{local} {cluster} (
  generation UInt32 COMMENT 'Build of the tables; see current_generation',
  version UInt16 COMMENT 'Version of the projection that made the row',
  topic LowCardinality(String) COMMENT 'Log position: topic',
  partition UInt16 COMMENT 'Log position: partition',
  offset UInt64 COMMENT 'Log position: offset' CODEC(DoubleDelta, ZSTD(3)),
  venue LowCardinality(String) COMMENT 'venuea, venueb, venuec',
  market String COMMENT 'Native market id: marketId (A), ticker (B), conditionId (C)',
  outcome String COMMENT 'Outcome index (A), yes (B), token id (C)',
  observed_at DateTime64(6, 'UTC') COMMENT 'Our clock, stamped before parsing' CODEC(Delta, ZSTD(3)),
  source_ts Nullable(DateTime64(6, 'UTC')) COMMENT 'The venue''s claim; null when it makes none',
  session String COMMENT 'Connection, poll run or import',
  ordinal UInt64 COMMENT 'Frame within the session, from 0' CODEC(DoubleDelta, ZSTD(3)),
  entry UInt16 COMMENT 'Observation within the frame, from 0',
  provenance LowCardinality(String) COMMENT 'captured, or imported from another recording',
  kind LowCardinality(String) COMMENT 'snapshot: the venue sent the whole book; delta: built from its changes',
  state LowCardinality(String) COMMENT 'two_sided, bid_only, ask_only, empty, crossed',
  flags Array(LowCardinality(String)) COMMENT 'Row checks that failed',
  best_bid Nullable(Int64) COMMENT '1e-6; null when there is no bid',
  best_ask Nullable(Int64) COMMENT '1e-6; null when there is no ask',
  bid_levels UInt16 COMMENT 'Number of bids',
  ask_levels UInt16 COMMENT 'Number of asks',
  bid_prices Array(Int64) COMMENT '1e-6, highest first',
  bid_sizes Array(Int64) COMMENT '1e-6, aligned with bid_prices',
  ask_prices Array(Int64) COMMENT '1e-6, lowest first',
  ask_sizes Array(Int64) COMMENT '1e-6, aligned with ask_prices',
  native_bid LowCardinality(String) COMMENT 'The venue''s name of our bids',
  native_ask LowCardinality(String) COMMENT 'The venue''s name of our asks',
  ask_complement Bool COMMENT 'True: ask price = 1 - native price',
  price_format LowCardinality(String) COMMENT 'How the venue wrote prices: min, or a number of decimals',
  size_format LowCardinality(String) COMMENT 'How the venue wrote sizes',
  exception_sides Array(LowCardinality(String)) COMMENT 'Levels whose text the formats do not give: bid or ask',
  exception_levels Array(UInt16) COMMENT 'Levels whose text the formats do not give: index from the best, 0',
  exception_prices Array(String) COMMENT 'Levels whose text the formats do not give: native price text',
  exception_sizes Array(String) COMMENT 'Levels whose text the formats do not give: native size text',
  hash String COMMENT 'The venue''s own hash of the book, or empty',
  sequence Nullable(Int64) COMMENT 'The venue''s sequence number' CODEC(Delta, ZSTD(3)),
  native_ids Map(LowCardinality(String), String) COMMENT 'Native ids the frame itself states',
  rank UInt128 DEFAULT bitShiftLeft(toUInt128(toUnixTimestamp64Micro(observed_at)), 64) + offset
    COMMENT 'Newest wins: by observation time, then by log offset'
) ENGINE = {ReplacingMergeTree rank}
PARTITION BY generation
ORDER BY (generation, venue, market, outcome)
SETTINGS index_granularity = 256, default_compression_codec = 'ZSTD(3)',
  fsync_after_insert = 1, fsync_part_directory = 1, {dedup}
COMMENT 'Newest book of each outcome; read with FINAL';

{distributed latest_books cityHash64(venue, market)};

CREATE TABLE IF NOT EXISTS {db}.metric_samples{local} {cluster} (
  generation UInt32 COMMENT 'Build of the tables; see current_generation',
  version UInt16 COMMENT 'Version of the projection that made the row',
  topic LowCardinality(String) COMMENT 'Log position: topic',
  partition UInt16 COMMENT 'Log position: partition',
  offset UInt64 COMMENT 'Log position: offset' CODEC(DoubleDelta, ZSTD(3)),
  venue LowCardinality(String) COMMENT 'venuea, venueb, venuec',
  market String COMMENT 'Native market id: marketId (A), ticker (B), conditionId (C)',
  outcome String COMMENT 'As in book_snapshots',
  observed_at DateTime64(6, 'UTC') COMMENT 'Our clock, stamped before parsing' CODEC(Delta, ZSTD(3)),
  source_ts Nullable(DateTime64(6, 'UTC')) COMMENT 'The venue''s claim; null when it makes none',
  session String COMMENT 'Connection, poll run or import',
  ordinal UInt64 COMMENT 'Frame within the session, from 0' CODEC(DoubleDelta, ZSTD(3)),
  entry UInt16 COMMENT 'Sample within the frame, from 0',
  provenance LowCardinality(String) COMMENT 'captured, or imported from another recording',
  metric LowCardinality(String) COMMENT 'chance, price or last_trade; never mixed',
  value Int64 COMMENT '1e-6',
  text String COMMENT 'The venue''s own text',
  exact Bool COMMENT 'False when the text had more than six decimals',
  size Nullable(Int64) COMMENT 'Traded size, 1e-6, for a last_trade that states it',
  taker_side LowCardinality(Nullable(String)) COMMENT 'Native taker side'
) ENGINE = {MergeTree}
PARTITION BY (generation, toYYYYMM(observed_at))
ORDER BY (venue, market, metric, observed_at, offset, entry)
SETTINGS index_granularity = 1024, default_compression_codec = 'ZSTD(3)',
  fsync_after_insert = 1, fsync_part_directory = 1, {dedup}
COMMENT 'Samples of displayed chance, displayed price and last trade: one row, one metric';

{distributed metric_samples cityHash64(venue, market)};

CREATE TABLE IF NOT EXISTS {db}.markets{local} {cluster} (
  generation UInt32 COMMENT 'Build of the tables; see current_generation',
  version UInt16 COMMENT 'Version of the projection that made the row',
  topic LowCardinality(String) COMMENT 'Log position: topic',
  partition UInt16 COMMENT 'Log position: partition',
  offset UInt64 COMMENT 'Log position: offset' CODEC(DoubleDelta, ZSTD(3)),
  venue LowCardinality(String) COMMENT 'venuea, venueb, venuec',
  market String COMMENT 'Native market id: marketId (A), ticker (B), conditionId (C)',
  observed_at DateTime64(6, 'UTC') COMMENT 'Our clock, stamped before parsing' CODEC(Delta, ZSTD(3)),
  source_ts Nullable(DateTime64(6, 'UTC')) COMMENT 'The venue''s claim; null when it makes none',
  session String COMMENT 'Connection, poll run or import',
  ordinal UInt64 COMMENT 'Frame within the session, from 0' CODEC(DoubleDelta, ZSTD(3)),
  provenance LowCardinality(String) COMMENT 'captured, imported, or backfilled from the venue later',
  slug Nullable(String) COMMENT 'Native slug',
  title Nullable(String) COMMENT 'Native title',
  question Nullable(String) COMMENT 'Native question',
  asset LowCardinality(Nullable(String)) COMMENT 'Underlying asset, upper case',
  window LowCardinality(Nullable(String)) COMMENT '5m, 15m, 1h, 4h, 1d',
  status LowCardinality(String) COMMENT 'unknown, upcoming, open, closed, resolved, voided',
  native_status LowCardinality(Nullable(String)) COMMENT 'The venue''s own status text',
  event_id Nullable(String) COMMENT 'Topic id (A), event ticker (B), event id (C)',
  series_id Nullable(String) COMMENT 'Series ticker (B), series slug (C)',
  condition_id Nullable(String) COMMENT 'Condition id (A, C)',
  outcome_ids Array(String) COMMENT 'Outcomes in native order: id as in book_snapshots.outcome',
  outcome_labels Array(String) COMMENT 'Outcomes in native order: label',
  outcome_indexes Array(UInt16) COMMENT 'Outcomes in native order: position at the venue',
  outcome_tokens Array(String) COMMENT 'Outcomes in native order: token id, or empty',
  outcome_winners Array(LowCardinality(String)) COMMENT 'Outcomes in native order: yes, no, or empty while unknown',
  opens_at Nullable(DateTime64(6, 'UTC')) COMMENT 'Start of the window the contract is about',
  closes_at Nullable(DateTime64(6, 'UTC')) COMMENT 'End of trading',
  listed_at Nullable(DateTime64(6, 'UTC')) COMMENT 'When the venue listed it',
  expected_resolution_at Nullable(DateTime64(6, 'UTC')) COMMENT 'When the venue expects to resolve',
  resolved_at Nullable(DateTime64(6, 'UTC')) COMMENT 'When it did',
  resolution Nullable(String) COMMENT 'The venue''s own resolution text',
  winning_outcome Nullable(String) COMMENT 'Label of the winner',
  settlement_value Nullable(Int64) COMMENT '1e-6 of the contract value paid to the first outcome',
  strike Nullable(String) COMMENT 'Strike as text',
  volume Nullable(Int64) COMMENT '1e-6',
  liquidity Nullable(Int64) COMMENT '1e-6',
  open_interest Nullable(Int64) COMMENT '1e-6',
  participant_count Nullable(UInt64) COMMENT 'Number of participants',
  chain LowCardinality(Nullable(String)) COMMENT 'Chain id',
  exchange_contract Nullable(String) COMMENT 'Exchange contract address',
  collateral LowCardinality(Nullable(String)) COMMENT 'Collateral',
  fee_bps Nullable(Int64) COMMENT 'Fee in basis points',
  tick_size Nullable(Int64) COMMENT 'Price step, 1e-6',
  min_size Nullable(Int64) COMMENT 'Smallest order, 1e-6',
  simulated Bool COMMENT 'True for markets of the simulated venues',
  native String COMMENT 'The venue''s own objects of this market as compact JSON',
  sort_at DateTime64(6, 'UTC') DEFAULT coalesce(opens_at, listed_at, closes_at, observed_at)
    COMMENT 'Order of listings: window start, else listing, else close, else first sight',
  rank UInt128 DEFAULT bitShiftLeft(toUInt128(toUnixTimestamp64Micro(observed_at)), 64) + offset
    COMMENT 'Newest wins: by observation time, then by log offset'
) ENGINE = {ReplacingMergeTree rank}
PARTITION BY generation
ORDER BY (generation, venue, market)
SETTINGS index_granularity = 256, default_compression_codec = 'ZSTD(3)',
  fsync_after_insert = 1, fsync_part_directory = 1, {dedup}
COMMENT 'Newest metadata of each market; read with FINAL';

{distributed markets cityHash64(venue, market)};

CREATE TABLE IF NOT EXISTS {db}.market_history{local} {cluster} (
  generation UInt32 COMMENT 'Build of the tables; see current_generation',
  version UInt16 COMMENT 'Version of the projection that made the row',
  topic LowCardinality(String) COMMENT 'Log position: topic',
  partition UInt16 COMMENT 'Log position: partition',
  offset UInt64 COMMENT 'Log position: offset' CODEC(DoubleDelta, ZSTD(3)),
  venue LowCardinality(String) COMMENT 'venuea, venueb, venuec',
  market String COMMENT 'Native market id: marketId (A), ticker (B), conditionId (C)',
  observed_at DateTime64(6, 'UTC') COMMENT 'Our clock, stamped before parsing' CODEC(Delta, ZSTD(3)),
  source_ts Nullable(DateTime64(6, 'UTC')) COMMENT 'The venue''s claim; null when it makes none',
  session String COMMENT 'Connection, poll run or import',
  ordinal UInt64 COMMENT 'Frame within the session, from 0' CODEC(DoubleDelta, ZSTD(3)),
  provenance LowCardinality(String) COMMENT 'captured, imported, or backfilled from the venue later',
  slug Nullable(String) COMMENT 'Native slug',
  title Nullable(String) COMMENT 'Native title',
  question Nullable(String) COMMENT 'Native question',
  asset LowCardinality(Nullable(String)) COMMENT 'Underlying asset, upper case',
  window LowCardinality(Nullable(String)) COMMENT '5m, 15m, 1h, 4h, 1d',
  status LowCardinality(String) COMMENT 'unknown, upcoming, open, closed, resolved, voided',
  native_status LowCardinality(Nullable(String)) COMMENT 'The venue''s own status text',
  event_id Nullable(String) COMMENT 'Topic id (A), event ticker (B), event id (C)',
  series_id Nullable(String) COMMENT 'Series ticker (B), series slug (C)',
  condition_id Nullable(String) COMMENT 'Condition id (A, C)',
  outcome_ids Array(String) COMMENT 'Outcomes in native order: id as in book_snapshots.outcome',
  outcome_labels Array(String) COMMENT 'Outcomes in native order: label',
  outcome_indexes Array(UInt16) COMMENT 'Outcomes in native order: position at the venue',
  outcome_tokens Array(String) COMMENT 'Outcomes in native order: token id, or empty',
  outcome_winners Array(LowCardinality(String)) COMMENT 'Outcomes in native order: yes, no, or empty while unknown',
  opens_at Nullable(DateTime64(6, 'UTC')) COMMENT 'Start of the window the contract is about',
  closes_at Nullable(DateTime64(6, 'UTC')) COMMENT 'End of trading',
  listed_at Nullable(DateTime64(6, 'UTC')) COMMENT 'When the venue listed it',
  expected_resolution_at Nullable(DateTime64(6, 'UTC')) COMMENT 'When the venue expects to resolve',
  resolved_at Nullable(DateTime64(6, 'UTC')) COMMENT 'When it did',
  resolution Nullable(String) COMMENT 'The venue''s own resolution text',
  winning_outcome Nullable(String) COMMENT 'Label of the winner',
  settlement_value Nullable(Int64) COMMENT '1e-6 of the contract value paid to the first outcome',
  strike Nullable(String) COMMENT 'Strike as text',
  volume Nullable(Int64) COMMENT '1e-6',
  liquidity Nullable(Int64) COMMENT '1e-6',
  open_interest Nullable(Int64) COMMENT '1e-6',
  participant_count Nullable(UInt64) COMMENT 'Number of participants',
  chain LowCardinality(Nullable(String)) COMMENT 'Chain id',
  exchange_contract Nullable(String) COMMENT 'Exchange contract address',
  collateral LowCardinality(Nullable(String)) COMMENT 'Collateral',
  fee_bps Nullable(Int64) COMMENT 'Fee in basis points',
  tick_size Nullable(Int64) COMMENT 'Price step, 1e-6',
  min_size Nullable(Int64) COMMENT 'Smallest order, 1e-6',
  simulated Bool COMMENT 'True for markets of the simulated venues',
  native String COMMENT 'The venue''s own objects of this market as compact JSON'
) ENGINE = {MergeTree}
PARTITION BY (generation, toYYYYMM(observed_at))
ORDER BY (venue, market, observed_at, offset)
SETTINGS index_granularity = 1024, default_compression_codec = 'ZSTD(3)',
  fsync_after_insert = 1, fsync_part_directory = 1, {dedup}
COMMENT 'Market metadata, one row a change';

{distributed market_history cityHash64(venue, market)};

CREATE TABLE IF NOT EXISTS {db}.coverage{local} {cluster} (
  generation UInt32 COMMENT 'Build of the tables; see current_generation',
  version SimpleAggregateFunction(max, UInt16) COMMENT 'Version of the projection that made the row',
  topic SimpleAggregateFunction(max, LowCardinality(String)) COMMENT 'Log position: topic',
  partition SimpleAggregateFunction(max, UInt16) COMMENT 'Log position: partition',
  offset SimpleAggregateFunction(max, UInt64) COMMENT 'Log position: offset of the newest event in the row',
  venue LowCardinality(String) COMMENT 'venuea, venueb, venuec',
  market String COMMENT 'Native market id: marketId (A), ticker (B), conditionId (C)',
  outcome String COMMENT 'Empty: every outcome of the market',
  dataset LowCardinality(String) COMMENT 'catalogue, books, samples',
  session String COMMENT 'Connection, poll run or import',
  kind LowCardinality(String) COMMENT 'started, beat, stopped: we watch from, still, until; gap: last moment covered before a gap',
  provenance SimpleAggregateFunction(max, LowCardinality(String)) COMMENT 'captured, imported, backfilled',
  collector SimpleAggregateFunction(max, String) COMMENT 'Who watched',
  reason SimpleAggregateFunction(max, String) COMMENT 'Why it stopped',
  at SimpleAggregateFunction(max, DateTime64(6, 'UTC')) COMMENT 'Our clock; of beats the newest of the session',
  since SimpleAggregateFunction(min, DateTime64(6, 'UTC')) COMMENT 'Of beats the first of the session; else as at',
  mark DateTime64(6, 'UTC') DEFAULT if(kind IN ('started', 'stopped'), at, fromUnixTimestamp64Micro(0, 'UTC'))
    COMMENT 'Keeps starts and stops apart; beats of a session collapse into one row'
) ENGINE = {AggregatingMergeTree}
PARTITION BY generation
ORDER BY (generation, venue, market, dataset, outcome, session, kind, mark)
SETTINGS index_granularity = 1024, default_compression_codec = 'ZSTD(3)',
  fsync_after_insert = 1, fsync_part_directory = 1, {dedup}
COMMENT 'When each market was watched; read with FINAL';

{distributed coverage cityHash64(venue, market)};

CREATE TABLE IF NOT EXISTS {db}.gaps{local} {cluster} (
  generation UInt32 COMMENT 'Build of the tables; see current_generation',
  version SimpleAggregateFunction(max, UInt16) COMMENT 'Version of the projection that made the row',
  topic SimpleAggregateFunction(max, LowCardinality(String)) COMMENT 'Log position: topic',
  partition SimpleAggregateFunction(max, UInt16) COMMENT 'Log position: partition',
  offset SimpleAggregateFunction(max, UInt64) COMMENT 'Log position: offset of the newest event in the row',
  venue LowCardinality(String) COMMENT 'venuea, venueb, venuec',
  market String COMMENT 'Native market id: marketId (A), ticker (B), conditionId (C)',
  gap_id String COMMENT 'Deterministic: venue, market, outcome, dataset and start',
  outcome SimpleAggregateFunction(max, String) COMMENT 'Empty: every outcome of the market',
  dataset SimpleAggregateFunction(max, LowCardinality(String)) COMMENT 'catalogue, books, samples',
  observed_at SimpleAggregateFunction(max, DateTime64(6, 'UTC')) COMMENT 'When the newest event of the gap was written',
  session SimpleAggregateFunction(max, String) COMMENT 'Session that wrote it',
  provenance SimpleAggregateFunction(max, LowCardinality(String)) COMMENT 'captured, imported',
  cause SimpleAggregateFunction(max, LowCardinality(String)) COMMENT 'Why nothing was recorded',
  scope SimpleAggregateFunction(max, LowCardinality(String)) COMMENT 'book, connection, venue, collector',
  from_at SimpleAggregateFunction(min, DateTime64(6, 'UTC')) COMMENT 'Last moment known to be covered',
  to_at SimpleAggregateFunction(max, Nullable(DateTime64(6, 'UTC'))) COMMENT 'First moment covered again; null while open',
  last_before_session SimpleAggregateFunction(max, Nullable(String)) COMMENT 'Frame of the newest observation before: session',
  last_before_ordinal SimpleAggregateFunction(max, Nullable(UInt64)) COMMENT 'Frame of the newest observation before: ordinal',
  last_before_at SimpleAggregateFunction(max, Nullable(DateTime64(6, 'UTC'))) COMMENT 'Newest observation before',
  first_after_session SimpleAggregateFunction(max, Nullable(String)) COMMENT 'Frame of the first observation after: session',
  first_after_ordinal SimpleAggregateFunction(max, Nullable(UInt64)) COMMENT 'Frame of the first observation after: ordinal',
  first_after_at SimpleAggregateFunction(max, Nullable(DateTime64(6, 'UTC'))) COMMENT 'First observation after; null when capture ended inside the gap',
  detail SimpleAggregateFunction(max, String) COMMENT 'What a person wants to know'
) ENGINE = {AggregatingMergeTree}
PARTITION BY generation
ORDER BY (generation, venue, market, gap_id)
SETTINGS index_granularity = 1024, default_compression_codec = 'ZSTD(3)',
  fsync_after_insert = 1, fsync_part_directory = 1, {dedup}
COMMENT 'When a watched market was not recorded, one row a gap; read with FINAL';

{distributed gaps cityHash64(venue, market)};

CREATE TABLE IF NOT EXISTS {db}.rejects{local} {cluster} (
  generation UInt32 COMMENT 'Build of the tables; see current_generation',
  version UInt16 COMMENT 'Version of the projection that made the row',
  topic LowCardinality(String) COMMENT 'Log position: topic',
  partition UInt16 COMMENT 'Log position: partition',
  offset UInt64 COMMENT 'Log position: offset' CODEC(DoubleDelta, ZSTD(3)),
  venue LowCardinality(String) COMMENT 'venuea, venueb, venuec',
  market String COMMENT 'Native market id: marketId (A), ticker (B), conditionId (C)',
  observed_at DateTime64(6, 'UTC') COMMENT 'Our clock, stamped before parsing' CODEC(Delta, ZSTD(3)),
  source_ts Nullable(DateTime64(6, 'UTC')) COMMENT 'The venue''s claim; null when it makes none',
  session String COMMENT 'Connection, poll run or import',
  ordinal UInt64 COMMENT 'Frame within the session, from 0' CODEC(DoubleDelta, ZSTD(3)),
  provenance LowCardinality(String) COMMENT 'captured, imported, backfilled',
  origin LowCardinality(String) COMMENT 'frame: no normalizer took it; record: unreadable in the log; projection: projecting it failed',
  channel LowCardinality(String) COMMENT 'Channel of the frame',
  reason LowCardinality(String) COMMENT 'Stable name of the reason',
  detail String COMMENT 'What a person wants to know',
  body String COMMENT 'First 64 KiB of the bytes; all of them are in the log'
) ENGINE = {MergeTree}
PARTITION BY (generation, toYYYYMM(observed_at))
ORDER BY (venue, market, observed_at, topic, partition, offset)
SETTINGS index_granularity = 1024, default_compression_codec = 'ZSTD(3)',
  fsync_after_insert = 1, fsync_part_directory = 1, {dedup}
COMMENT 'What could not be understood; nothing is dropped';

{distributed rejects cityHash64(venue, market)};

CREATE TABLE IF NOT EXISTS {db}.comparisons{local} {cluster} (
  generation UInt32 COMMENT 'Build of the tables; see current_generation',
  version UInt16 COMMENT 'Version of the projection that made the row',
  topic LowCardinality(String) COMMENT 'Log position: topic',
  partition UInt16 COMMENT 'Log position: partition',
  offset UInt64 COMMENT 'Log position: offset' CODEC(DoubleDelta, ZSTD(3)),
  venue LowCardinality(String) COMMENT 'venuea, venueb, venuec',
  market String COMMENT 'Native market id: marketId (A), ticker (B), conditionId (C)',
  outcome String COMMENT 'As in book_snapshots',
  observed_at DateTime64(6, 'UTC') COMMENT 'Our clock, stamped before parsing' CODEC(Delta, ZSTD(3)),
  source_ts Nullable(DateTime64(6, 'UTC')) COMMENT 'The venue''s claim; null when it makes none',
  session String COMMENT 'Connection, poll run or import',
  ordinal UInt64 COMMENT 'Frame within the session, from 0' CODEC(DoubleDelta, ZSTD(3)),
  provenance LowCardinality(String) COMMENT 'captured, imported',
  method LowCardinality(String) COMMENT 'rest or snapshot: where the venue''s full book came from',
  equal Bool COMMENT 'Ours was the venue''s, level by level',
  levels_ours UInt32 COMMENT 'Levels of our book',
  levels_theirs UInt32 COMMENT 'Levels of the venue''s book',
  levels_differing UInt32 COMMENT 'Levels that differ',
  size_drift Int64 COMMENT '1e-6: sum over differing levels of |our size - theirs|',
  detail String COMMENT 'What a person wants to know'
) ENGINE = {MergeTree}
PARTITION BY (generation, toYYYYMM(observed_at))
ORDER BY (venue, market, observed_at, offset)
SETTINGS index_granularity = 1024, default_compression_codec = 'ZSTD(3)',
  fsync_after_insert = 1, fsync_part_directory = 1, {dedup}
COMMENT 'Our books held against full books of the venue';

{distributed comparisons cityHash64(venue, market)};

CREATE TABLE IF NOT EXISTS {db}.current_generation{local} {cluster} (
  sequence UInt64 COMMENT 'The highest one wins',
  generation UInt32 COMMENT 'The build of the tables that is served',
  reason LowCardinality(String) COMMENT 'first, rebuild, rollback',
  switched_at DateTime64(6, 'UTC') DEFAULT now64(6) COMMENT 'For people; nothing depends on it'
) ENGINE = {MergeTree}
ORDER BY (sequence)
SETTINGS index_granularity = 8192, default_compression_codec = 'ZSTD(3)',
  fsync_after_insert = 1, fsync_part_directory = 1, {dedup}
COMMENT 'One row a switch; the row with the highest sequence names the served generation';

{distributed current_generation 0};

CREATE TABLE IF NOT EXISTS {db}.projection_cursors{local} {cluster} (
  generation UInt32 COMMENT 'Build of the tables',
  topic LowCardinality(String) COMMENT 'Log topic',
  partition UInt16 COMMENT 'Log partition',
  epoch UInt64 COMMENT 'Raised by every new owner: an older owner is fenced',
  revision UInt64 COMMENT 'Raised by every write; its deduplication token lets only one writer have each',
  owner String COMMENT 'Random name of the writer: who has the epoch',
  hwm Int64 COMMENT 'Last offset known to be in the tables; -1 at the start',
  pending_first Nullable(Int64) COMMENT 'Range that may be half inserted: first offset',
  pending_last Nullable(Int64) COMMENT 'Range that may be half inserted: last offset',
  fingerprint String COMMENT 'The projections and versions that build this generation; empty: the generation was dropped',
  rank UInt128 DEFAULT bitShiftLeft(toUInt128(epoch), 64) + revision COMMENT 'Newest wins: by owner, then by write'
) ENGINE = {ReplacingMergeTree rank}
ORDER BY (generation, topic, partition)
SETTINGS index_granularity = 8192, default_compression_codec = 'ZSTD(3)',
  fsync_after_insert = 1, fsync_part_directory = 1, {dedup}
COMMENT 'How far the projector has read (server mode); read with FINAL. Columns are those of packages/projector/src/clickhouse-cursors.ts';

{distributed projection_cursors 0};

INSERT INTO {db}.current_generation (sequence, generation, reason)
SELECT 0, 1, 'first' WHERE (SELECT count() FROM {db}.current_generation) = 0;
