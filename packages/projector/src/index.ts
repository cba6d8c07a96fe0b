export { DEFAULT_LIMITS, type ProjectorLimits } from './ranges/limits.ts';
export { FAIL_POINTS, type FailPoint, type FailPoints } from './ranges/fail-points.ts';
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
export { checksumSql, createRowChecksum } from './verify/checksum.ts';
export { dropGeneration, listGenerations, type GenerationInfo } from './ranges/generations.ts';
export {
  REBUILD_STEPS,
  rebuild,
  rollback,
  type RebuildOptions,
  type RebuildProgress,
  type RebuildResult,
  type RebuildStep,
} from './rebuild/rebuild.ts';
export { createFollower, type Follower, type FollowerOptions } from './ranges/follow.ts';
