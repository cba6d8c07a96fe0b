-- Views for people: decimal prices, the served generation only. Single prices are Decimal, so that sums are exact; ladders are
-- Float64, the nearest number to each recorded decimal.

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

CREATE OR REPLACE VIEW {db}.v_best_quotes {cluster} AS
SELECT
  b.venue AS venue, b.market AS market, b.outcome AS outcome, b.observed_at AS observed_at, b.state AS state,
  CAST(b.best_bid, 'Nullable(Decimal(38, 6))') / 1000000 AS best_bid,
  CAST(b.bid_sizes[1], 'Decimal(38, 6)') / 1000000 AS best_bid_size,
  CAST(b.best_ask, 'Nullable(Decimal(38, 6))') / 1000000 AS best_ask,
  CAST(b.ask_sizes[1], 'Decimal(38, 6)') / 1000000 AS best_ask_size,
  CAST(b.best_bid + b.best_ask, 'Nullable(Decimal(38, 7))') / 2000000 AS mid,
  CAST(b.best_ask - b.best_bid, 'Nullable(Decimal(38, 6))') / 1000000 AS spread,
  b.offset AS offset
FROM {db}.book_snapshots AS b
WHERE b.generation = (SELECT argMax(g.generation, g.sequence) FROM {db}.current_generation AS g);

CREATE OR REPLACE VIEW {db}.v_levels {cluster} AS
SELECT
  b.venue AS venue, b.market AS market, b.outcome AS outcome, b.observed_at AS observed_at, b.offset AS offset,
  one.1 AS side, one.2 AS level,
  CAST(one.3, 'Decimal(38, 6)') / 1000000 AS price,
  CAST(one.4, 'Decimal(38, 6)') / 1000000 AS size
FROM {db}.book_snapshots AS b
ARRAY JOIN arrayConcat(
  arrayMap((price, size, at) -> ('bid', at, price, size), b.bid_prices, arrayResize(b.bid_sizes, length(b.bid_prices)), arrayEnumerate(b.bid_prices)),
  arrayMap((price, size, at) -> ('ask', at, price, size), b.ask_prices, arrayResize(b.ask_sizes, length(b.ask_prices)), arrayEnumerate(b.ask_prices))
) AS one
WHERE b.generation = (SELECT argMax(g.generation, g.sequence) FROM {db}.current_generation AS g);

CREATE OR REPLACE VIEW {db}.v_markets {cluster} AS
SELECT
  m.venue AS venue, m.market AS market, m.slug AS slug, m.title AS title, m.question AS question, m.asset AS asset,
  m.window AS window, m.status AS status, m.native_status AS native_status, m.event_id AS event_id,
  m.series_id AS series_id, m.condition_id AS condition_id, m.outcome_ids AS outcome_ids,
  m.outcome_labels AS outcome_labels, m.opens_at AS opens_at, m.closes_at AS closes_at, m.listed_at AS listed_at,
  m.resolved_at AS resolved_at, m.resolution AS resolution, m.winning_outcome AS winning_outcome,
  CAST(m.settlement_value, 'Nullable(Decimal(38, 6))') / 1000000 AS settlement_value, m.strike AS strike,
  CAST(m.volume, 'Nullable(Decimal(38, 6))') / 1000000 AS volume,
  CAST(m.liquidity, 'Nullable(Decimal(38, 6))') / 1000000 AS liquidity,
  CAST(m.open_interest, 'Nullable(Decimal(38, 6))') / 1000000 AS open_interest,
  m.participant_count AS participant_count,
  CAST(m.tick_size, 'Nullable(Decimal(38, 6))') / 1000000 AS tick_size,
  CAST(m.min_size, 'Nullable(Decimal(38, 6))') / 1000000 AS min_size,
  m.simulated AS simulated, m.provenance AS provenance, m.observed_at AS observed_at, m.native AS native
FROM {db}.markets AS m FINAL
WHERE m.generation = (SELECT argMax(g.generation, g.sequence) FROM {db}.current_generation AS g);

CREATE OR REPLACE VIEW {db}.v_samples {cluster} AS
SELECT
  s.venue AS venue, s.market AS market, s.outcome AS outcome, s.metric AS metric, s.observed_at AS observed_at,
  s.source_ts AS source_ts, CAST(s.value, 'Decimal(38, 6)') / 1000000 AS value, s.text AS text, s.exact AS exact,
  CAST(s.size, 'Nullable(Decimal(38, 6))') / 1000000 AS size, s.taker_side AS taker_side,
  s.provenance AS provenance, s.offset AS offset
FROM {db}.metric_samples AS s
WHERE s.generation = (SELECT argMax(g.generation, g.sequence) FROM {db}.current_generation AS g);

CREATE OR REPLACE VIEW {db}.v_gaps {cluster} AS
SELECT
  p.venue AS venue, p.market AS market, p.outcome AS outcome, p.dataset AS dataset, p.cause AS cause, p.scope AS scope,
  p.from_at AS from_at, p.to_at AS to_at,
  if(isNull(p.to_at), NULL, (toUnixTimestamp64Micro(assumeNotNull(p.to_at)) - toUnixTimestamp64Micro(p.from_at)) / 1000000)
    AS seconds,
  p.last_before_at AS last_before_at, p.first_after_at AS first_after_at, p.detail AS detail, p.gap_id AS gap_id,
  p.provenance AS provenance
FROM {db}.gaps AS p FINAL
WHERE p.generation = (SELECT argMax(g.generation, g.sequence) FROM {db}.current_generation AS g);

CREATE OR REPLACE VIEW {db}.v_coverage {cluster} AS
SELECT
  c.venue AS venue, c.market AS market, c.outcome AS outcome, c.dataset AS dataset, c.session AS session,
  min(c.since) AS first_at, max(c.at) AS last_at,
  maxOrNullIf(c.at, c.kind = 'stopped') AS stopped_at,
  max(c.reason) AS stop_reason, max(c.collector) AS collector, max(c.provenance) AS provenance
FROM {db}.coverage AS c FINAL
WHERE c.generation = (SELECT argMax(g.generation, g.sequence) FROM {db}.current_generation AS g)
  AND c.kind IN ('started', 'beat', 'stopped')
GROUP BY venue, market, outcome, dataset, session;

CREATE OR REPLACE VIEW {db}.v_rejects {cluster} AS
SELECT
  r.venue AS venue, r.market AS market, r.observed_at AS observed_at, r.origin AS origin, r.channel AS channel,
  r.reason AS reason, r.detail AS detail, r.body AS body, r.session AS session, r.ordinal AS ordinal,
  r.topic AS topic, r.partition AS partition, r.offset AS offset
FROM {db}.rejects AS r
WHERE r.generation = (SELECT argMax(g.generation, g.sequence) FROM {db}.current_generation AS g);
