// How a statement reaches an engine, whichever it is: in its turn, within its limits, with errors as codes of ours. Settings go
// into the text of each statement, because chDB's client would SET them for the whole session.

import type { Readable } from 'node:stream';
import { finished } from 'node:stream';
import { LadderlogError } from '@ladderlog/core';
import { checkedName, quoteText } from '../queries/sql.ts';
import type { Engine, InsertOptions, Lane, Query, QueryOptions, Settings } from '../store.ts';
import type { Logger } from './logger.ts';
import type { QueueLimits } from './query-queue.ts';
import { QueryQueue } from './query-queue.ts';
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

/** How answers look, whatever the server's own defaults are. */
const JSON_SETTINGS: Settings = {
  output_format_json_quote_64bit_integers: 0,
  output_format_json_escape_forward_slashes: 0,
  output_format_json_named_tuples_as_objects: 1,
  output_format_json_quote_denormals: 0,
  date_time_output_format: 'simple',
};

const WRITE_DEADLINE_MS = 60_000;

export class Statements {
  private readonly queues: Readonly<Record<Lane, QueryQueue>>;
  private readonly engine: Engine;
  private readonly limits: StoreLimits;
  private readonly log: Logger;
  private readonly onStatement: OnStatement;

  constructor(engine: Engine, limits: StoreLimits, log: Logger, onStatement: OnStatement) {
    this.queues = { read: new QueryQueue('read', limits.read), write: new QueryQueue('write', limits.write) };
    this.engine = engine;
    this.limits = limits;
    this.log = log;
    this.onStatement = onStatement;
  }

  raw(query: Query | string, format: string, options: QueryOptions = {}): Promise<Uint8Array> {
    return this.asking(query, format, options, collected);
  }

  /** Holds its turn until the stream ends or is destroyed. */
  stream(query: Query | string, format: string, options: QueryOptions = {}): Promise<Readable> {
    return new Promise((resolve, reject) => {
      const passOn = (stream: Readable): Promise<void> =>
        new Promise((ended) => {
          finished(stream, () => ended());
          resolve(stream);
        });
      this.asking(query, format, options, passOn).catch(reject);
    });
  }

  run(
    sql: string,
    { name = 'exec', deadlineMs = WRITE_DEADLINE_MS, settings }: QueryOptions = {},
  ): Promise<void> {
    return this.guarded('write', name, deadlineMs, (deadline) => {
      if (settings === undefined) return this.engine.run(sql, null);
      const limits = this.limitsOf('write', deadline);
      const all = settingsText({ ...limits, log_comment: `ladderlog:${name}`, ...settings });
      return this.engine.run(`${sql}\nSETTINGS ${all}`, leftUntil(deadline));
    });
  }

  async insert(
    table: string,
    columns: readonly string[],
    bytes: Uint8Array,
    { token, deadlineMs = WRITE_DEADLINE_MS }: InsertOptions,
  ): Promise<void> {
    if (bytes.length === 0) return;
    const head = `INSERT INTO ${checkedName(table)} (${columns.map(checkedName).join(', ')})`;
    await this.guarded('write', `insert ${table}`, deadlineMs, (deadline) => {
      const settings = {
        ...this.limitsOf('write', deadline),
        async_insert: 0,
        insert_deduplicate: 1,
        insert_deduplication_token: token,
        // A range of an import may span any number of months; the default refuses more than 100.
        max_partitions_per_insert_block: 0,
        // Rows are whole. Without this the engine describes the table to its own reader, defaults and comments and all, each time.
        input_format_defaults_for_omitted_fields: 0,
        log_comment: `ladderlog:insert:${table}`,
      };
      const tail = `SETTINGS ${settingsText(settings)} FORMAT RowBinary`;
      return this.engine.insert(head, tail, bytes, leftUntil(deadline));
    });
  }

  /** Refuses new statements, and resolves when those that run have ended. */
  async close(): Promise<void> {
    await Promise.all([this.queues.read.close(), this.queues.write.close()]);
  }

  private asking<T>(
    query: Query | string,
    format: string,
    options: QueryOptions,
    take: (stream: Readable) => Promise<T>,
  ): Promise<T> {
    const { name = 'query', lane = 'read', deadlineMs = this.limits.deadlineMs } = options;
    const ask = async (deadline: number): Promise<T> => {
      const { sql, params } = typeof query === 'string' ? { sql: query, params: {} } : query;
      const settings = {
        ...JSON_SETTINGS,
        ...this.limitsOf(lane, deadline),
        log_comment: `ladderlog:${name}`,
        ...options.settings,
      };
      const text = `${sql}\nSETTINGS ${settingsText(settings)}`;
      return take(await this.engine.answer(text, params, format, lane, leftUntil(deadline)));
    };
    return this.guarded(lane, name, deadlineMs, ask, options.signal);
  }

  private async guarded<T>(
    lane: Lane,
    doing: string,
    deadlineMs: number,
    task: (deadline: number) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const began = performance.now();
    try {
      return await this.queues[lane].run(deadlineMs, () => task(began + deadlineMs), signal);
    } catch (error) {
      const mapped = toStoreError(error, doing);
      this.log.debug({ event: 'store.failed', doing, code: mapped.code, err: mapped }, 'store query failed');
      throw mapped;
    } finally {
      this.onStatement(doing, performance.now() - began);
    }
  }

  private limitsOf(lane: Lane, deadline: number): Settings {
    const max_execution_time = (leftUntil(deadline) / 1000).toFixed(3);
    const { readMemoryBytes, writeMemoryBytes, readThreads } = this.limits;
    return lane === 'write'
      ? { max_execution_time, max_memory_usage: writeMemoryBytes }
      : {
          max_execution_time,
          max_memory_usage: readMemoryBytes,
          max_threads: readThreads,
          // Pages are small: a reader that stops at a limit should not have filled a block of 65,000 rows by then.
          max_block_size: 8_192,
        };
  }
}

const leftUntil = (deadline: number): number => Math.max(50, deadline - performance.now());

/** The whole answer. chDB gives it in one piece, which is passed on as it is: copies of megabytes are what makes V8 collect. */
export async function collected(stream: Readable): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

/** `a = 1, b = 'x'`. */
export function settingsText(settings: Settings): string {
  return Object.entries(settings)
    .map(([name, value]) => {
      if (!/^[a-z][a-z0-9_]*$/.test(name))
        throw new LadderlogError('BAD_ARGUMENT', `'${name}' is no setting`);
      return `${name} = ${typeof value === 'number' ? value : quoteText(value)}`;
    })
    .join(', ');
}
