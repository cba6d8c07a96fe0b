// A market of the catalogue as the API shows it: its fields (core's MARKET_FIELDS) under the names of their columns.

import type {
  MarketFieldKind,
  MarketFieldName,
  MarketFields,
  MarketObserved,
  Micro,
  Micros,
  Outcome,
  Venue,
} from '@ladderlog/core';
import {
  MARKET_FIELDS,
  MARKET_FIELD_NAMES,
  UNKNOWN_MARKET,
  adapterOf,
  isoOrNull,
  numberOrNull,
  ownIds,
} from '@ladderlog/core';
import type { Market as MarketView } from '@ladderlog/client';

/** Shown in the order of their description; identity is shown before them, the venue's own object after them. */
const APART: ReadonlySet<MarketFieldName> = new Set(['eventId', 'seriesId', 'conditionId', 'native']);
const SHOWN = MARKET_FIELD_NAMES.filter((name) => !APART.has(name)).map((name) => ({
  name,
  ...MARKET_FIELDS[name],
}));

/** Metadata null: the market is known from its books only. */
export function marketView(venue: Venue, market: string, metadata: MarketObserved | null): MarketView {
  const { record: style } = adapterOf(venue);
  const fields: MarketFields = metadata ?? UNKNOWN_MARKET;
  const { eventId, seriesId, question, strike } = fields;
  const conditionId = fields.conditionId ?? (style.marketIsCondition ? market : null);
  const view: Record<string, unknown> = {
    venue,
    market_id: market,
    ...ownIds(style, { market, event: eventId, series: seriesId }),
    event_id: eventId,
    series_id: seriesId,
    condition_id: conditionId,
  };
  for (const { name, kind, column } of SHOWN) {
    if (kind === 'outcomes')
      view['condition'] = {
        condition_id: conditionId,
        question,
        strike,
        opens_at: isoOrNull(fields.opensAt),
        closes_at: isoOrNull(fields.closesAt),
      };
    view[column] = shown(kind, fields[name]);
  }
  view['provenance'] = metadata?.provenance ?? null;
  view['observed_at'] = isoOrNull(metadata?.observedAt ?? null);
  view['source_timestamp'] = isoOrNull(metadata?.sourceTs ?? null);
  view['native'] = metadata && nativeOf(metadata.native);
  return view as MarketView;
}

function shown(kind: MarketFieldKind, value: unknown): unknown {
  switch (kind) {
    case 'time':
      return isoOrNull(value as Micros | null);
    case 'amount':
      return numberOrNull(value as Micro | null);
    case 'outcomes':
      return (value as readonly Outcome[]).map(({ id, label, index, tokenId, winner }) => ({
        outcome_id: id,
        label,
        index,
        token_id: tokenId,
        winner,
      }));
    default:
      return value;
  }
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
