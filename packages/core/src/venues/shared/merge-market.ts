// What is known of a market so far, with what an answer adds. Answers differ in what they state (a list item, a detail, a
// resolution notice): one that is silent on a field does not unlearn it.

import { isObject, parseExact } from '../../kernel/exact-json.ts';
import type { MarketFields, Outcome } from '../../events/events.ts';

export function mergeMarket(known: MarketFields | undefined, fresh: MarketFields): MarketFields {
  if (!known) return fresh;
  const merged: Record<string, unknown> = { ...known };
  for (const [name, value] of Object.entries(fresh)) if (value !== null) merged[name] = value;
  const ended = known.status === 'resolved' || known.status === 'voided';
  return {
    ...(merged as MarketFields),
    // A slower source may still call a resolved market closed or open.
    status: fresh.status === 'unknown' || (ended && fresh.status !== 'voided') ? known.status : fresh.status,
    outcomes: mergeOutcomes(known.outcomes, fresh.outcomes),
    simulated: known.simulated || fresh.simulated,
    native: mergeNative(known.native, fresh.native),
  };
}

function mergeOutcomes(known: readonly Outcome[], fresh: readonly Outcome[]): readonly Outcome[] {
  const merged = known.map((outcome): Outcome => {
    const same = fresh.find((other) => other.id === outcome.id);
    if (!same) return outcome;
    return {
      id: outcome.id,
      label: same.label === '' ? outcome.label : same.label,
      index: outcome.index,
      tokenId: same.tokenId ?? outcome.tokenId,
      winner: same.winner ?? outcome.winner,
    };
  });
  const added = fresh.filter((other) => !known.some((outcome) => outcome.id === other.id));
  return added.length === 0 ? merged : [...merged, ...added].sort((a, b) => a.index - b.index);
}

/** `native` holds one object per kind of answer, the newest of each. */
function mergeNative(known: string, fresh: string): string {
  if (known === fresh) return fresh;
  const before = parseExact(known);
  const after = parseExact(fresh);
  if (!isObject(before) || !isObject(after)) return fresh;
  return JSON.stringify({ ...before, ...after });
}
