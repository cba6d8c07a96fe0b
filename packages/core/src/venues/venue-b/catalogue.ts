// Venue B's market objects (series → event → market) to metadata. What the venue does not say is null; what it says is kept
// whole in `native`.

import type { Micro } from '../../kernel/decimal.ts';
import { isObject, textOf } from '../../kernel/exact-json.ts';
import type { MarketStatus, Outcome } from '../../events/events.ts';
import type { MarketFields } from '../../capture/finding.ts';
import { isoOf } from '../shared/source-time.ts';
import type { Json } from './wire.ts';
import { decimalOf, secondsTime, tickerOf } from './wire.ts';

/** Status of responses, and the filter's words for the same. `nativeStatus` keeps the venue's own word. */
const STATUSES: Readonly<Record<string, MarketStatus>> = {
  initialized: 'upcoming',
  inactive: 'upcoming',
  unopened: 'upcoming',
  active: 'open',
  open: 'open',
  closed: 'closed',
  determined: 'closed',
  disputed: 'closed',
  amended: 'closed',
  finalized: 'resolved',
  settled: 'resolved',
};

const VOID_RESULTS: ReadonlySet<string> = new Set(['void', 'voided', 'cancelled', 'canceled']);

/** Series whose name alone says what they are about: KXBTC15M is BTC over 15 minutes, KXBTCD BTC without a fixed window. */
const SERIES = /^KX(BTC|ETH|SOL|XRP|DOGE|BNB|HYPE)(?:D|(5|15|30)M)?$/;

function seriesFacts(series: string | null): { asset: string | null; window: string | null } {
  const match = series === null ? null : SERIES.exec(series);
  if (!match) return { asset: null, window: null };
  return { asset: match[1]!, window: match[2] === undefined ? null : `${match[2]}m` };
}

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
      slug: null,
      title: textField(market['title']) ?? textField(event?.['title']),
      question: textField(market['title']),
      ...seriesFacts(seriesId),
      status: statusOf(nativeStatus, result),
      nativeStatus,
      eventId,
      seriesId,
      conditionId: null,
      outcomes: outcomes(
        textField(market['yes_sub_title']) ?? 'Yes',
        textField(market['no_sub_title']) ?? 'No',
        result,
      ),
      opensAt: isoOf(market['open_time']),
      closesAt: isoOf(market['close_time']),
      listedAt: isoOf(market['created_time']),
      expectedResolutionAt: isoOf(market['expected_expiration_time']),
      resolvedAt: isoOf(market['settlement_ts']) ?? secondsTime(market['settlement_ts']),
      resolution: result,
      winningOutcome: result === 'yes' || result === 'no' ? result : null,
      settlementValue: firstAmount(market, [
        ['settlement_value_dollars', 'dollars'],
        ['settlement_value', 'cents'],
      ]),
      strike: strikeOf(market),
      volume: firstAmount(market, [
        ['volume_fp', 'dollars'],
        ['volume', 'dollars'],
      ]),
      liquidity: liquidityOf(market),
      openInterest: firstAmount(market, [
        ['open_interest_fp', 'dollars'],
        ['open_interest', 'dollars'],
      ]),
      participantCount: null,
      chain: null,
      exchangeContract: null,
      collateral: 'USD',
      feeBps: null,
      tickSize: tickSizeOf(market),
      minSize: null,
      simulated: market['ladderlog_simulated'] === true,
      native,
    },
  };
}

export function statusOf(native: string | null, result: string | null): MarketStatus {
  if (result !== null && VOID_RESULTS.has(result.toLowerCase())) return 'voided';
  return native !== null && Object.hasOwn(STATUSES, native) ? STATUSES[native]! : 'unknown';
}

export function outcomes(yes: string, no: string, result: string | null): Outcome[] {
  const decided = result === 'yes' || result === 'no';
  return [
    { id: 'yes', label: yes, index: 0, tokenId: null, winner: decided ? result === 'yes' : null },
    { id: 'no', label: no, index: 1, tokenId: null, winner: decided ? result === 'no' : null },
  ];
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
    changed.resolvedAt = secondsTime(message['settled_ts']) ?? before.resolvedAt;
    changed.settlementValue =
      decimalOf(message['settlement_value_dollars'] ?? message['settlement_value'])?.value ??
      before.settlementValue;
  } else if (kind === 'activated' || kind === 'deactivated') {
    changed.nativeStatus = kind === 'activated' ? 'active' : 'inactive';
    changed.status = statusOf(changed.nativeStatus, null);
  } else if (kind !== 'close_date_updated') return null;
  changed.opensAt = secondsTime(message['open_ts']) ?? before.opensAt;
  changed.closesAt = secondsTime(message['close_ts']) ?? before.closesAt;
  return { ...before, ...changed };
}

const textField = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

function firstAmount(
  market: Json,
  fields: readonly (readonly [string, 'dollars' | 'cents'])[],
): Micro | null {
  for (const [name, unit] of fields) {
    const amount = decimalOf(market[name], unit);
    if (amount) return amount.value;
  }
  return null;
}

/** The field is dead and says 0 for every market since early 2026: a zero tells nothing. */
function liquidityOf(market: Json): Micro | null {
  const amount = firstAmount(market, [
    ['liquidity_dollars', 'dollars'],
    ['liquidity', 'cents'],
  ]);
  return amount === 0 ? null : amount;
}

function strikeOf(market: Json): string | null {
  const floor = textOf(market['floor_strike']);
  const cap = textOf(market['cap_strike']);
  return floor !== null && cap !== null ? `${floor}..${cap}` : (floor ?? cap);
}

/** One step for the whole price range, or null (tapered grids have several). */
function tickSizeOf(market: Json): Micro | null {
  const ranges: unknown = market['price_ranges'];
  if (!Array.isArray(ranges) || ranges.length === 0) return null;
  const steps = new Set(
    ranges.map((range: unknown) => (isObject(range) ? (decimalOf(range['step'])?.value ?? null) : null)),
  );
  const [step] = steps;
  return steps.size === 1 && step ? step : null;
}
