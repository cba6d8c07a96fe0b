export type { Query, Store } from './store.ts';
export type { ChdbOptions, ChdbStore } from './engine/chdb-store.ts';
export { CHDB_LIMITS, openChdbStore } from './engine/chdb-store.ts';
export type { EngineStoreOptions } from './engine/engine-store.ts';
export { openEngineStore } from './engine/engine-store.ts';
export type { EngineServer, EngineServerOptions } from './engine-server/server.ts';
export { startEngineServer } from './engine-server/server.ts';
export { openServerStore, SERVER_LIMITS } from './engine/server-store.ts';
export type { DirectoryLock } from './engine/directory-lock.ts';
export { lockFile } from './engine/directory-lock.ts';
export { loadMigrations, renderMigration } from './engine/migrations.ts';
export { proveDeduplication } from './engine/migrate.ts';
export type { RowEncoder } from './engine/row-binary.ts';
export { columnsOf, createRowEncoder } from './engine/row-binary.ts';
export { toStoreError } from './engine/store-errors.ts';
export type { Keyset, SampledKeyset } from './queries/snapshots.ts';
export { latestRows, sampledSnapshotsPage, snapshotsAt, snapshotsPage } from './queries/snapshots.ts';
export type { MarketRecord, MarketsRequest } from './queries/markets.ts';
export {
  marketById,
  marketBySlug,
  marketRows,
  marketSeen,
  marketsPage,
  uncataloguedPage,
} from './queries/markets.ts';
export { samplesPage } from './queries/samples.ts';
export type { LastSeenRow, OverviewRow } from './queries/coverage.ts';
export { coverageRows, gapRows, gapsPage, lastSeenRows, openGapRows, overview } from './queries/coverage.ts';
export {
  SERVED_GENERATIONS,
  dropPartition,
  partitionsOfGeneration,
  rowsPerGeneration,
} from './queries/generations.ts';
export { anyRow, offsetsWithRows, partitionsWithRows } from './queries/log-rows.ts';
export type { CursorRow } from './queries/cursors.ts';
export { CURSOR_GENERATIONS, cursorRows, insertCursor } from './queries/cursors.ts';
export type { Copy, CopyPiece } from './queries/copy.ts';
export { copyMonths, copyPiece, copyPieces, hasHistory } from './queries/copy.ts';
export type { MarketSums } from './queries/checksum.ts';
export { createRowChecksum, marketSums } from './queries/checksum.ts';
export type { SqlFront } from './sql-front/front.ts';
export { startSqlFront } from './sql-front/front.ts';
export type { ExportFormat } from './export/columns.ts';
export { EXPORT_DATASETS, EXPORT_FORMATS } from './export/columns.ts';
export type { ExportProgress } from './export/export.ts';
export type { ExportManifest } from './export/manifest.ts';
export { exportData } from './export/export.ts';
