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
export type { StoreLimits } from './create-store.ts';
export type { Cluster, Migration, MigrationTarget } from './migrations.ts';
export { loadMigrations, quoteText, renderMigration } from './migrations.ts';
export { proveDeduplication } from './migrate.ts';
export type { RowEncoder } from './row-binary.ts';
export { columnsOf, createRowEncoder } from './row-binary.ts';
export { toStoreError } from './store-errors.ts';
