// Venue A's topics and markets, and predict.fun's categories and markets, to market metadata. What an object does not state
// stays null; its every field is kept in `native`.

import type { JsonObject } from '../../kernel/exact-json.ts';
import { arrayOf, countOf, isObject, parseExact, textOf } from '../../kernel/exact-json.ts';
import { parseDecimal } from '../../kernel/decimal.ts';
import type { Metric } from '../../events/events.ts';
import type { Micros } from '../../kernel/time.ts';
import type { MarketFields, SampleFinding, SkipFinding } from '../../capture/finding.ts';
import { sample } from '../shared/findings.ts';
import { isEnded } from '../shared/known-markets.ts';
import { microOf } from '../shared/source-decimal.ts';
import { isoOf, millisOf } from '../shared/source-time.ts';
import { indexInSet, indexOf, marketFields, outcomesOf } from './market-facts.ts';

export type CatalogueEntry = {
  readonly market: string;
  /** predict.fun's id of the same market. */
  readonly externalId: string | null;
  readonly fields: MarketFields;
  readonly samples: readonly SampleFinding[];
};

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
  const stated = arrayOf(market['outcomes']).filter(isObject);
  const fields = marketFields(market, topic, observedAt, {
    slug: textOf(topic['slug']),
    outcomes: outcomesOf(stated, indexOf, 'tokenId'),
    opensAt: millisOf(topic['startDate']),
    closesAt: millisOf(topic['endDate']),
    listedAt: millisOf(topic['publishedAt']),
  });
  // What the topic counts is the market's only where it has no other.
  const counted = alone ? [market, topic] : [market];
  return {
    market: id,
    externalId: textOf(market['externalId']),
    samples: samplesOf(id, stated),
    fields: {
      ...fields,
      title: fields.title ?? textOf(topic['title']),
      question: fields.question ?? textOf(topic['question']),
      asset: fields.asset ?? assetOf(textOf(topic['symbol'])),
      eventId: textOf(topic['marketTopicId']),
      resolvedAt: isEnded(fields) ? (millisOf(market['resolvedAt']) ?? millisOf(topic['resolvedAt'])) : null,
      volume: microOf(firstText(counted, ['tradeVolume'])),
      liquidity: microOf(firstText(counted, ['liquidity'])),
      participantCount: countOf(topic['participantCount']),
      chain: textOf(topic['chainId']),
      exchangeContract: firstText([market, topic], ['exchangeContract', 'exchangeAddress']),
      collateral: textOf(topic['collateral']),
      feeBps: fields.feeBps ?? countOf(topic['feeRateBps']),
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
  const { markets: _markets, ...categoryOnly } = category ?? {};
  const fields = marketFields(market, category, observedAt, {
    slug: textOf(market['categorySlug']) ?? textOf(category?.['slug']),
    outcomes: outcomesOf(arrayOf(market['outcomes']).filter(isObject), indexInSet, 'onChainId'),
    opensAt: isoOf(category?.['startsAt']),
    closesAt: isoOf(category?.['endsAt']),
    listedAt: isoOf(category?.['publishedAt']),
  });
  const native = category
    ? { predictfun_market: market, predictfun_category: categoryOnly }
    : { predictfun_market: market };
  return {
    market: marketOf(id),
    externalId: id,
    samples: [],
    fields: { ...fields, native: JSON.stringify(native) },
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
      const of = { market, outcome: String(indexOf(outcome) ?? at), metric, sourceTs: null };
      return [sample(of, text, value)];
    }),
  );
}
