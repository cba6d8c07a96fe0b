// A market of the catalogue as the API shows it.

import type { MarketFields, MarketObserved, Venue } from '@ladderlog/core';
import {
  MARKET_FIELD_NAMES,
  UNKNOWN_MARKET,
  adapterOf,
  isoOrNull,
  ownIds,
  showFields,
} from '@ladderlog/core';
import type { Market as MarketView } from '@ladderlog/client';

/** The market's condition stands before its outcomes, and the venue's own object comes last. */
const OUTCOMES = MARKET_FIELD_NAMES.indexOf('outcomes');
const BEFORE = MARKET_FIELD_NAMES.slice(0, OUTCOMES);
const AFTER = MARKET_FIELD_NAMES.slice(OUTCOMES).filter((name) => name !== 'native');

/** Metadata null: the market is known from its books only. */
export function marketView(venue: Venue, market: string, metadata: MarketObserved | null): MarketView {
  const { record: style } = adapterOf(venue);
  const known: MarketFields = metadata ?? UNKNOWN_MARKET;
  const conditionId = known.conditionId ?? (style.marketIsCondition ? market : null);
  const fields = known.conditionId === conditionId ? known : { ...known, conditionId };
  const { eventId, seriesId, question, strike, opensAt, closesAt } = fields;
  const view: Record<string, unknown> = {
    venue,
    market_id: market,
    ...ownIds(style, { market, event: eventId, series: seriesId }),
    // Shown first.
    event_id: eventId,
    series_id: seriesId,
    condition_id: conditionId,
  };
  showFields(view, fields, BEFORE);
  view['condition'] = {
    condition_id: conditionId,
    question,
    strike,
    opens_at: isoOrNull(opensAt),
    closes_at: isoOrNull(closesAt),
  };
  showFields(view, fields, AFTER);
  view['provenance'] = metadata?.provenance ?? null;
  view['observed_at'] = isoOrNull(metadata?.observedAt ?? null);
  view['source_timestamp'] = isoOrNull(metadata?.sourceTs ?? null);
  view['native'] = metadata && nativeOf(metadata.native);
  return view as MarketView;
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
