// Venue B's market objects (series → event → market) to metadata. What the venue does not say is null; what it says is kept
// whole in `native`.

import type { MarketFields } from '../../events/market-fields.ts';
import { UNKNOWN_MARKET } from '../../events/market-fields.ts';
import { isObject } from '../../kernel/exact-json.ts';
import { isoOf, secondsOf } from '../shared/source-time.ts';
import {
  countField,
  liquidityOf,
  outcomes,
  seriesFacts,
  settlementValueOf,
  statusOf,
  strikeOf,
  textField,
  tickSizeOf,
} from './market-facts.ts';
import type { Json } from './wire.ts';
import { tickerOf } from './wire.ts';

export type CatalogueEntry = { readonly market: string; readonly fields: MarketFields };

/**
 * Every market of a catalogue answer: {market}, {markets}, {event, markets}, {events: [{markets}]}. `rejected` says of each
 * object that is no market why.
 */
export function readCatalogue(body: Json): {
  known: boolean;
  entries: CatalogueEntry[];
  rejected: { market: string; why: string }[];
} {
  const entries: CatalogueEntry[] = [];
  const rejected: { market: string; why: string }[] = [];
  const take = (value: unknown, event: Json | null): void => {
    const entry = isObject(value) ? marketFields(value, event) : 'a market is not an object';
    if (typeof entry !== 'string') entries.push(entry);
    else rejected.push({ market: (isObject(value) && tickerOf(value['ticker'])) || '', why: entry });
  };
  const takeAll = (list: unknown, event: Json | null): void => {
    if (Array.isArray(list)) for (const item of list) take(item, event);
  };
  const { market, markets, event, events } = body;
  const one = isObject(event) ? event : null;
  if (market !== undefined) take(market, null);
  takeAll(markets, one);
  if (one) takeAll(one['markets'], one);
  if (Array.isArray(events))
    for (const item of events as unknown[]) if (isObject(item)) takeAll(item['markets'], item);
  const known = market !== undefined || Array.isArray(markets) || one !== null || Array.isArray(events);
  return { known, entries, rejected };
}

/** The text is an error: why this object is no market. */
// oxlint-disable-next-line max-lines-per-function -- a table of fields
function marketFields(market: Json, event: Json | null = null): CatalogueEntry | string {
  const ticker = tickerOf(market['ticker']);
  if (ticker === null) return 'a market without a ticker';
  const eventId = textField(market['event_ticker']) ?? textField(event?.['event_ticker']);
  const seriesId =
    textField(market['series_ticker']) ??
    textField(event?.['series_ticker']) ??
    (eventId === null ? null : eventId.split('-', 1)[0]!);
  const nativeStatus = textField(market['status']);
  const result = textField(market['result']);
  let native: string;
  try {
    native = JSON.stringify(market);
  } catch {
    return 'a market nested too deep';
  }
  return {
    market: ticker,
    fields: {
      ...UNKNOWN_MARKET,
      title: textField(market['title']) ?? textField(event?.['title']),
      question: textField(market['title']),
      ...seriesFacts(seriesId),
      status: statusOf(nativeStatus, result),
      nativeStatus,
      eventId,
      seriesId,
      outcomes: outcomes(
        textField(market['yes_sub_title']) ?? 'Yes',
        textField(market['no_sub_title']) ?? 'No',
        result,
      ),
      opensAt: isoOf(market['open_time']),
      closesAt: isoOf(market['close_time']),
      listedAt: isoOf(market['created_time']),
      expectedResolutionAt: isoOf(market['expected_expiration_time']),
      resolvedAt: isoOf(market['settlement_ts']) ?? secondsOf(market['settlement_ts']),
      resolution: result,
      winningOutcome: result === 'yes' || result === 'no' ? result : null,
      settlementValue: settlementValueOf(market),
      strike: strikeOf(market),
      volume: countField(market, 'volume'),
      liquidity: liquidityOf(market),
      openInterest: countField(market, 'open_interest'),
      collateral: 'USD',
      tickSize: tickSizeOf(market),
      simulated: market['ladderlog_simulated'] === true,
      native,
    },
  };
}

/**
 * What a market_lifecycle_v2 message changes of a market already known; null when it changes nothing we keep. It states only
 * what changed, so a market known from nothing else gets no metadata from it.
 */
export function lifecycleChange(before: MarketFields, message: Json): MarketFields | null {
  const kind = message['event_type'];
  const result = textField(message['result']) ?? before.resolution;
  const changed: { -readonly [K in keyof MarketFields]?: MarketFields[K] } = {};
  if (kind === 'determined' || kind === 'settled') {
    changed.nativeStatus = kind === 'settled' ? 'finalized' : kind;
    changed.status = statusOf(changed.nativeStatus, result);
    changed.resolution = result;
    changed.winningOutcome = result === 'yes' || result === 'no' ? result : null;
    changed.outcomes = outcomes(
      before.outcomes[0]?.label ?? 'Yes',
      before.outcomes[1]?.label ?? 'No',
      result,
    );
    changed.resolvedAt = secondsOf(message['settled_ts']) ?? before.resolvedAt;
    changed.settlementValue = settlementValueOf(message) ?? before.settlementValue;
  } else if (kind === 'activated' || kind === 'deactivated') {
    changed.nativeStatus = kind === 'activated' ? 'active' : 'inactive';
    changed.status = statusOf(changed.nativeStatus, null);
  } else if (kind !== 'close_date_updated') return null;
  changed.opensAt = secondsOf(message['open_ts']) ?? before.opensAt;
  changed.closesAt = secondsOf(message['close_ts']) ?? before.closesAt;
  return { ...before, ...changed };
}
