import { createHash, randomUUID } from 'node:crypto';
import { LadderlogError } from '@ladderlog/core';
import type { Logger } from './logger.ts';
import type { Migration, MigrationTarget } from './migrations.ts';
import { quoteText } from '../queries/sql.ts';
import { loadMigrations, renderMigration } from './migrations.ts';
import { RowBinaryWriter } from './row-binary.ts';
import type { MigrationReport, Store } from '../store.ts';

/** Where the migrations themselves are recorded, and the probe of deduplication: before the first of them. */
const GROUND = `
CREATE TABLE IF NOT EXISTS {db}.schema_migrations{local} {cluster} (
  id UInt32 COMMENT 'Number of the migration',
  name String COMMENT 'Its name',
  checksum String COMMENT 'SHA-256 of its text',
  applied_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'For people'
) ENGINE = {MergeTree} ORDER BY id SETTINGS index_granularity = 8192, {dedup};
{distributed schema_migrations 0};
CREATE TABLE IF NOT EXISTS {db}.deduplication_probe{local} {cluster} (
  probe String COMMENT 'Written twice with one token at every start; must be there once'
) ENGINE = {MergeTree} ORDER BY probe SETTINGS index_granularity = 8192, {dedup};
{distributed deduplication_probe 0};
`;

export async function migrateStore(
  store: Store,
  target: MigrationTarget,
  log: Logger,
  migrations: readonly Migration[] = loadMigrations(),
): Promise<MigrationReport> {
  for (const statement of renderMigration(GROUND, target)) await store.exec(statement, { name: 'migrate' });
  const done = await store.query<{ id: number; checksum: string }>(
    'SELECT id, any(checksum) AS checksum FROM schema_migrations GROUP BY id ORDER BY id',
    { name: 'migrate', lane: 'write' },
  );
  const newest = done.at(-1)?.id ?? 0;
  const known = migrations.length;
  if (newest > known)
    throw new LadderlogError(
      'DATA_DIRECTORY_NEWER',
      `the tables are at schema ${newest}, this version of Ladderlog knows ${known}: run the newer version`,
    );
  const applied: string[] = [];
  for (const migration of migrations) {
    const checksum = createHash('sha256').update(migration.text).digest('hex');
    const before = done.find(({ id }) => id === migration.id);
    if (before) {
      if (before.checksum !== checksum)
        throw new LadderlogError(
          'BAD_CONFIG',
          `migration ${migration.id} was changed after it was applied here: drop the database and rebuild from the log`,
        );
      continue;
    }
    for (const statement of renderMigration(migration.text, target)) {
      await store.exec(statement, { name: `migration-${migration.id}` });
    }
    await store.exec(
      `INSERT INTO schema_migrations (id, name, checksum) VALUES (${migration.id}, ${quoteText(migration.name)}, ${quoteText(checksum)})`,
      { name: 'migrate' },
    );
    applied.push(migration.name);
    log.info({ event: 'store.migrated', id: migration.id, name: migration.name }, 'applied a migration');
  }
  await proveDeduplication(store);
  return { applied, version: known };
}

/** Without a window the engine ignores tokens in silence, and every repeated batch would be there twice. */
export async function proveDeduplication(store: Store): Promise<void> {
  const probe = randomUUID();
  const writer = new RowBinaryWriter(64);
  writer.text(probe);
  for (let time = 0; time < 2; time++) {
    await store.insertRowBinary('deduplication_probe', ['probe'], writer.bytes(), {
      token: `probe:${probe}`,
    });
  }
  const [row] = await store.query<{ rows: number }>(
    {
      sql: 'SELECT count() AS rows FROM deduplication_probe WHERE probe = {probe:String}',
      params: { probe },
    },
    { name: 'deduplication-probe', lane: 'write' },
  );
  if (row?.rows !== 1)
    throw new LadderlogError(
      'STORE_NOT_DEDUPLICATING',
      `a repeated insert token gave ${row?.rows ?? 0} rows in place of 1: deduplication windows are not in force`,
    );
}
