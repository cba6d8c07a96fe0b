export {
  createRangeProjector,
  schemaHash,
  tokenOf,
  type RangeProjector,
  type RowSink,
} from './ranges/range-projection.ts';
export type { Claim, Cursor, CursorKey, CursorStore, OffsetRange } from './ranges/cursor.ts';
export {
  createProjector,
  groupOf,
  type Projector,
  type ProjectorInput,
  type ProjectorOptions,
  type ProjectorStatus,
} from './ranges/projector.ts';
export type { PartitionStatus } from './ranges/partition.ts';
export type { ProjectorObserver, RangeDone } from './ranges/progress.ts';
export { openSqliteCursors } from './ranges/sqlite-cursors.ts';
export { openClickhouseCursors } from './ranges/clickhouse-cursors.ts';
export {
  tableChecksums,
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
