-- Views for people: decimal prices, the served generation only. Prices and sizes as Decimal, so sums are exact.

CREATE OR REPLACE VIEW {db}.v_books {cluster} AS
SELECT
  venue, market, outcome, observed_at, source_ts, state, flags, provenance, kind,
  CAST(best_bid, 'Nullable(Decimal(18, 6))') / 1000000 AS best_bid,
  CAST(best_ask, 'Nullable(Decimal(18, 6))') / 1000000 AS best_ask,
  bid_levels, ask_levels,
  arrayMap(x -> x / 1000000, bid_prices) AS bid_prices,
  arrayMap(x -> x / 1000000, bid_sizes) AS bid_sizes,
  arrayMap(x -> x / 1000000, ask_prices) AS ask_prices,
  arrayMap(x -> x / 1000000, ask_sizes) AS ask_sizes,
  session, ordinal, entry, topic, partition, offset
FROM {db}.book_snapshots
WHERE generation = (SELECT argMax(generation, sequence) FROM {db}.current_generation);
