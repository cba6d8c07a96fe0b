// What venue A and predict.fun state of a market in the same way: its status, its outcomes, and which of them won.

import type { Micro } from '../../kernel/decimal.ts';
import type { MarketFields, MarketStatus, Outcome } from '../../events/market-fields.ts';
import { UNKNOWN_MARKET } from '../../events/market-fields.ts';
import type { JsonObject } from '../../kernel/exact-json.ts';
import { arrayOf, countOf, isObject, textOf } from '../../kernel/exact-json.ts';
import type { Micros } from '../../kernel/time.ts';
import { microOf } from '../shared/source-decimal.ts';
import { parseUpDownSlug } from '../shared/up-down.ts';

const upper = (value: unknown): string => (textOf(value) ?? '').toUpperCase();

/** All that the venue calls the state, the parent's word first. */
const nativeStatusOf = (market: JsonObject, parent: JsonObject | null): string | null =>
  [parent?.['status'], market['status'], market['tradingStatus']].map(upper).filter(Boolean).join('/') ||
  null;

function tickOf(market: JsonObject): Micro | null {
  const decimals = countOf(market['decimalPrecision']);
  return decimals === null || decimals > 6 ? null : 10 ** (6 - decimals);
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

/** What an index may be in a record; a larger one is no index. */
const MAX_INDEX = 2 ** 31 - 1;

export const indexOf = (outcome: JsonObject): number | null => {
  const index = countOf(outcome['index']);
  return index !== null && index <= MAX_INDEX ? index : null;
};

/** predict.fun numbers its outcomes 1 and 2. */
export const indexInSet = (outcome: JsonObject): number | null => {
  const indexSet = countOf(outcome['indexSet']);
  return indexSet === 1 || indexSet === 2 ? indexSet - 1 : null;
};

export function outcomesOf(
  stated: readonly JsonObject[],
  statedIndex: (outcome: JsonObject) => number | null,
  tokenField: string,
): Outcome[] {
  return stated
    .map((outcome, at): Outcome => {
      const index = statedIndex(outcome) ?? at;
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

/** The fields that are stated in the same way; the parent is a topic or a category. */
export function marketFields(
  market: JsonObject,
  parent: JsonObject | null,
  observedAt: Micros,
  stated: Pick<MarketFields, 'slug' | 'outcomes' | 'opensAt' | 'closesAt' | 'listedAt'>,
): MarketFields {
  const short = parseUpDownSlug(stated.slug);
  const opensAt = stated.opensAt ?? short?.opensAt ?? null;
  const status = statusOf(market, parent, opensAt, stated.closesAt, observedAt);
  const objects = arrayOf(market['outcomes']).filter(isObject);
  const winner = status === 'resolved' ? winnerOf(market, objects, stated.outcomes) : null;
  return {
    ...UNKNOWN_MARKET,
    ...stated,
    title: textOf(market['title']),
    question: textOf(market['question']),
    asset: short?.asset ?? null,
    window: short?.window ?? null,
    status,
    nativeStatus: nativeStatusOf(market, parent),
    conditionId: textOf(market['conditionId']),
    outcomes: withWinner(stated.outcomes, winner),
    opensAt,
    resolution: resolutionOf(market, winner),
    winningOutcome: winner?.id ?? null,
    strike: strikeOf(parent, market),
    feeBps: countOf(market['feeRateBps']),
    tickSize: tickOf(market),
    simulated: market['ladderlog_simulated'] === true || parent?.['ladderlog_simulated'] === true,
  };
}
