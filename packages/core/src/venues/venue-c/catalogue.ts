// Venue C's market objects (Gamma, CLOB, and the notices of the market channel) to market metadata. What an object does not
// state stays null; its every field is kept in `native`.

import type { JsonObject } from '../../kernel/exact-json.ts';
import { arrayOf, boolOf, isObject, nestedArray, textOf } from '../../kernel/exact-json.ts';
import type { Micros } from '../../kernel/time.ts';
import type { MarketFields } from '../../capture/finding.ts';
import { UNKNOWN_MARKET } from '../../events/market-fields.ts';
import { microOf } from '../shared/source-decimal.ts';
import { isoOf, millisOf } from '../shared/source-time.ts';
import { parseUpDownSlug } from '../shared/up-down.ts';
import {
  GAMMA_STATUS_FIELDS,
  nativeStatus,
  outcomesOf,
  resolutionOf,
  strikeOf,
  tradingStatus,
  winnerIndex,
} from './market-facts.ts';

export type CatalogueEntry = { readonly market: string; readonly fields: MarketFields };

const CONDITION_ID = /^0x[0-9a-fA-F]{64}$/;

const texts = (values: readonly unknown[]): (string | null)[] => values.map(textOf);

/** The wrappers of Gamma's listings: a bare array or object, or one under a name. */
export function gammaItems(answer: unknown): readonly unknown[] {
  if (Array.isArray(answer)) return answer as readonly unknown[];
  if (!isObject(answer)) return [];
  for (const name of ['events', 'markets', 'data']) {
    if (Array.isArray(answer[name]) && textOf(answer['id']) === null) return arrayOf(answer[name]);
  }
  return [answer];
}

/** A Gamma market, or all markets of a Gamma event. Null where an object is neither, or lacks its condition id. */
export function fromGamma(item: unknown, observedAt: Micros): (CatalogueEntry | null)[] {
  if (!isObject(item)) return [null];
  if (Array.isArray(item['markets']))
    return item['markets'].map((market: unknown) => fromGammaMarket(market, item, observedAt));
  return [fromGammaMarket(item, null, observedAt)];
}

// oxlint-disable-next-line max-lines-per-function -- a table of fields
function fromGammaMarket(
  market: unknown,
  parent: JsonObject | null,
  observedAt: Micros,
): CatalogueEntry | null {
  if (!isObject(market)) return null;
  const conditionId = textOf(market['conditionId']);
  if (conditionId === null || !CONDITION_ID.test(conditionId)) return null;
  const stated = arrayOf(market['events'])[0];
  const event = parent ?? (isObject(stated) ? stated : null);
  const series = arrayOf(event?.['series'])[0];
  const slug = textOf(market['slug']);
  const short = parseUpDownSlug(slug);
  const closesAt = isoOf(market['endDate']) ?? isoOf(event?.['endDate']);
  const closed = boolOf(market['closed']) ?? false;
  const resolved =
    closed && (market['umaResolutionStatus'] === 'resolved' || market['automaticallyResolved'] === true);
  const prices = resolved ? nestedArray(market['outcomePrices']).map(microOf) : [];
  const winnerAt = winnerIndex(prices);
  const labels = texts(nestedArray(market['outcomes']));
  const tokens = texts(nestedArray(market['clobTokenIds']));
  const outcomes = outcomesOf(tokens, labels, winnerAt);
  const { events: _events, ...own } = market;
  return {
    market: conditionId,
    fields: {
      ...UNKNOWN_MARKET,
      slug,
      title: textOf(event?.['title']) ?? textOf(market['question']),
      question: textOf(market['question']),
      asset: short?.asset ?? null,
      window: short?.window ?? null,
      status: resolved ? 'resolved' : tradingStatus(market, closed, closesAt, observedAt),
      nativeStatus: nativeStatus(market, GAMMA_STATUS_FIELDS),
      eventId: textOf(event?.['id']),
      seriesId: textOf(event?.['seriesSlug']) ?? (isObject(series) ? textOf(series['slug']) : null),
      conditionId,
      outcomes,
      opensAt: isoOf(market['eventStartTime']) ?? isoOf(event?.['startTime']) ?? short?.opensAt ?? null,
      closesAt,
      listedAt: isoOf(market['startDate']) ?? isoOf(market['createdAt']),
      resolvedAt: resolved ? (isoOf(market['umaEndDate']) ?? isoOf(market['closedTime'])) : null,
      resolution: resolved ? resolutionOf(prices, outcomes, winnerAt) : null,
      winningOutcome: outcomes[winnerAt]?.id ?? null,
      settlementValue: prices[0] ?? null,
      strike: strikeOf(event),
      volume: microOf(market['volume']) ?? microOf(market['volumeNum']),
      liquidity: microOf(market['liquidity']) ?? microOf(market['liquidityNum']),
      tickSize: microOf(market['orderPriceMinTickSize']),
      minSize: microOf(market['orderMinSize']),
      simulated: market['ladderlog_simulated'] === true || event?.['ladderlog_simulated'] === true,
      native: JSON.stringify(
        event === null ? { gamma_market: own } : { gamma_market: own, gamma_event: withoutMarkets(event) },
      ),
    },
  };
}

