export type {
  Engine,
  InsertOptions,
  MigrationReport,
  Query,
  QueryOptions,
  QueryParams,
  Settings,
  Store,
  StoreHealth,
} from './store.ts';
export type { ChdbOptions, ChdbStore } from './engine/chdb-store.ts';
export { CHDB_LIMITS, openChdbStore } from './engine/chdb-store.ts';
export type { ServerOptions } from './engine/server-store.ts';
export { openServerStore, SERVER_LIMITS } from './engine/server-store.ts';
export type { DirectoryLock } from './engine/directory-lock.ts';
export { lockFile } from './engine/directory-lock.ts';
export type { StoreLimits } from './engine/create-store.ts';
export type { Cluster, Migration, MigrationTarget } from './engine/migrations.ts';
export { loadMigrations, quoteText, renderMigration } from './engine/migrations.ts';
export { proveDeduplication } from './engine/migrate.ts';
export { rowsBefore } from './positions.ts';
export type { RowEncoder } from './engine/row-binary.ts';
export { columnsOf, createRowEncoder } from './engine/row-binary.ts';
export { toStoreError } from './engine/store-errors.ts';
export type { BookSelection, Keyset, SampledKeyset, SnapshotsRequest } from './queries/snapshots.ts';
export { latestRows, sampledSnapshotsPage, snapshotsAt, snapshotsPage } from './queries/snapshots.ts';
export type { MarketRecord, MarketsRequest, UncataloguedRequest } from './queries/markets.ts';
export {
  marketById,
  marketBySlug,
  marketRows,
  marketSeen,
  marketsPage,
  uncataloguedPage,
} from './queries/markets.ts';
export type { SamplesRequest } from './queries/samples.ts';
export { samplesPage } from './queries/samples.ts';
export type { GapsRequest, OverviewRow, SignRow, TrackRequest } from './queries/coverage.ts';
export { coverageRows, gapRows, gapsPage, overview, signRows } from './queries/coverage.ts';
export type { TablePlace } from './queries/generations.ts';
export { dropPartition, partitionsOfGeneration } from './queries/generations.ts';
export type { SqlFront, SqlFrontOptions } from './sql-front/front.ts';
export { startSqlFront } from './sql-front/front.ts';
export type { ExportDataset, ExportFormat } from './export/columns.ts';
export { EXPORT_DATASETS, EXPORT_FORMATS, EXPORT_SCHEMA_VERSION } from './export/columns.ts';
export type { ExportedFile, ExportManifest, ExportProgress, ExportRequest } from './export/export.ts';
export { exportData } from './export/export.ts';
