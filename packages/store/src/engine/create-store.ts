// Everything the two connections share: the queue, settings in the text of each statement, errors, generations.

import type { Readable } from 'node:stream';
import { finished } from 'node:stream';
import { LadderlogError } from '@ladderlog/core';
import type { Logger } from './logger.ts';
import { migrateStore } from './migrate.ts';
import type { MigrationTarget } from './migrations.ts';
import { checkedName, quoteText } from '../sql.ts';
import type { Lane, QueueLimits } from './query-queue.ts';
import { QueryQueue } from './query-queue.ts';
import { CURRENT_GENERATION, switchToGeneration } from '../queries/generations.ts';
import type { Engine, Query, QueryOptions, Settings, Store } from '../store.ts';
import { toStoreError } from './store-errors.ts';

/** Told after every statement, well ended or not: its name and how long it took, its wait for a turn included. */
export type OnStatement = (name: string, tookMs: number) => void;

export type StoreLimits = {
  readonly read: QueueLimits;
  readonly write: QueueLimits;
  readonly deadlineMs: number;
  readonly readMemoryBytes: number;
  readonly writeMemoryBytes: number;
  readonly readThreads: number;
};

/** How the answers of queryRaw and query look, whatever the server's own defaults are. */
const JSON_SETTINGS: Settings = {
  output_format_json_quote_64bit_integers: 0,
  output_format_json_escape_forward_slashes: 0,
  output_format_json_named_tuples_as_objects: 1,
  output_format_json_quote_denormals: 0,
  date_time_output_format: 'simple',
};

