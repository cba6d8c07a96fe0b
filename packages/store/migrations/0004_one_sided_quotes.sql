-- A side without levels has no size: 0 would be a claim about the venue.

CREATE OR REPLACE VIEW {db}.v_best_quotes {cluster} AS
SELECT
  b.venue AS venue, b.market AS market, b.outcome AS outcome, b.observed_at AS observed_at, b.state AS state,
  CAST(b.best_bid, 'Nullable(Decimal(38, 6))') / 1000000 AS best_bid,
  CAST(if(empty(b.bid_sizes), NULL, b.bid_sizes[1]), 'Nullable(Decimal(38, 6))') / 1000000 AS best_bid_size,
  CAST(b.best_ask, 'Nullable(Decimal(38, 6))') / 1000000 AS best_ask,
  CAST(if(empty(b.ask_sizes), NULL, b.ask_sizes[1]), 'Nullable(Decimal(38, 6))') / 1000000 AS best_ask_size,
  CAST(b.best_bid + b.best_ask, 'Nullable(Decimal(38, 7))') / 2000000 AS mid,
  CAST(b.best_ask - b.best_bid, 'Nullable(Decimal(38, 6))') / 1000000 AS spread,
  b.offset AS offset
FROM {db}.book_snapshots AS b
WHERE b.generation = (SELECT argMax(g.generation, g.sequence) FROM {db}.current_generation AS g);
