export { DEFAULT_LIMITS, type ProjectorLimits } from './limits.ts';
export { FAIL_POINTS, type FailPoint, type FailPoints } from './fail-points.ts';
export { createRangeProjector, schemaHash, tokenOf, type RangeProjector, type RowSink } from './batch.ts';
export type { Claim, Cursor, CursorKey, CursorStore, OffsetRange } from './cursor.ts';
export {
  createProjector,
  groupOf,
  type PartitionStatus,
  type Projector,
  type ProjectorObserver,
  type ProjectorOptions,
  type ProjectorStatus,
} from './run.ts';
export { openSqliteCursors } from './sqlite-cursors.ts';
export type { RangeDone } from './partition.ts';
export { openClickhouseCursors } from './clickhouse-cursors.ts';
export {
  tableChecksums,
  verify,
  type Difference,
  type TableSummary,
  type VerifyOptions,
  type VerifyResult,
} from './verify.ts';
export { checksumSql, createRowChecksum } from './checksum.ts';
export { dropGeneration, listGenerations, type GenerationInfo } from './generations.ts';
export {
  REBUILD_STEPS,
  rebuild,
  rollback,
  type RebuildOptions,
  type RebuildProgress,
  type RebuildResult,
  type RebuildStep,
} from './rebuild.ts';
export { createFollower, type Follower, type FollowerOptions } from './follow.ts';
