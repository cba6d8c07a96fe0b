// The store over an engine: the same for chDB and for a server.

import { LadderlogError } from '@ladderlog/core';
import { CURRENT_GENERATION, switchToGeneration } from '../queries/generations.ts';
import type { Engine, Store, StoreHealth } from '../store.ts';
import type { Logger } from './logger.ts';
import { migrateStore } from './migrate.ts';
import type { MigrationTarget } from './migrations.ts';
import type { OnStatement, StoreLimits } from './statements.ts';
import { Statements } from './statements.ts';

export function createStore(
  engine: Engine,
  limits: StoreLimits,
  target: MigrationTarget,
  log: Logger,
  onStatement: OnStatement = () => undefined,
): Store {
  const statements = new Statements(engine, limits, log, onStatement);
  const store: Store = {
    kind: engine.kind,
    database: engine.database,
    cluster: target.cluster ?? null,
    queryRaw: (query, format, options) => statements.raw(query, format, options),
    query: async (query, options) => parseLines(await statements.raw(query, 'JSONEachRow', options)),
    queryStream: (query, format, options) => statements.stream(query, format, options),
    exec: (sql, options) => statements.run(sql, options),
    insertRowBinary: (table, columns, bytes, options) => statements.insert(table, columns, bytes, options),
    migrate: () => migrateStore(store, target, log),
    generation: () => currentGeneration(store),
    async switchGeneration(to, reason) {
      await store.exec(switchToGeneration(to, reason), { name: 'switch-generation' });
      const now = await store.generation();
      if (now !== to)
        throw new LadderlogError('STORE_QUERY_FAILED', `generation ${now} is served after a switch to ${to}`);
      log.info({ event: 'store.generation', generation: to, reason }, 'switched the served generation');
    },
    async health() {
      const { ok, version, error } = await versionOf(store);
      return { ok, kind: engine.kind, version, error };
    },
    async close() {
      await statements.close();
      await engine.close();
    },
  };
  return store;
}

/** One record a line, no newline inside a record. */
function parseLines<T>(bytes: Uint8Array): T[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8').trimEnd();
  return JSON.parse(`[${text.replaceAll('\n', ',')}]`) as T[];
}

async function currentGeneration(store: Store): Promise<number> {
  const [row] = await store.query<{ generation: number }>(CURRENT_GENERATION, { name: 'generation' });
  if (!row)
    throw new LadderlogError('STORE_QUERY_FAILED', 'the tables have no current generation: migrate first');
  return row.generation;
}

async function versionOf(store: Store): Promise<Pick<StoreHealth, 'ok' | 'version' | 'error'>> {
  try {
    const asked = { name: 'health', deadlineMs: 2_000 };
    const [row] = await store.query<{ version: string }>('SELECT version() AS version', asked);
    return { ok: true, version: row?.version ?? null, error: null };
  } catch (error) {
    return { ok: false, version: null, error: (error as LadderlogError).code };
  }
}
