// Venue A's topics and markets, and predict.fun's categories and markets, to market metadata. What an object does not state
// stays null; its every field is kept in `native`.

import type { JsonObject } from '../../exact-json.ts';
import { arrayOf, countOf, isObject, parseExact, textOf } from '../../exact-json.ts';
import type { Micro } from '../../decimal.ts';
import { parseDecimal } from '../../decimal.ts';
import type { MarketStatus, Metric, Outcome } from '../../events.ts';
import type { Micros } from '../../time.ts';
import type { MarketFields, SampleFinding, SkipFinding } from '../../venue.ts';
import { isEnded } from '../known-markets.ts';
import { UNKNOWN_MARKET } from '../merge-market.ts';
import { isoOf, millisOf } from '../source-time.ts';
import { parseUpDownSlug } from '../up-down.ts';

export type CatalogueEntry = {
  readonly market: string;
  /** predict.fun's id of the same market. */
  readonly externalId: string | null;
  readonly fields: MarketFields;
  readonly samples: readonly SampleFinding[];
};

const microOf = (value: unknown): Micro | null => {
  const text = textOf(value);
  return text === null ? null : (parseDecimal(text)?.value ?? null);
};
const upper = (value: unknown): string => (textOf(value) ?? '').toUpperCase();
const firstText = (objects: readonly (JsonObject | null)[], names: readonly string[]): string | null => {
  for (const object of objects)
    for (const name of names) {
      const text = textOf(object?.[name]);
      if (text !== null) return text;
    }
  return null;
};

/** The topics of a list, a search or a detail answer. */
export function topicsOf(answer: unknown): readonly unknown[] {
  if (Array.isArray(answer)) return answer as readonly unknown[];
  if (!isObject(answer)) return [answer];
  return Array.isArray(answer['marketTopics']) ? arrayOf(answer['marketTopics']) : [answer];
}

/** All markets of a topic; null where an object is no topic or a market has no id. */
export function fromTopic(topic: unknown, observedAt: Micros): (CatalogueEntry | null)[] {
  if (!isObject(topic) || textOf(topic['marketTopicId']) === null) return [null];
  const markets = arrayOf(topic['markets']);
  return markets.map((market) => fromMarket(market, topic, markets.length === 1, observedAt));
}

/** What a topic says of itself, for one that comes without its markets. */
export const listedOf = (topic: JsonObject): NonNullable<SkipFinding['listed']> => ({
  eventId: textOf(topic['marketTopicId']) ?? '',
  opensAt: millisOf(topic['startDate']),
  closesAt: millisOf(topic['endDate']),
});

function fromMarket(
  market: unknown,
  topic: JsonObject,
  alone: boolean,
  observedAt: Micros,
): CatalogueEntry | null {
  const id = isObject(market) ? textOf(market['marketId']) : null;
  if (!isObject(market) || id === null) return null;
  const { markets: _markets, ...topicOnly } = topic;
  const slug = textOf(topic['slug']);
  const short = slug === null ? null : parseUpDownSlug(slug);
  const opensAt = millisOf(topic['startDate']) ?? short?.opensAt ?? null;
  const closesAt = millisOf(topic['endDate']);
  const status = statusOf(market, topic, opensAt, closesAt, observedAt);
  const stated = arrayOf(market['outcomes']).filter(isObject);
  const outcomes = outcomesOf(stated, (outcome) => countOf(outcome['index']), 'tokenId');
  const winner = status === 'resolved' ? winnerOf(market, stated, outcomes) : null;
  const tick = countOf(market['decimalPrecision']);
  // What the topic counts is the market's only where it has no other.
  const counted = alone ? [market, topic] : [market];
  return {
    market: id,
    externalId: textOf(market['externalId']),
    samples: samplesOf(id, stated),
    fields: {
      ...UNKNOWN_MARKET,
      slug,
      title: textOf(market['title']) ?? textOf(topic['title']),
      question: textOf(market['question']) ?? textOf(topic['question']),
      asset: short?.asset ?? assetOf(textOf(topic['symbol'])),
      window: short?.window ?? null,
      status,
      nativeStatus:
        [topic['status'], market['status'], market['tradingStatus']].map(upper).filter(Boolean).join('/') ||
        null,
      eventId: textOf(topic['marketTopicId']),
      conditionId: textOf(market['conditionId']),
      outcomes: withWinner(outcomes, winner),
      opensAt,
      closesAt,
      listedAt: millisOf(topic['publishedAt']),
      resolvedAt: isEnded({ status })
        ? (millisOf(market['resolvedAt']) ?? millisOf(topic['resolvedAt']))
        : null,
      resolution: resolutionOf(market, winner),
      winningOutcome: winner?.id ?? null,
      strike: strikeOf(topic, market),
      volume: microOf(firstText(counted, ['tradeVolume'])),
      liquidity: microOf(firstText(counted, ['liquidity'])),
      participantCount: countOf(topic['participantCount']),
      chain: textOf(topic['chainId']),
      exchangeContract: firstText([market, topic], ['exchangeContract', 'exchangeAddress']),
      collateral: textOf(topic['collateral']),
      feeBps: countOf(market['feeRateBps']) ?? countOf(topic['feeRateBps']),
      tickSize: tick === null || tick > 6 ? null : 10 ** (6 - tick),
      simulated: topic['ladderlog_simulated'] === true || market['ladderlog_simulated'] === true,
      native: JSON.stringify({ topic: topicOnly, market }),
    },
  };
}

