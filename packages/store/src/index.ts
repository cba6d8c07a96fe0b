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
export type { ChdbOptions, ChdbStore } from './chdb-store.ts';
export { CHDB_LIMITS, openChdbStore } from './chdb-store.ts';
export type { ServerOptions } from './server-store.ts';
export { openServerStore, SERVER_LIMITS } from './server-store.ts';
export type { DirectoryLock } from './directory-lock.ts';
export { lockFile } from './directory-lock.ts';
export type { StoreLimits } from './create-store.ts';
export type { Cluster, Migration, MigrationTarget } from './migrations.ts';
export { loadMigrations, quoteText, renderMigration } from './migrations.ts';
export { proveDeduplication } from './migrate.ts';
export { rowsBefore } from './positions.ts';
export type { RowEncoder } from './row-binary.ts';
export { columnsOf, createRowEncoder } from './row-binary.ts';
export { toStoreError } from './store-errors.ts';
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
export type { SqlFront, SqlFrontOptions } from './http-front.ts';
export { startSqlFront } from './http-front.ts';
export type { ExportDataset, ExportFormat } from './export-columns.ts';
export { EXPORT_DATASETS, EXPORT_FORMATS, EXPORT_SCHEMA_VERSION } from './export-columns.ts';
export type { ExportedFile, ExportManifest, ExportProgress, ExportRequest } from './export.ts';
export { exportData } from './export.ts';
