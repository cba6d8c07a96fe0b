import type { MarketIdentity, Metric, Micros, Venue } from '@ladderlog/core';
import { adapterOf } from '@ladderlog/core';
import type { Query } from '../store.ts';
import {
  conditionColumn,
  identityParams,
  isoColumn,
  OUTCOME_LABEL,
  ownIdColumns,
  positionColumn,
  tokenColumn,
} from './record-columns.ts';
import type { Keyset } from './snapshots.ts';
import { at } from './sql.ts';

export type SamplesRequest = {
  readonly generation: number;
  readonly venue: Venue;
  readonly market: string;
  /** Exactly one: the three are never merged. */
  readonly metric: Metric;
  readonly outcome: string | null;
  readonly identity: MarketIdentity | null;
  /** Half-open. */
  readonly from: Micros;
  readonly to: Micros;
  readonly after: Keyset | null;
  readonly limit: number;
};

const NATIVE_TYPE =
  'text String, exact Bool, size Nullable(Float64), taker_side Nullable(String), session String, ordinal UInt64, entry UInt16';

/** Samples of one metric as records of the API, oldest first. Ask for limit + 1 to learn whether there is more. */
export function samplesPage(request: SamplesRequest): Query {
  const { record: style } = adapterOf(request.venue);
  const outcome = request.outcome === null ? '' : ' AND b.outcome = {outcome:String}';
  const keyset =
    request.after === null
      ? ''
      : `\n  AND (b.observed_at, b.offset) > (${at('after_at')}, {after_offset:UInt64})`;
  return {
    sql: `SELECT
  ${['b.venue AS venue', 'b.market AS market_id', ...ownIdColumns(style), conditionColumn(style)].join(',\n  ')},
  b.outcome AS outcome_id,
  ${OUTCOME_LABEL} AS outcome_label,
  ${tokenColumn(style)},
  b.metric AS metric,
  ${isoColumn('b.observed_at')} AS timestamp,
  ${isoColumn('b.source_ts')} AS source_timestamp,
  ${isoColumn('b.observed_at')} AS received_timestamp,
  b.value / 1000000 AS value,
  b.provenance AS provenance,
  ${positionColumn('b')} AS position,
  CAST((b.text, b.exact, b.size / 1000000, b.taker_side, b.session, b.ordinal, b.entry), 'Tuple(${NATIVE_TYPE})') AS native
FROM metric_samples AS b
WHERE b.generation = {generation:UInt32} AND b.venue = {venue:String} AND b.market = {market:String} AND b.metric = {metric:String}${outcome}
  AND b.observed_at >= ${at('from')} AND b.observed_at < ${at('to')}${keyset}
ORDER BY b.observed_at, b.offset
LIMIT {limit:UInt32}`,
    params: {
      ...identityParams(request.identity),
      generation: request.generation,
      venue: request.venue,
      market: request.market,
      metric: request.metric,
      from: Math.max(request.from, request.after?.observedAt ?? request.from),
      to: request.to,
      limit: request.limit,
      ...(request.outcome === null ? {} : { outcome: request.outcome }),
      ...(request.after === null
        ? {}
        : { after_at: request.after.observedAt, after_offset: request.after.offset }),
    },
  };
}
