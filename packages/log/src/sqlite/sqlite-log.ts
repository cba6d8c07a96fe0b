// The embedded event log: one SQLite file with the topics, partitions, offsets and groups of Kafka. Several processes may use
// the file at once. See docs/adr/0004. The file may also hold tables of others (the projector's cursors): they open their own
// connection to `path`; names that begin with `batches`, `group_`, `partitions` and `schemas` are taken.

import { createHash } from 'node:crypto';
import type { Clock, EventType } from '@ladderlog/core';
import { EVENT_TYPES, LadderlogError, TOPICS } from '@ladderlog/core';
import type { DatabaseSync } from 'node:sqlite';
import type { Logger } from 'pino';
import type { SchemaIds } from '../avro/codec.ts';
import { createCodec } from '../avro/codec.ts';
import type { EventLog, LogBatch, ReadRequest, TopicInfo } from '../log.ts';
import { DEFAULT_PARTITIONS } from '../log.ts';
import { EVENT_SCHEMAS } from '../avro/schemas.ts';
import { Appender } from './append.ts';
import {
  connect,
  isBusy,
  isCorrupt,
  patiently,
  prepareFile,
  restoreLength,
  toLogError,
  transaction,
} from './file.ts';
import { Groups } from './groups.ts';
import { PartitionTable } from './partitions.ts';
import { Reader } from './read.ts';
import type { Retention } from './upkeep.ts';
import { Upkeep } from './upkeep.ts';
import { Watch } from './watch.ts';

export type SqliteLogOptions = {
  /** The file; its folder is made when missing. */
  readonly path: string;
  /** Of topics that the file does not have yet. */
  readonly partitions?: number;
  /** Per topic; none: everything is kept for ever. */
  readonly retention?: Readonly<Record<string, Retention>>;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** How often appends of other processes are looked for, while somebody waits. */
  readonly pollMs?: number;
  /** How often small batches are packed and retention is applied; 0: never in this process. */
  readonly upkeepMs?: number;
  /** A group member that has not been heard of for sessionMs loses its partitions. The same in all processes. */
  readonly heartbeatMs?: number;
  readonly sessionMs?: number;
};

export type SqliteLog = EventLog & {
  readonly kind: 'sqlite';
  /** The database file, for others that keep tables in it. */
  readonly path: string;
  /** Packs what can be packed and applies retention now, rather than when it is due. */
  tidy(): Promise<void>;
};

const OPEN_LIMIT_MS = 10_000;

export async function openSqliteLog(options: SqliteLogOptions): Promise<SqliteLog> {
  const began = performance.now();
  let restored = false;
  for (;;) {
    try {
      return start(options);
    } catch (error) {
      if (isBusy(error) && performance.now() - began < OPEN_LIMIT_MS) {
        await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20));
        continue;
      }
      if (isCorrupt(error) && !restored && restoreLength(options.path, options.logger)) {
        restored = true;
        continue;
      }
      throw toLogError(error, options.path);
    }
  }
}

function start(options: SqliteLogOptions): SqliteLog {
  const { path, logger } = options;
  const clock = options.clock ?? (() => Date.now() * 1_000);
  const db = connect(path, true);
  let upkeepDb: DatabaseSync | null = null;
  try {
    prepareFile(db, path, TOPICS, options.partitions ?? DEFAULT_PARTITIONS);
    // Leases, committed offsets and packing need not wait for the disk: losing the newest of them to a power cut costs a
    // repeat, never an event.
    upkeepDb = connect(path, false);
    return assemble(options, db, upkeepDb, clock, logger);
  } catch (error) {
    upkeepDb?.close();
    db.close();
    throw error;
  }
}

