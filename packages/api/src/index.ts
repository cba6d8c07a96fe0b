export type { Api, ApiOptions } from './server/create-api.ts';
export { createApi } from './server/create-api.ts';
export type { ApiServer, ServeOptions } from './server/server.ts';
export { serveApi } from './server/server.ts';
export type { FollowedKeyRing, IssuedKey, KeyRingReader } from './access/key-ring.ts';
export {
  followKeys,
  issueKey,
  listKeys,
  readKeys,
  revokeKey,
  rotateKey,
  sha256Hex,
} from './access/key-ring.ts';
export type { ApiErrorCode } from './answers/errors.ts';
export { ApiError, STATUS_OF } from './answers/errors.ts';
export type { RateLimits, RateState } from './access/rate-limit.ts';
export { createRateLimits } from './access/rate-limit.ts';
export { loadContract } from './contract/contract.ts';
