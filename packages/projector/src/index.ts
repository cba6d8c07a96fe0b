export type { CursorKey, CursorStore, OffsetRange } from './ranges/cursor.ts';
export {
  createProjector,
  type Projector,
  type ProjectorInput,
  type ProjectorOptions,
  type ProjectorStatus,
} from './ranges/projector.ts';
export type { ProjectorObserver } from './ranges/progress.ts';
export { openSqliteCursors } from './ranges/sqlite-cursors.ts';
export { openClickhouseCursors } from './ranges/clickhouse-cursors.ts';
export {
  verify,
  type Difference,
  type TableSummary,
  type VerifyOptions,
  type VerifyResult,
} from './verify/verify.ts';
export { dropGeneration, listGenerations, rollback, type GenerationInfo } from './rebuild/generations.ts';
export { rebuild, type RebuildOptions, type RebuildResult } from './rebuild/rebuild.ts';
export type { RebuildProgress } from './rebuild/build.ts';
export { createFollower, type Follower, type FollowerOptions } from './ranges/follow.ts';
