export * from './checks.ts';
export * from './coverage.ts';
export * from './decimal.ts';
export * from './errors.ts';
export * from './events.ts';
export * from './time.ts';
export * from './topics.ts';
export * from './venue.ts';
export * from './hash.ts';
export * from './ladder.ts';
export * from './session.ts';
export * from './tracks.ts';
export * from './keys.ts';
export * from './plans.ts';
export * from './record.ts';
export * from './tables.ts';
export {
  defineProjection,
  fingerprintOf,
  isNewer,
  type EventOf,
  type Merging,
  type Projection,
} from './projection.ts';
export { PROJECTIONS } from './projections/all.ts';
export { COVERAGE_KINDS, type CoverageKind } from './projections/coverage.ts';
export { MAX_REJECT_BODY, poisonRow, type PoisonRecord } from './projections/rejects.ts';
export type { VenueRequest } from './venues/request.ts';
export { venueA } from './venues/venue-a/normalize.ts';
export * as subscribeA from './venues/venue-a/subscribe.ts';
export { venueB } from './venues/venue-b/normalize.ts';
export * as subscribeB from './venues/venue-b/subscribe.ts';
export { venueC } from './venues/venue-c/normalize.ts';
export * as subscribeC from './venues/venue-c/subscribe.ts';
