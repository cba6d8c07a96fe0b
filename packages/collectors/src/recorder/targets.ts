// Which markets to watch now. Pure: the catalogue, the time and the configuration decide.

import type { CollectPlan, MarketFields, Micros, Target, VenueCapture, VenueTiming } from '@ladderlog/core';
import { MICROS_PER_MS, hashText } from '@ladderlog/core';

/** Which share of the markets a collector takes. */
export type Shard = { readonly index: number; readonly count: number };

export type Choice = CollectPlan['choice'] &
  Pick<VenueTiming, 'leadMs' | 'graceMs'> & { readonly shard: Shard };

/** Two collectors never take the same market: the share is a function of its id alone. */
export const inShard = (market: string, shard: Shard): boolean =>
  shard.count === 1 || Number.parseInt(hashText(market).slice(0, 8), 16) % shard.count === shard.index;

export function chooseTargets(
  bookOutcomes: VenueCapture['bookOutcomes'],
  markets: ReadonlyMap<string, MarketFields>,
  now: Micros,
  choice: Choice,
  watched: (market: string) => boolean,
): Target[] {
  const targets: Target[] = [];
  for (const [market, fields] of markets) {
    if (wanted(market, fields, now, choice, watched(market)))
      targets.push({ market, outcomes: bookOutcomes(fields) });
  }
  return targets;
}

function wanted(
  market: string,
  fields: MarketFields,
  now: Micros,
  choice: Choice,
  watched: boolean,
): boolean {
  if (!inShard(market, choice.shard)) return false;
  if (choice.assets && (fields.asset === null || !choice.assets.includes(fields.asset))) return false;
  if (choice.windows && (fields.window === null || !choice.windows.includes(fields.window))) return false;
  if (choice.series && (fields.seriesId === null || !choice.series.includes(fields.seriesId))) return false;
  if (fields.status === 'resolved' || fields.status === 'voided') return false;
  if (fields.opensAt !== null && fields.opensAt - choice.leadMs * MICROS_PER_MS > now) return false;
  if (fields.closesAt === null) return fields.status !== 'closed';
  // After its end a market is seen through, but no longer begun.
  return fields.closesAt + (watched ? choice.graceMs * MICROS_PER_MS : 0) > now;
}

/** Open by its own times; what is not known is taken to be. */
export const trades = (fields: MarketFields | undefined, now: Micros): boolean =>
  (fields?.opensAt ?? now) <= now && (fields?.closesAt ?? Number.POSITIVE_INFINITY) > now;

/** Ended, but its resolution is not known yet: the catalogue asks for it again. */
export const awaitsResolution = (fields: MarketFields, now: Micros, patienceMs: number): boolean =>
  fields.closesAt !== null &&
  fields.closesAt <= now &&
  fields.closesAt + patienceMs * MICROS_PER_MS > now &&
  fields.status !== 'resolved' &&
  fields.status !== 'voided';
