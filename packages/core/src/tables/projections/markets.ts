// Market metadata: every change (market_history) and the newest per market (markets).

import type { MarketObserved } from '../../events/events.ts';
import { defineProjection } from '../projection.ts';
import type { TableRow } from '../tables.ts';
import type { Position } from '../../events/topics.ts';
import { envelopeColumns } from './envelope-columns.ts';

export type MarketRow = TableRow<'market_history'>;

function marketRow(event: MarketObserved, position: Position, version: number): MarketRow {
  const { outcomes } = event;
  return {
    ...envelopeColumns(event, position, version),
    slug: event.slug,
    title: event.title,
    question: event.question,
    asset: event.asset,
    window: event.window,
    status: event.status,
    native_status: event.nativeStatus,
    event_id: event.eventId,
    series_id: event.seriesId,
    condition_id: event.conditionId,
    outcome_ids: outcomes.map(({ id }) => id),
    outcome_labels: outcomes.map(({ label }) => label),
    outcome_indexes: outcomes.map(({ index }) => index),
    // Empty where the venue gives no token; winners are yes, no, or empty while unknown.
    outcome_tokens: outcomes.map(({ tokenId }) => tokenId ?? ''),
    outcome_winners: outcomes.map(({ winner }) => (winner === null ? '' : winner ? 'yes' : 'no')),
    opens_at: event.opensAt,
    closes_at: event.closesAt,
    listed_at: event.listedAt,
    expected_resolution_at: event.expectedResolutionAt,
    resolved_at: event.resolvedAt,
    resolution: event.resolution,
    winning_outcome: event.winningOutcome,
    settlement_value: event.settlementValue,
    strike: event.strike,
    volume: event.volume,
    liquidity: event.liquidity,
    open_interest: event.openInterest,
    participant_count: event.participantCount,
    chain: event.chain,
    exchange_contract: event.exchangeContract,
    collateral: event.collateral,
    fee_bps: event.feeBps,
    tick_size: event.tickSize,
    min_size: event.minSize,
    simulated: event.simulated,
    native: event.native,
  };
}

const VERSION = 1;

export const marketHistory = defineProjection('market_history', {
  version: VERSION,
  handles: ['MarketObserved'],
  project: (event, position) => [marketRow(event, position, VERSION)],
});

export const markets = defineProjection('markets', {
  version: VERSION,
  handles: ['MarketObserved'],
  newestBy: (event) => `${event.venue}\n${event.market}`,
  project: (event, position) => [marketRow(event, position, VERSION)],
});