const withoutMarkets = (event: JsonObject): JsonObject => {
  const { markets: _markets, ...rest } = event;
  return rest;
};

/** A CLOB market (`/markets/<condition id>`); winners are stated per token. */
// oxlint-disable-next-line max-lines-per-function -- a table of fields
export function fromClobMarket(market: unknown, observedAt: Micros): CatalogueEntry | null {
  if (!isObject(market)) return null;
  const conditionId = textOf(market['condition_id']);
  if (conditionId === null || !CONDITION_ID.test(conditionId)) return null;
  const tokens = arrayOf(market['tokens']).filter(isObject);
  const winnerAt = tokens.findIndex((token) => token['winner'] === true);
  const closed = boolOf(market['closed']) ?? false;
  const resolved = closed && winnerAt >= 0;
  const slug = textOf(market['market_slug']);
  const short = parseUpDownSlug(slug);
  const closesAt = isoOf(market['end_date_iso']);
  const outcomes = outcomesOf(
    tokens.map((token) => textOf(token['token_id'])),
    tokens.map((token) => textOf(token['outcome'])),
    resolved ? winnerAt : -1,
  );
  return {
    market: conditionId,
    fields: {
      ...UNKNOWN_MARKET,
      slug,
      question: textOf(market['question']),
      asset: short?.asset ?? null,
      window: short?.window ?? null,
      status: resolved
        ? 'resolved'
        : tradingStatus(
            {
              active: market['active'],
              acceptingOrders: market['accepting_orders'],
              enableOrderBook: market['enable_order_book'],
            },
            closed,
            // A CLOB end date may be a bare day: too coarse to say that trading ended.
            null,
            observedAt,
          ),
      nativeStatus: nativeStatus(market, ['active', 'closed', 'accepting_orders']),
      conditionId,
      outcomes,
      opensAt: isoOf(market['game_start_time']) ?? short?.opensAt ?? null,
      closesAt,
      resolution: resolved ? (outcomes[winnerAt]?.label ?? null) : null,
      winningOutcome: resolved ? (outcomes[winnerAt]?.id ?? null) : null,
      tickSize: microOf(market['minimum_tick_size']),
      minSize: microOf(market['minimum_order_size']),
      simulated: market['ladderlog_simulated'] === true,
      native: JSON.stringify({ clob_market: market }),
    },
  };
}

/** A `new_market` notice. These are global: null unless it is a short-dated contract, which is what is followed here. */
export function fromNewMarket(message: JsonObject): CatalogueEntry | null {
  const conditionId = textOf(message['market']) ?? textOf(message['condition_id']);
  const slug = textOf(message['slug']);
  const short = parseUpDownSlug(slug);
  if (conditionId === null || short === null) return null;
  const event = isObject(message['event_message']) ? message['event_message'] : null;
  const tokens = message['assets_ids'] ?? message['clob_token_ids'];
  return {
    market: conditionId,
    fields: {
      ...UNKNOWN_MARKET,
      slug,
      title: textOf(event?.['title']) ?? textOf(message['question']),
      question: textOf(message['question']),
      asset: short.asset,
      window: short.window,
      nativeStatus: nativeStatus(message, ['active']),
      eventId: textOf(event?.['id']),
      conditionId,
      outcomes: outcomesOf(texts(nestedArray(tokens)), texts(nestedArray(message['outcomes'])), -1),
      opensAt: short.opensAt,
      tickSize: microOf(message['order_price_min_tick_size']),
      simulated: message['ladderlog_simulated'] === true,
      native: JSON.stringify({ new_market: message }),
    },
  };
}

/** A `market_resolved` notice: the winner, and nothing else that was not known before. */
export function fromResolved(message: JsonObject): CatalogueEntry | null {
  const conditionId = textOf(message['market']);
  if (conditionId === null) return null;
  const tokens = texts(nestedArray(message['assets_ids']));
  const winner = textOf(message['winning_asset_id']);
  const label = textOf(message['winning_outcome']);
  const winnerAt = winner === null ? -1 : tokens.indexOf(winner);
  const outcomes = outcomesOf(
    tokens,
    tokens.map((token) => (token === winner ? label : null)),
    winnerAt,
  );
  return {
    market: conditionId,
    fields: {
      ...UNKNOWN_MARKET,
      status: 'resolved',
      nativeStatus: 'market_resolved',
      conditionId,
      outcomes,
      resolvedAt: millisOf(message['timestamp']),
      resolution: label,
      winningOutcome: winner,
      simulated: message['ladderlog_simulated'] === true,
      native: JSON.stringify({ market_resolved: message }),
    },
  };
}
