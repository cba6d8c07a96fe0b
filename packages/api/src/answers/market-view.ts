// A market of the catalogue as the API shows it.

import type { MarketIdentity, Venue } from '@ladderlog/core';
import { adapterOf, isoOrNull, numberOrNull, ownIds } from '@ladderlog/core';
import type { Market as MarketView } from '@ladderlog/client';
import type { MarketRecord } from '@ladderlog/store';

/** As read from the store: text columns are text (on the way in they may be bytes). */
type Read<T> = T extends Uint8Array ? never : T extends readonly (infer U)[] ? readonly Read<U>[] : T;
export type CatalogueRow = { readonly [K in keyof MarketRecord]: Read<MarketRecord[K]> };

export const identityOf = (row: CatalogueRow): MarketIdentity => ({
  eventId: row.event_id,
  seriesId: row.series_id,
  conditionId: row.condition_id,
  outcomes: outcomesOf(row).map(({ outcome_id, label, index, token_id, winner }) => ({
    id: outcome_id,
    label,
    index,
    tokenId: token_id,
    winner,
  })),
});

const outcomesOf = (row: CatalogueRow) =>
  row.outcome_ids.map((id, at) => ({
    outcome_id: id,
    label: row.outcome_labels[at] ?? '',
    index: row.outcome_indexes[at] ?? at,
    token_id: row.outcome_tokens[at] || null,
    winner: winnerOf(row.outcome_winners[at]),
  }));

const winnerOf = (text: string | undefined): boolean | null =>
  text === 'yes' ? true : text === 'no' ? false : null;

/** Row null: the market is known from its books only. */
export function marketView(venue: Venue, market: string, row: CatalogueRow | null): MarketView {
  const { record: style } = adapterOf(venue);
  const eventId = row?.event_id ?? null;
  const seriesId = row?.series_id ?? null;
  const conditionId = row?.condition_id ?? (style.marketIsCondition ? market : null);
  const opensAt = isoOrNull(row?.opens_at ?? null);
  const closesAt = isoOrNull(row?.closes_at ?? null);
  const question = row?.question ?? null;
  const strike = row?.strike ?? null;
  return {
    venue,
    market_id: market,
    ...ownIds(style, { market, event: eventId, series: seriesId }),
    event_id: eventId,
    series_id: seriesId,
    condition_id: conditionId,
    slug: row?.slug ?? null,
    title: row?.title ?? null,
    question,
    asset: row?.asset ?? null,
    window: row?.window ?? null,
    status: (row?.status ?? 'unknown') as MarketView['status'],
    native_status: row?.native_status ?? null,
    condition: { condition_id: conditionId, question, strike, opens_at: opensAt, closes_at: closesAt },
    outcomes: row ? outcomesOf(row) : [],
    opens_at: opensAt,
    closes_at: closesAt,
    listed_at: isoOrNull(row?.listed_at ?? null),
    expected_resolution_at: isoOrNull(row?.expected_resolution_at ?? null),
    resolved_at: isoOrNull(row?.resolved_at ?? null),
    resolution: row?.resolution ?? null,
    winning_outcome: row?.winning_outcome ?? null,
    settlement_value: numberOrNull(row?.settlement_value ?? null),
    strike,
    volume: numberOrNull(row?.volume ?? null),
    liquidity: numberOrNull(row?.liquidity ?? null),
    open_interest: numberOrNull(row?.open_interest ?? null),
    participant_count: row?.participant_count ?? null,
    chain: row?.chain ?? null,
    exchange_contract: row?.exchange_contract ?? null,
    collateral: row?.collateral ?? null,
    fee_bps: row?.fee_bps ?? null,
    tick_size: numberOrNull(row?.tick_size ?? null),
    min_size: numberOrNull(row?.min_size ?? null),
    simulated: row?.simulated ?? false,
    provenance: (row?.provenance ?? null) as MarketView['provenance'],
    observed_at: isoOrNull(row?.observed_at ?? null),
    source_timestamp: isoOrNull(row?.source_ts ?? null),
    native: row ? nativeOf(row.native) : null,
  };
}

/** The recorder writes JSON; text that is not is shown as it is rather than lost. */
function nativeOf(text: string): MarketView['native'] {
  if (text === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    return (typeof value === 'object' ? value : { value }) as MarketView['native'];
  } catch {
    return { text };
  }
}
