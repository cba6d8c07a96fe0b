// The store over an engine: the same for chDB and for a server.

import { setImmediate as nextTurn } from 'node:timers/promises';
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

/** Parsed in one turn of the event loop. */
const PIECE_BYTES = 256 * 1024;
const NEWLINE = 10;

/** One record a line, no newline inside a record. A long answer is parsed in pieces, so that others have their turn. */
async function parseLines<T>(bytes: Uint8Array): Promise<T[]> {
  const rows: T[] = [];
  for (let start = 0; start < bytes.length;) {
    if (start > 0) await nextTurn();
    const newline = bytes.indexOf(NEWLINE, start + PIECE_BYTES);
    const end = newline < 0 ? bytes.length : newline;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start)
      .toString('utf8')
      .trimEnd();
    const piece = JSON.parse(`[${text.replaceAll('\n', ',')}]`) as T[];
    if (start === 0 && newline < 0) return piece;
    for (const row of piece) rows.push(row);
    start = end + 1;
  }
  return rows;
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
