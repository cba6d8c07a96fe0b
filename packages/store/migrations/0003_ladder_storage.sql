-- Ladders on disk, measured on 88,130 recorded books of 198 levels (docs/adr/0008): ZSTD(6) finds the unchanged rest of the
-- book where ZSTD(3) misses it, and with 2 MiB a granule of 1,024 books is one compressed block, not one and a bit. Parts
-- written before are recompressed as they merge. {alter_distributed table change}: the same for the table over all shards.
-- Numbers of levels, and indexes of levels, are as wide as any book may be; a narrower one would wrap.

ALTER TABLE {db}.book_snapshots{local} {cluster}
  MODIFY COLUMN bid_levels UInt32,
  MODIFY COLUMN ask_levels UInt32,
  MODIFY COLUMN exception_levels Array(UInt32),
  MODIFY COLUMN bid_prices CODEC(ZSTD(6)),
  MODIFY COLUMN bid_sizes CODEC(ZSTD(6)),
  MODIFY COLUMN ask_prices CODEC(ZSTD(6)),
  MODIFY COLUMN ask_sizes CODEC(ZSTD(6));

ALTER TABLE {db}.book_snapshots{local} {cluster} MODIFY SETTING max_compress_block_size = 2097152;

{alter_distributed book_snapshots MODIFY COLUMN bid_levels UInt32, MODIFY COLUMN ask_levels UInt32, MODIFY COLUMN exception_levels Array(UInt32)};

ALTER TABLE {db}.latest_books{local} {cluster}
  MODIFY COLUMN bid_levels UInt32,
  MODIFY COLUMN ask_levels UInt32,
  MODIFY COLUMN exception_levels Array(UInt32);

{alter_distributed latest_books MODIFY COLUMN bid_levels UInt32, MODIFY COLUMN ask_levels UInt32, MODIFY COLUMN exception_levels Array(UInt32)};

-- A view keeps the column types of the day it was made.
CREATE OR REPLACE VIEW {db}.v_books {cluster} AS
SELECT
  b.venue AS venue, b.market AS market, b.outcome AS outcome, b.observed_at AS observed_at, b.source_ts AS source_ts,
  b.state AS state, b.flags AS flags, b.kind AS kind, b.provenance AS provenance,
  CAST(b.best_bid, 'Nullable(Decimal(38, 6))') / 1000000 AS best_bid,
  CAST(b.best_ask, 'Nullable(Decimal(38, 6))') / 1000000 AS best_ask,
  b.bid_levels AS bid_levels, b.ask_levels AS ask_levels,
  arrayMap(x -> x / 1000000, b.bid_prices) AS bid_prices,
  arrayMap(x -> x / 1000000, b.bid_sizes) AS bid_sizes,
  arrayMap(x -> x / 1000000, b.ask_prices) AS ask_prices,
  arrayMap(x -> x / 1000000, b.ask_sizes) AS ask_sizes,
  b.session AS session, b.ordinal AS ordinal, b.entry AS entry,
  b.topic AS topic, b.partition AS partition, b.offset AS offset
FROM {db}.book_snapshots AS b
WHERE b.generation = (SELECT argMax(g.generation, g.sequence) FROM {db}.current_generation AS g);

CREATE OR REPLACE VIEW {db}.v_comparisons {cluster} AS
SELECT
  c.venue AS venue, c.market AS market, c.outcome AS outcome, c.observed_at AS observed_at, c.source_ts AS source_ts,
  c.method AS method, c.equal AS equal, c.levels_ours AS levels_ours, c.levels_theirs AS levels_theirs,
  c.levels_differing AS levels_differing, CAST(c.size_drift, 'Decimal(38, 6)') / 1000000 AS size_drift,
  c.detail AS detail, c.session AS session, c.ordinal AS ordinal, c.provenance AS provenance,
  c.topic AS topic, c.partition AS partition, c.offset AS offset
FROM {db}.comparisons AS c
WHERE c.generation = (SELECT argMax(g.generation, g.sequence) FROM {db}.current_generation AS g);
