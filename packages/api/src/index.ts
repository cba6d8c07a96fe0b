export type { Api, ApiOptions } from './create-api.ts';
export { createApi } from './create-api.ts';
export type { ApiServer, ServeOptions } from './server.ts';
export { serveApi } from './server.ts';
export type { FollowedKeyRing, IssuedKey, KeyRingReader } from './key-ring.ts';
export {
  fixedKeyRing,
  followKeys,
  issueKey,
  listKeys,
  readKeys,
  revokeKey,
  rotateKey,
  sha256Hex,
} from './key-ring.ts';
export type { ApiErrorCode } from './errors.ts';
export { ApiError, STATUS_OF } from './errors.ts';
export { createMetricsServer } from './metrics.ts';
export type { RateLimits, RateState } from './rate-limit.ts';
export { createRateLimits } from './rate-limit.ts';
export { loadContract } from './contract.ts';
export type { LatestRow as LatestBookRow } from './latest-load.ts';
export { fromBookRow } from './latest-load.ts';
export type { CatalogueRow } from './market-view.ts';
export { identityOf } from './market-view.ts';
