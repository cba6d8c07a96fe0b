// What a key may read, and how fast. The numbers are the design's; an operator may pass others to the API.

import type { Plan, Venue } from '../events/events.ts';
import { PLANS } from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';
import { MICROS_PER_SECOND } from '../kernel/time.ts';
import { VENUE_ADAPTERS } from '../venues/registry.ts';

export type RateLimit = { readonly requests: number; readonly seconds: number };

export type PlanTerms = {
  readonly venues: readonly Venue[];
  /** Every limit holds at once: the first is the burst limit, the others the sustained ones. */
  readonly rates: readonly RateLimit[];
  /** How far back history may be read; null: all of it. */
  readonly historyDays: number | null;
};

export type PlanTable = Readonly<Record<Plan, PlanTerms>>;

/** Plans are in order: each may read what the smaller ones may. */
const venuesOf = (plan: Plan): Venue[] =>
  VENUE_ADAPTERS.filter((adapter) => PLANS.indexOf(adapter.plan) <= PLANS.indexOf(plan)).map(
    ({ venue }) => venue,
  );

export const PLAN_TERMS: PlanTable = {
  explorer: {
    venues: venuesOf('explorer'),
    rates: [
      { requests: 1, seconds: 1 },
      { requests: 60, seconds: 60 },
    ],
    historyDays: 31,
  },
  quant: {
    venues: venuesOf('quant'),
    rates: [
      { requests: 25, seconds: 1 },
      { requests: 1_000, seconds: 60 },
    ],
    historyDays: 60,
  },
  desk: {
    venues: venuesOf('desk'),
    rates: [
      { requests: 100, seconds: 1 },
      { requests: 6_000, seconds: 60 },
    ],
    historyDays: null,
  },
};

const DAY: Micros = 86_400 * MICROS_PER_SECOND;

export const planAllows = (plan: Plan, venue: Venue, table: PlanTable = PLAN_TERMS): boolean =>
  table[plan].venues.includes(venue);

/** The smallest plan that may read this venue; null when none may. */
export const planFor = (venue: Venue, table: PlanTable = PLAN_TERMS): Plan | null =>
  PLANS.find((plan) => table[plan].venues.includes(venue)) ?? null;

/**
 * The oldest moment a plan may read, seen from now: the beginning of a UTC day, so that what a client was told is still allowed
 * when it asks. Null: no limit.
 */
export function oldestAllowed(plan: Plan, now: Micros, table: PlanTable = PLAN_TERMS): Micros | null {
  const days = table[plan].historyDays;
  return days === null ? null : (Math.floor(now / DAY) - days) * DAY;
}

/** The smallest plan whose history reaches back to `at`; null when none does. */
export const planReaching = (
  at: Micros,
  now: Micros,
  venue: Venue,
  table: PlanTable = PLAN_TERMS,
): Plan | null =>
  PLANS.find((plan) => {
    const oldest = oldestAllowed(plan, now, table);
    return planAllows(plan, venue, table) && (oldest === null || at >= oldest);
  }) ?? null;