export function createStore(
  engine: Engine,
  limits: StoreLimits,
  target: MigrationTarget,
  log: Logger,
  onStatement: OnStatement = () => undefined,
): Store {
  const queue = new QueryQueue({ read: limits.read, write: limits.write });

  const limitsOf = (lane: Lane, deadline: number): Settings => ({
    max_execution_time: Math.max(0.05, (deadline - performance.now()) / 1000).toFixed(3),
    max_memory_usage: lane === 'read' ? limits.readMemoryBytes : limits.writeMemoryBytes,
    // Pages are small: a reader that stops at a limit should not have filled a block of 65,000 rows by then.
    ...(lane === 'read' ? { max_threads: limits.readThreads, max_block_size: 8_192 } : {}),
  });

  async function guarded<T>(
    lane: Lane,
    doing: string,
    deadlineMs: number,
    task: (deadline: number) => Promise<T>,
  ): Promise<T> {
    const began = performance.now();
    const deadline = began + deadlineMs;
    try {
      return await queue.run(lane, deadlineMs, () => task(deadline));
    } catch (error) {
      const mapped = toStoreError(error, doing);
      log.debug({ event: 'store.failed', doing, code: mapped.code, err: mapped }, 'store query failed');
      throw mapped;
    } finally {
      onStatement(doing, performance.now() - began);
    }
  }

  const compose = (query: Query | string, lane: Lane, deadline: number, options: QueryOptions): Query => {
    const { sql, params } = typeof query === 'string' ? { sql: query, params: {} } : query;
    const settings = {
      ...JSON_SETTINGS,
      ...limitsOf(lane, deadline),
      log_comment: `ladderlog:${options.name ?? 'query'}`,
      ...options.settings,
    };
    return { sql: `${sql}\nSETTINGS ${settingsText(settings)}`, params };
  };

  const store: Store = {
    kind: engine.kind,
    database: engine.database,
    cluster: target.cluster?.name ?? null,

    async queryRaw(query, format, options = {}) {
      const lane = options.lane ?? 'read';
      return guarded(
        lane,
        options.name ?? 'query',
        options.deadlineMs ?? limits.deadlineMs,
        async (deadline) => {
          const { sql, params } = compose(query, lane, deadline, options);
          return collected(await engine.answer(sql, params, format, lane));
        },
      );
    },

    async query<T>(query: Query | string, options: QueryOptions = {}): Promise<T[]> {
      const bytes = await store.queryRaw(query, 'JSONEachRow', options);
      if (bytes.length === 0) return [];
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8').trimEnd();
      return JSON.parse(`[${text.replaceAll('\n', ',')}]`) as T[];
    },

    queryStream(query, format, options = {}) {
      const lane = options.lane ?? 'read';
      const deadlineMs = options.deadlineMs ?? limits.deadlineMs;
      return new Promise((resolve, reject) => {
        guarded(lane, options.name ?? 'query', deadlineMs, async (deadline) => {
          const { sql, params } = compose(query, lane, deadline, options);
          const stream = await engine.answer(sql, params, format, lane);
          await new Promise<void>((ended) => {
            finished(stream, () => ended());
            resolve(stream);
          });
        }).catch(reject);
      });
    },

    exec: (sql, options = {}) =>
      guarded('write', options.name ?? 'exec', options.deadlineMs ?? 60_000, (deadline) =>
        engine.run(
          options.settings
            ? `${sql}\nSETTINGS ${settingsText({ ...limitsOf('write', deadline), log_comment: `ladderlog:${options.name ?? 'exec'}`, ...options.settings })}`
            : sql,
        ),
      ),

    async insertRowBinary(table, columns, bytes, options) {
      if (bytes.length === 0) return;
      const head = `INSERT INTO ${checkedName(table)} (${columns.map(checkedName).join(', ')})`;
      await guarded('write', `insert ${table}`, options.deadlineMs ?? 60_000, (deadline) =>
        engine.insert(
          head,
          `SETTINGS ${settingsText({
            ...limitsOf('write', deadline),
            async_insert: 0,
            insert_deduplicate: 1,
            insert_deduplication_token: options.token,
            // A range of an import may span any number of months; the default refuses more than 100.
            max_partitions_per_insert_block: 0,
            log_comment: `ladderlog:insert:${table}`,
          })} FORMAT RowBinary`,
          bytes,
        ),
      );
    },

    migrate: () => migrateStore(store, target, log),

    async generation() {
      const [row] = await store.query<{ generation: number }>(CURRENT_GENERATION, { name: 'generation' });
      if (!row)
        throw new LadderlogError(
          'STORE_QUERY_FAILED',
          'the tables have no current generation: migrate first',
        );
      return row.generation;
    },

    async switchGeneration(to, reason) {
      await store.exec(switchToGeneration(to, reason), { name: 'switch-generation' });
      const now = await store.generation();
      if (now !== to)
        throw new LadderlogError('STORE_QUERY_FAILED', `generation ${now} is served after a switch to ${to}`);
      log.info({ event: 'store.generation', generation: to, reason }, 'switched the served generation');
    },

    async health() {
      try {
        const [row] = await store.query<{ version: string }>('SELECT version() AS version', {
          name: 'health',
          deadlineMs: 2_000,
        });
        return {
          ok: true,
          kind: engine.kind,
          version: row?.version ?? null,
          queue: queue.state(),
          error: null,
        };
      } catch (error) {
        return {
          ok: false,
          kind: engine.kind,
          version: null,
          queue: queue.state(),
          error: (error as LadderlogError).code,
        };
      }
    },

    async close() {
      await queue.close();
      await engine.close();
    },
  };
  return store;
}

/** The whole answer. chDB gives it in one piece, which is passed on as it is: copies of megabytes are what makes V8 collect. */
async function collected(stream: Readable): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

/** `a = 1, b = 'x'`: in the statement itself, because chDB's client would SET it for the whole session. */
export function settingsText(settings: Settings): string {
  return Object.entries(settings)
    .map(([name, value]) => {
      if (!/^[a-z][a-z0-9_]*$/.test(name))
        throw new LadderlogError('BAD_ARGUMENT', `'${name}' is no setting`);
      return `${name} = ${typeof value === 'number' ? value : quoteText(value)}`;
    })
    .join(', ');
}
