// What to collect from which venues, by configuration: the real ones or the simulated ones.

import type { CollectOptions } from '@ladderlog/collectors';
import { createPrimitives } from '@ladderlog/collectors';
import type { Venue, VenueAdapter } from '@ladderlog/core';
import { adapterOf, timingOf, venueSettingEnv } from '@ladderlog/core';

import type { Config } from '../settings/config.ts';
import { venueFiles, venueValues } from '../settings/config.ts';

export type PlannedVenues = {
  readonly venues: CollectOptions['venues'];
  /** Why a venue cannot be collected. */
  readonly leftOut: readonly string[];
};

/** By venue: where the simulated one is, and the keys it takes. */
export type SimulatedVenues = Readonly<Record<Venue, Readonly<Record<string, string>>>>;

export function planVenues(config: Config, simulated: SimulatedVenues | null): PlannedVenues {
  const primitives = createPrimitives();
  const venues: CollectOptions['venues'][number][] = [];
  const leftOut: string[] = [];
  for (const adapter of config.venues.venues.map(adapterOf)) {
    const { venue, collect } = adapter;
    const timing = {
      ...timingOf(collect, simulated !== null),
      compareMs: config.compareSeconds * 1_000,
    };
    const plan = collect.plan(valuesOf(config, adapter, simulated), timing, primitives);
    if ('missing' in plan)
      leftOut.push(
        `${venue}: needs ${plan.missing.map((name) => venueSettingEnv(venue, name)).join(' and ')}`,
      );
    else venues.push({ adapter, plan });
  }
  return { venues, leftOut };
}

/** A simulated venue has its own addresses and keys. */
const valuesOf = (
  config: Config,
  adapter: VenueAdapter,
  simulated: SimulatedVenues | null,
): Readonly<Record<string, unknown>> => ({
  ...venueValues(config, adapter),
  ...(simulated
    ? { ...adapter.collect.simulated.values, ...simulated[adapter.venue] }
    : venueFiles(config, adapter)),
});
