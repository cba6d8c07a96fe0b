// The embedded event log: one SQLite file with the topics, partitions, offsets and groups of Kafka. Several processes may use
// the file at once. See docs/adr/0004. The file may also hold tables of others (the projector's cursors): they open their own
// connection to `path`; names that begin with `batches`, `group_`, `partitions` and `schemas` are taken.

import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '@ladderlog/core';
import { TOPICS } from '@ladderlog/core';
import type { Logger } from 'pino';
import type { WritingCodec } from '../avro/codec.ts';
import { createCodec } from '../avro/codec.ts';
import { closed } from '../errors.ts';
import type { ConsumeRequest, EventLog, LogBatch, ReadRequest, TimeSpan } from '../log.ts';
import { DEFAULT_PARTITIONS } from '../log.ts';
import { Appender } from './append.ts';
import { isCorrupt, retryWhileBusy, toLogError } from './errors.ts';
import { connect, prepareFile, restoreLength } from './file.ts';
import { GroupTables } from './group-tables.ts';
import { GroupMember } from './member.ts';
import { PartitionTable } from './partitions.ts';
import { Reader } from './read.ts';
import type { Retention } from './retention.ts';
import { schemaTable } from './schema-table.ts';
import { Upkeep } from './upkeep.ts';
import { Watch } from './watch.ts';

export type SqliteLogOptions = {
  /** The file; its folder is made when missing. */
  readonly path: string;
  /** Of topics that the file does not have yet. */
  readonly partitions?: number;
  readonly retention?: Retention;
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

export async function openSqliteLog(options: SqliteLogOptions): Promise<SqliteLog> {
  let restored = false;
  for (;;) {
    try {
      return await retryWhileBusy(() => start(options));
    } catch (error) {
      if (!isCorrupt(error) || restored || !restoreLength(options.path, options.logger))
        throw toLogError(error, options.path);
      restored = true;
    }
  }
}

function start(options: SqliteLogOptions): SqliteLog {
  const { path } = options;
  const db = connect(path, true);
  let upkeepDb: DatabaseSync | null = null;
  try {
    prepareFile(db, path, TOPICS, options.partitions ?? DEFAULT_PARTITIONS);
    // Leases, committed offsets and packing need not wait for the disk: losing the newest of them to a power cut costs a
    // repeat, never an event.
    upkeepDb = connect(path, false);
    const log = new OpenFile(options, db, upkeepDb);
    return {
      kind: 'sqlite',
      path,
      codec: log.codec,
      append: (events) => log.append(events),
      read: (request) => log.read(request),
      consume: (request) => log.consume(request),
      committed: (group, topic) => log.use(() => log.groups.committed(group, topic)),
      commit: (group, positions) => log.use(() => log.groups.commit(group, positions)),
      topics: () => log.use(() => log.partitions.infos()),
      offsetsAt: (topic, at) =>
        log.use(() => Promise.all(log.partitions.idsOf(topic).map((id) => log.reader.offsetAt(id, at)))),
      timeSpans: (from, end, times) => log.timeSpans(from, end, times),
      partitionOf: (topic, key) => log.partitions.partitionOf(topic, key),
      tidy: () => log.use(() => log.upkeep.run()),
      close: () => log.close(),
    };
  } catch (error) {
    upkeepDb?.close();
    db.close();
    throw error;
  }
}

/** The parts of the log over one open file, and the end of all of them. */
class OpenFile {
  private readonly options: SqliteLogOptions;
  private readonly connections: readonly DatabaseSync[];
  private readonly watch: Watch;
  private readonly appender: Appender;
  readonly codec: WritingCodec;
  readonly partitions: PartitionTable;
  readonly reader: Reader;
  readonly groups: GroupTables;
  readonly upkeep: Upkeep;
  private readonly sessionMs: number;
  private readonly members = new Set<Promise<void>>();
  private readonly closing = new AbortController();
  private closed: Promise<void> | null = null;

  constructor(options: SqliteLogOptions, db: DatabaseSync, upkeepDb: DatabaseSync) {
    const { path, logger, clock = () => Date.now() * 1_000, retention = {} } = options;
    this.options = options;
    this.connections = [upkeepDb, db];
    this.sessionMs = options.sessionMs ?? 10_000;
    const codec = (this.codec = createCodec(schemaTable(db)));
    const partitions = (this.partitions = new PartitionTable(db));
    const watch = (this.watch = new Watch(db, options.pollMs ?? 25));
    const onCommitted = (): void => watch.notify();
    this.reader = new Reader({ db, path, codec, partitions, watch, logger });
    this.appender = new Appender({ db, path, codec, partitions, clock, onCommitted });
    this.groups = new GroupTables(upkeepDb, partitions, this.sessionMs);
    const everyMs = options.upkeepMs ?? 2_000;
    this.upkeep = new Upkeep({ db: upkeepDb, partitions, clock, logger, retention, everyMs });
  }

  refuseClosed(): void {
    if (this.closed) throw closed();
  }

  /** For everything that touches the file outside a generator. */
  async use<T>(work: () => T | Promise<T>): Promise<T> {
    this.refuseClosed();
    try {
      return await retryWhileBusy(work);
    } catch (error) {
      throw toLogError(error, this.options.path);
    }
  }

  async append(events: Parameters<Appender['append']>[0]): ReturnType<Appender['append']> {
    this.refuseClosed();
    return this.appender.append(events);
  }

  read(asked: ReadRequest): AsyncIterable<LogBatch> {
    const request = { ...asked, signal: this.orClosing(asked.signal) };
    // Planned at once, so that the end is the end at the time of the call; a fault is thrown where the caller can catch it.
    const plan = this.use(() => this.reader.plan(request));
    plan.catch(() => undefined);
    return this.readPlanned(request, plan, asked.signal);
  }

  private async *readPlanned(
    request: ReadRequest,
    plan: Promise<ReturnType<Reader['plan']>>,
    aborted: AbortSignal | undefined,
  ): AsyncGenerator<LogBatch> {
    yield* this.reader.read(await plan, request);
    // Ending without a word is for those who asked for it.
    if (!aborted?.aborted) this.refuseClosed();
  }

  async *timeSpans(...range: Parameters<Reader['spans']>): AsyncGenerator<TimeSpan[]> {
    this.refuseClosed();
    yield* this.reader.spans(...range);
  }

  async consume(request: ConsumeRequest): Promise<void> {
    this.refuseClosed();
    const { groups, partitions, reader, watch, sessionMs } = this;
    const { path, logger, heartbeatMs = 1_000 } = this.options;
    for (const topic of request.topics) partitions.idsOf(topic);
    const member = new GroupMember(
      { path, groups, partitions, reader, watch, heartbeatMs, sessionMs, logger },
      { ...request, signal: this.orClosing(request.signal) },
    ).run();
    this.members.add(member);
    try {
      await member;
    } finally {
      this.members.delete(member);
    }
  }

  close(): Promise<void> {
    return (this.closed ??= this.end());
  }

  private async end(): Promise<void> {
    this.closing.abort();
    await this.appender.drain();
    await Promise.allSettled(this.members);
    await this.upkeep.close();
    this.watch.close();
    for (const connection of this.connections) connection.close();
  }

  private orClosing(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.closing.signal]) : this.closing.signal;
  }
}