/** predict.fun: a category with its markets, or one market, under `data` or in lists of it. */
export function fromPredictFun(
  item: unknown,
  marketOf: (externalId: string) => string,
  observedAt: Micros,
): (CatalogueEntry | null)[] {
  if (!isObject(item)) return [null];
  for (const list of ['categories', 'markets']) {
    if (Array.isArray(item[list]) && item['id'] === undefined)
      return arrayOf(item[list]).flatMap((inner) => fromPredictFun(inner, marketOf, observedAt));
  }
  if (Array.isArray(item['markets']))
    return arrayOf(item['markets']).map((market) => fromPredictMarket(market, item, marketOf, observedAt));
  return [fromPredictMarket(item, null, marketOf, observedAt)];
}

function fromPredictMarket(
  market: unknown,
  category: JsonObject | null,
  marketOf: (externalId: string) => string,
  observedAt: Micros,
): CatalogueEntry | null {
  const id = isObject(market) ? textOf(market['id']) : null;
  if (!isObject(market) || id === null || !Array.isArray(market['outcomes'])) return null;
  const slug = textOf(market['categorySlug']) ?? textOf(category?.['slug']);
  const short = slug === null ? null : parseUpDownSlug(slug);
  const opensAt = isoOf(category?.['startsAt']) ?? short?.opensAt ?? null;
  const closesAt = isoOf(category?.['endsAt']);
  const status = statusOf(market, category, opensAt, closesAt, observedAt);
  const stated = arrayOf(market['outcomes']).filter(isObject);
  const outcomes = outcomesOf(
    stated,
    (outcome) => {
      const indexSet = countOf(outcome['indexSet']);
      return indexSet === 1 || indexSet === 2 ? indexSet - 1 : null;
    },
    'onChainId',
  );
  const winner = status === 'resolved' ? winnerOf(market, stated, outcomes) : null;
  const tick = countOf(market['decimalPrecision']);
  const { markets: _markets, ...categoryOnly } = category ?? {};
  return {
    market: marketOf(id),
    externalId: id,
    samples: [],
    fields: {
      ...UNKNOWN_MARKET,
      slug,
      title: textOf(market['title']),
      question: textOf(market['question']),
      asset: short?.asset ?? null,
      window: short?.window ?? null,
      status,
      nativeStatus:
        [category?.['status'], market['status'], market['tradingStatus']]
          .map(upper)
          .filter(Boolean)
          .join('/') || null,
      conditionId: textOf(market['conditionId']),
      outcomes: withWinner(outcomes, winner),
      opensAt,
      closesAt,
      listedAt: isoOf(category?.['publishedAt']),
      resolution: resolutionOf(market, winner),
      winningOutcome: winner?.id ?? null,
      strike: strikeOf(category, market),
      feeBps: countOf(market['feeRateBps']),
      tickSize: tick === null || tick > 6 ? null : 10 ** (6 - tick),
      simulated: market['ladderlog_simulated'] === true || category?.['ladderlog_simulated'] === true,
      native: JSON.stringify(
        category
          ? { predictfun_market: market, predictfun_category: categoryOnly }
          : { predictfun_market: market },
      ),
    },
  };
}

/** predict.fun's id of a market learned from another session's findings. */
export function externalIdOf(native: string): string | null {
  const parsed = parseExact(native);
  if (!isObject(parsed)) return null;
  const market = parsed['market'];
  const predict = parsed['predictfun_market'];
  return (
    (isObject(market) ? textOf(market['externalId']) : null) ??
    (isObject(predict) ? textOf(predict['id']) : null)
  );
}

const RESOLVED = new Set(['RESOLVED', 'SETTLED', 'FINALIZED']);
const VOIDED = new Set(['VOIDED', 'VOID', 'CANCELLED', 'CANCELED', 'INVALID', 'REFUNDED']);

