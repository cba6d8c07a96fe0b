// Market metadata: every change (market_history) and the newest per market (markets).

import type { MarketObserved } from '../../events/events.ts';
import { defineProjection } from '../projection.ts';
import type { StoredRow, TableRow } from '../tables.ts';
import type { Placed } from '../../market/state.ts';
import type { Position } from '../../events/topics.ts';
import { envelopeColumns, envelopeOf, positionOf } from './envelope-columns.ts';

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

/** The event that a row was made of. */
export const marketFromRow = (row: StoredRow<'markets'>): Placed<MarketObserved> => ({
  position: positionOf(row),
  event: {
    type: 'MarketObserved',
    ...envelopeOf(row),
    sourceTs: row.source_ts,
    ordinal: row.ordinal,
    slug: row.slug,
    title: row.title,
    question: row.question,
    asset: row.asset,
    window: row.window,
    status: row.status as MarketObserved['status'],
    nativeStatus: row.native_status,
    eventId: row.event_id,
    seriesId: row.series_id,
    conditionId: row.condition_id,
    outcomes: row.outcome_ids.map((id, at) => ({
      id,
      label: row.outcome_labels[at] ?? '',
      index: row.outcome_indexes[at] ?? at,
      tokenId: row.outcome_tokens[at] || null,
      winner: winnerOf(row.outcome_winners[at]),
    })),
    opensAt: row.opens_at,
    closesAt: row.closes_at,
    listedAt: row.listed_at,
    expectedResolutionAt: row.expected_resolution_at,
    resolvedAt: row.resolved_at,
    resolution: row.resolution,
    winningOutcome: row.winning_outcome,
    settlementValue: row.settlement_value,
    strike: row.strike,
    volume: row.volume,
    liquidity: row.liquidity,
    openInterest: row.open_interest,
    participantCount: row.participant_count,
    chain: row.chain,
    exchangeContract: row.exchange_contract,
    collateral: row.collateral,
    feeBps: row.fee_bps,
    tickSize: row.tick_size,
    minSize: row.min_size,
    simulated: row.simulated,
    native: row.native,
  },
});

const winnerOf = (text: string | undefined): boolean | null =>
  text === 'yes' ? true : text === 'no' ? false : null;

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
