// Venue D's match objects to market metadata. What an object does not state stays null; its every field is kept in `native`.

import type { MarketFields } from '../../capture/finding.ts';
import type { MarketStatus } from '../../events/events.ts';
import { boolOf, isObject, textOf } from '../../kernel/exact-json.ts';
import { UNKNOWN_MARKET } from '../../events/market-fields.ts';
import { isoOf } from '../shared/source-time.ts';
import { OUTCOMES } from './wire.ts';

const STATUSES: Readonly<Record<string, MarketStatus>> = {
  scheduled: 'upcoming',
  open: 'open',
  closed: 'closed',
  settled: 'resolved',
  cancelled: 'voided',
};

export type CatalogueEntry = { readonly market: string; readonly fields: MarketFields };

/** Null where the object is no match, or lacks its id. */
export function fromMatch(match: unknown): CatalogueEntry | null {
  const market = isObject(match) ? textOf(match['id']) : null;
  if (!isObject(match) || market === null) return null;
  const nativeStatus = textOf(match['state']);
  const result = textOf(match['result']);
  const teams = { home: textOf(match['home']), draw: 'Draw', away: textOf(match['away']) };
  return {
    market,
    fields: {
      ...UNKNOWN_MARKET,
      title: teams.home !== null && teams.away !== null ? `${teams.home} v ${teams.away}` : null,
      status: STATUSES[nativeStatus ?? ''] ?? 'unknown',
      nativeStatus,
      seriesId: textOf(match['league']),
      outcomes: OUTCOMES.map((id, index) => ({
        id,
        label: teams[id] ?? id,
        index,
        tokenId: null,
        winner: result === null ? null : result === id,
      })),
      opensAt: isoOf(match['kickoff']),
      closesAt: isoOf(match['ends']),
      resolution: result,
      winningOutcome: OUTCOMES.find((id) => id === result) ?? null,
      tickSize: 5_000,
      simulated: boolOf(match['ladderlog_simulated']) ?? false,
      native: JSON.stringify({ match }),
    },
  };
}