/**
 * The market's own words first, the topic's where it has none. The venue's full list of statuses is not published: a word that
 * is not known here leaves the times to decide, and without them the status is unknown.
 */
function statusOf(
  market: JsonObject,
  parent: JsonObject | null,
  opensAt: Micros | null,
  closesAt: Micros | null,
  observedAt: Micros,
): MarketStatus {
  const words: string[] = [upper(market['tradingStatus']), upper(market['status'])];
  if (words.join('') === '') words.push(upper(parent?.['status']));
  if (words.some((word) => VOIDED.has(word))) return 'voided';
  if (words.some((word) => RESOLVED.has(word))) return 'resolved';
  if (words[0] === 'OPEN') return 'open';
  if (words[0] !== '') return opensAt !== null && observedAt < opensAt ? 'upcoming' : 'closed';
  if (opensAt === null || closesAt === null) return 'unknown';
  return observedAt < opensAt ? 'upcoming' : observedAt < closesAt ? 'open' : 'closed';
}

function outcomesOf(
  stated: readonly JsonObject[],
  indexOf: (outcome: JsonObject) => number | null,
  tokenField: string,
): Outcome[] {
  return stated
    .map((outcome, at): Outcome => {
      const index = indexOf(outcome) ?? at;
      const tokenId = textOf(outcome[tokenField]);
      return { id: String(index), label: textOf(outcome['name']) ?? '', index, tokenId, winner: null };
    })
    .sort((a, b) => a.index - b.index);
}

const withWinner = (outcomes: readonly Outcome[], winner: Outcome | null): readonly Outcome[] =>
  winner === null ? outcomes : outcomes.map((outcome) => ({ ...outcome, winner: outcome.id === winner.id }));

/**
 * Only what the venue states: an outcome marked as won, a `resolution` that names one, or quoted prices of exactly 1 and 0 on a
 * resolved market (a quote lies strictly between). Start and end price of the asset are not a winner: the tie rule is the
 * venue's to apply.
 */
function winnerOf(
  market: JsonObject,
  stated: readonly JsonObject[],
  outcomes: readonly Outcome[],
): Outcome | null {
  const byToken = (outcome: JsonObject): Outcome | null => {
    const token = textOf(outcome['tokenId']) ?? textOf(outcome['onChainId']);
    const name = textOf(outcome['name']);
    return (
      outcomes.find((other) => (token === null ? other.label === name : other.tokenId === token)) ?? null
    );
  };
  const won = stated.filter((outcome) => outcome['winner'] === true || upper(outcome['status']) === 'WON');
  if (won.length === 1) return byToken(won[0]!);
  const resolution = market['resolution'] ?? market['winningOutcome'];
  if (isObject(resolution)) return byToken(resolution);
  const name = upper(resolution);
  if (name !== '') {
    const named = outcomes.find((outcome) => outcome.label.toUpperCase() === name);
    if (named) return named;
  }
  const prices = stated.map((outcome) => microOf(outcome['price']));
  const at = prices.indexOf(1_000_000);
  const decided = at >= 0 && prices.every((price, index) => price === (index === at ? 1_000_000 : 0));
  return decided ? byToken(stated[at]!) : null;
}

function resolutionOf(market: JsonObject, winner: Outcome | null): string | null {
  if (winner !== null) return winner.label === '' ? null : winner.label;
  const { resolution } = market;
  return isObject(resolution) ? textOf(resolution['name']) : textOf(resolution);
}

function strikeOf(parent: JsonObject | null, market: JsonObject): string | null {
  for (const object of [market, parent]) {
    const data = object?.['variantData'];
    const start = isObject(data) ? textOf(data['startPrice']) : null;
    if (start !== null) return start;
  }
  return null;
}

/** BTCUSDT is a contract on BTC. */
const assetOf = (symbol: string | null): string | null =>
  /^([A-Z0-9]{2,10})(?:USDT|USDC|USD)$/.exec(symbol ?? '')?.[1] ?? null;

const METRICS: readonly Metric[] = ['chance', 'price'];

/** Displayed chance and quoted price are two statements; neither is derived from the other or from a book. */
function samplesOf(market: string, stated: readonly JsonObject[]): SampleFinding[] {
  return stated.flatMap((outcome, at) =>
    METRICS.flatMap((metric): SampleFinding[] => {
      const text = textOf(outcome[metric]);
      const value = text === null ? null : parseDecimal(text);
      if (text === null || value === null) return [];
      return [
        {
          find: 'sample',
          market,
          outcome: String(countOf(outcome['index']) ?? at),
          metric,
          sourceTs: null,
          value: value.value,
          text,
          exact: value.exact,
          size: null,
          takerSide: null,
        },
      ];
    }),
  );
}