function assemble(
  options: SqliteLogOptions,
  db: DatabaseSync,
  upkeepDb: DatabaseSync,
  clock: Clock,
  logger: Logger | undefined,
): SqliteLog {
  const { path } = options;
  const codec = createCodec(keepSchemas(db));
  const partitions = new PartitionTable(db);
  const watch = new Watch(db, options.pollMs ?? 25);
  const reader = new Reader({ db, path, codec, partitions, watch, logger });
  const appender = new Appender({ db, path, codec, partitions, clock, onCommitted: () => watch.notify() });
  const groups = new Groups({
    db: upkeepDb,
    path,
    partitions,
    reader,
    watch,
    logger,
    heartbeatMs: options.heartbeatMs ?? 1_000,
    sessionMs: options.sessionMs ?? 10_000,
  });
  const upkeep = new Upkeep({
    db: upkeepDb,
    partitions,
    clock,
    logger,
    retention: options.retention ?? {},
    everyMs: options.upkeepMs ?? 2_000,
  });

  const closing = new AbortController();
  let closed: Promise<void> | null = null;
  const use = (): void => {
    if (closed) throw new LadderlogError('LOG_CLOSED', 'the log is closed');
  };
  /** For everything that touches the file outside a generator. */
  const attempt = async <T>(work: () => T | Promise<T>): Promise<T> => {
    use();
    try {
      return await patiently(work);
    } catch (error) {
      throw toLogError(error, path);
    }
  };

  const shut = async (): Promise<void> => {
    closing.abort();
    await appender.drain();
    await groups.close();
    await upkeep.close();
    watch.close();
    upkeepDb.close();
    db.close();
  };

  return {
    kind: 'sqlite',
    path,
    codec,
    append: (events) => (closed ? attempt(() => []) : appender.append(events)),
    read(request) {
      const signal = request.signal ? AbortSignal.any([request.signal, closing.signal]) : closing.signal;
      return reading(reader, { ...request, signal }, attempt, () => {
        // Ending without a word is for those who asked for it.
        if (!request.signal?.aborted) use();
      });
    },
    async consume(request) {
      use();
      await groups.consume({ ...request, signal: AbortSignal.any([request.signal, closing.signal]) });
    },
    committed: (group, topic) => attempt(() => groups.committed(group, topic)),
    commit: (group, positions) => attempt(() => groups.commit(group, positions)),
    topics: () => attempt(() => topicInfos(partitions)),
    offsetsAt: (topic, at) =>
      attempt(() => Promise.all(partitions.idsOf(topic).map((id) => reader.offsetAt(id, at)))),
    timeSpans: (from, end, times) =>
      (async function* () {
        await attempt(() => undefined);
        yield* reader.spans(from, end, times);
      })(),
    partitionOf: (topic, key) => partitions.partitionOf(topic, key),
    tidy: () => attempt(() => upkeep.run()),
    close: () => (closed ??= shut()),
  };
}

function reading(
  reader: Reader,
  request: ReadRequest,
  attempt: <T>(work: () => T) => Promise<T>,
  atEnd: () => void,
): AsyncIterable<LogBatch> {
  // Planned at once, so that the end is the end at the time of the call; a fault is thrown where the caller can catch it.
  const plan = attempt(() => reader.plan(request));
  plan.catch(() => undefined);
  return (async function* () {
    yield* reader.read(await plan, request);
    if (request.signal?.aborted) atEnd();
  })();
}

function topicInfos(partitions: PartitionTable): TopicInfo[] {
  const rows = partitions.rows();
  return partitions.topics().map((topic) => ({
    topic,
    partitions: rows
      .filter((row) => row.topic === topic)
      .map(({ partition, begin, end }) => ({ partition, begin, end })),
  }));
}

/** The file's own registry: every schema that any version wrote with, by number. */
function keepSchemas(db: DatabaseSync): SchemaIds {
  const find = db.prepare('SELECT id FROM schemas WHERE sha256 = ?');
  const add = db.prepare('INSERT OR IGNORE INTO schemas (name, sha256, schema) VALUES (?, ?, ?)');
  const byId = db.prepare('SELECT schema FROM schemas WHERE id = ?');
  const idOf = (type: EventType): number | undefined =>
    (find.get(sha256(compact(EVENT_SCHEMAS[type].text))) as { id: number } | undefined)?.id;
  if (EVENT_TYPES.some((type) => idOf(type) === undefined))
    transaction(db, () => {
      for (const type of EVENT_TYPES) {
        const schema = compact(EVENT_SCHEMAS[type].text);
        add.run(EVENT_SCHEMAS[type].name, sha256(schema), schema);
      }
    });
  const ids = new Map(EVENT_TYPES.map((type) => [type, idOf(type)!]));
  const own = new Map(EVENT_TYPES.map((type) => [ids.get(type)!, EVENT_SCHEMAS[type].text]));
  return {
    idOf: (type) => ids.get(type)!,
    // Our own need not be read back: they are at hand even where the file is damaged.
    schemaOf: (id) => own.get(id) ?? (byId.get(id) as { schema: string } | undefined)?.schema ?? null,
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const compact = (text: string): string => JSON.stringify(JSON.parse(text));
