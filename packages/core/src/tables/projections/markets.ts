// Market metadata: every change (market_history) and the newest per market (markets). Columns and fields: events/market-fields.ts.

import type { MarketObserved, Outcome } from '../../events/events.ts';
import { MARKET_FIELDS, MARKET_FIELD_NAMES } from '../../events/market-fields.ts';
import type { Position } from '../../events/topics.ts';
import type { Placed } from '../../market/state.ts';
import { defineProjection } from '../projection.ts';
import type { StoredRow, TableRow } from '../tables.ts';
import { POSITION_COLUMNS, TABLES } from '../tables.ts';
import { envelopeColumns, envelopeOf, positionOf } from './envelope-columns.ts';

const PLAIN_FIELDS = MARKET_FIELD_NAMES.filter((name) => name !== 'outcomes').map(
  (name) => [name, MARKET_FIELDS[name].column] as const,
);

/** Its copy is filled quicker than an object that grows. */
const EMPTY_ROW = Object.fromEntries(
  Object.keys({ ...POSITION_COLUMNS, ...TABLES.markets }).map((column) => [column, null]),
);

function toRow(event: MarketObserved, position: Position, version: number): TableRow<'markets'> {
  const row: Record<string, unknown> = { ...EMPTY_ROW, ...envelopeColumns(event, position, version) };
  const { outcomes } = event;
  row['outcome_ids'] = outcomes.map(({ id }) => id);
  row['outcome_labels'] = outcomes.map(({ label }) => label);
  row['outcome_indexes'] = outcomes.map(({ index }) => index);
  row['outcome_tokens'] = outcomes.map(({ tokenId }) => tokenId ?? '');
  row['outcome_winners'] = outcomes.map(({ winner }) => (winner === null ? '' : winner ? 'yes' : 'no'));
  for (const [name, column] of PLAIN_FIELDS) row[column] = event[name];
  return row as TableRow<'markets'>;
}

/** The event that a row was made of. */
export function marketFromRow(row: StoredRow<'markets'>): Placed<MarketObserved> {
  const event: Partial<Record<keyof MarketObserved, unknown>> = {
    type: 'MarketObserved',
    ...envelopeOf(row),
    sourceTs: row.source_ts,
    ordinal: row.ordinal,
    outcomes: row.outcome_ids.map((id, at): Outcome => ({
      id,
      label: row.outcome_labels[at] ?? '',
      index: row.outcome_indexes[at] ?? at,
      tokenId: row.outcome_tokens[at] || null,
      winner: winnerOf(row.outcome_winners[at]),
    })),
  };
  for (const [name, column] of PLAIN_FIELDS) event[name] = row[column];
  return { event: event as MarketObserved, position: positionOf(row) };
}

const winnerOf = (text: string | undefined): boolean | null =>
  text === 'yes' ? true : text === 'no' ? false : null;

const VERSION = 1;

export const marketHistory = defineProjection('market_history', {
  version: VERSION,
  handles: ['MarketObserved'],
  project: (event, position) => [toRow(event, position, VERSION)],
});

export const markets = defineProjection('markets', {
  version: VERSION,
  handles: ['MarketObserved'],
  newestBy: (event) => `${event.venue}\n${event.market}`,
  project: (event, position) => [toRow(event, position, VERSION)],
});
