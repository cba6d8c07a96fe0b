// The embedded event log: one SQLite file with the topics, partitions and offsets of Kafka, and one beside it with its groups.
// Several processes may use them at once, each in its role. See docs/adr/0004.

import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock, LadderEvent, Position } from '@ladderlog/core';
import { TOPICS } from '@ladderlog/core';
import type { Logger } from 'pino';
import type { WritingCodec } from '../avro/codec.ts';
import { createCodec } from '../avro/codec.ts';
import { closed } from '../errors.ts';
import type { ConsumeRequest, EventLog, LogBatch, ReadRequest, TimeSpan } from '../log.ts';
import { DEFAULT_PARTITIONS } from '../log.ts';
import { isCorrupt, retryWhileBusy, toLogError } from './errors.ts';
import { connect, connectToRead, isComplete, prepareFile, restoreLength } from './file.ts';
import { GroupTables } from './group-tables.ts';
import { dropOldGroups, groupsPathOf, openGroupsFile } from './groups-file.ts';
import { GroupMember } from './member.ts';
import { PartitionTable } from './partitions.ts';
import { Reader } from './read.ts';
import type { Retention } from './retention.ts';
import { addSchemas, hasSchemas, schemaTable } from './schema-table.ts';
import { Watch } from './watch.ts';
import { WriterThread } from './thread.ts';
import type { Writing, WritingOptions } from './writing.ts';
import { writeHere, writeNothing } from './writing.ts';

/**
 * What a process is to the log. `recorder`: the regular writer, in a thread of its own. `writer`: a command that writes now and then, beside a recorder
 * or without one. `reader`: never writes to the file, so that it cannot hold up those who do.
 */
export type LogRole = 'recorder' | 'writer' | 'reader';

export type SqliteLogOptions = {
  /** The file; its folder is made when missing. */
  readonly path: string;
  /** `writer` unless told. */
  readonly role?: LogRole;
  /** Of topics that the file does not have yet. */
  readonly partitions?: number;
  readonly retention?: Retention;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** How often appends of other processes are looked for while somebody waits, where the bell cannot be heard. */
  readonly pollMs?: number;
  /** How often small batches are packed and retention is applied; 0: never in this process. */
  readonly upkeepMs?: number;
  /** A group member that has not been heard of for sessionMs loses its partitions. The same in all processes. */
  readonly heartbeatMs?: number;
  readonly sessionMs?: number;
};

export type SqliteLog = EventLog & {
  readonly kind: 'sqlite';
  readonly path: string;
  /** Packs what can be packed and applies retention now, rather than when it is due. */
  tidy(): Promise<void>;
};

export async function openSqliteLog(options: SqliteLogOptions): Promise<SqliteLog> {
  const file = await openFile(options);
  try {
    await file.writing.ready;
  } catch (error) {
    await file.close();
    throw error;
  }
  return asLog(file, options.path);
}

async function openFile(options: SqliteLogOptions): Promise<OpenFile> {
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

function start(options: SqliteLogOptions): OpenFile {
  const isWriter = (options.role ?? 'writer') === 'writer';
  const db = isWriter ? openToWrite(options) : openToRead(options);
  try {
    return new OpenFile(options, db);
  } catch (error) {
    db.close();
    throw error;
  }
}

const asLog = (file: OpenFile, path: string): SqliteLog => ({
  kind: 'sqlite',
  path,
  codec: file.codec,
  append: (events) => file.append(events),
  read: (request) => file.read(request),
  consume: (request) => file.consume(request),
  committed: (group, topic) => file.use(() => file.groups().committed(group, topic)),
  commit: (group, positions) => file.use(() => file.groups().commit(group, positions)),
  topics: () => file.use(() => file.partitions.infos()),
  offsetsAt: (topic, at) =>
    file.use(() => Promise.all(file.partitions.idsOf(topic).map((id) => file.reader.offsetAt(id, at)))),
  timeSpans: (from, end, times) => file.timeSpans(from, end, times),
  partitionOf: (topic, key) => file.partitions.partitionOf(topic, key),
  tidy: () => file.use(() => file.writing.tidy()),
  close: () => file.close(),
});

function openToWrite({ path, partitions = DEFAULT_PARTITIONS }: SqliteLogOptions): DatabaseSync {
  const db = connect(path, true);
  try {
    prepareFile(db, path, TOPICS, partitions);
    dropOldGroups(path, db);
    addSchemas(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Looks first: only a file that is not there, or lacks something, is written to, by a connection that is closed again. */
function openToRead(options: SqliteLogOptions): DatabaseSync {
  const { path, role } = options;
  const isReady = (db: DatabaseSync): boolean =>
    isComplete(db, path, TOPICS) && (role === 'reader' || hasSchemas(db));
  for (let made = false; ; made = true) {
    if (existsSync(path)) {
      const db = connectToRead(path);
      try {
        if (made || isReady(db)) return db;
      } catch (error) {
        db.close();
        throw error;
      }
      db.close();
    }
    openToWrite(options).close();
  }
}

function writingFor(role: LogRole, about: WritingOptions): Writing {
  if (role === 'reader') return writeNothing(about.path);
  return role === 'recorder' ? new WriterThread(about) : writeHere(about);
}

/** The parts of the log over one open file, and the end of all of them. */
class OpenFile {
  private readonly options: SqliteLogOptions;
  private readonly db: DatabaseSync;
  private readonly watch: Watch;
  readonly writing: Writing;
  readonly codec: WritingCodec;
  readonly partitions: PartitionTable;
  readonly reader: Reader;
  private readonly pollMs: number;
  private readonly sessionMs: number;
  private groupTables: GroupTables | null = null;
  private readonly members = new Set<Promise<void>>();
  private readonly closing = new AbortController();
  private closed: Promise<void> | null = null;

  constructor(options: SqliteLogOptions, db: DatabaseSync) {
    const { path, logger, clock = () => Date.now() * 1_000, retention = {}, upkeepMs = 10_000 } = options;
    this.options = options;
    this.db = db;
    this.pollMs = options.pollMs ?? 25;
    this.sessionMs = options.sessionMs ?? 10_000;
    const codec = (this.codec = createCodec(schemaTable(db)));
    const partitions = (this.partitions = new PartitionTable(db));
    const watch = (this.watch = new Watch({ db, path, pollMs: this.pollMs }));
    this.reader = new Reader({ db, path, codec, partitions, watch, logger });
    const onCommitted = (): void => watch.notify();
    const about = { db, path, codec, partitions, clock, retention, upkeepMs, logger, onCommitted };
    this.writing = writingFor(options.role ?? 'writer', about);
  }

  /** Opened when first asked for: who belongs to no group need not have the file. */
  groups(): GroupTables {
    const { db, partitions, sessionMs, pollMs } = this;
    const { path } = this.options;
    return (this.groupTables ??= new GroupTables({
      db: openGroupsFile(path, db),
      path: groupsPathOf(path),
      partitions,
      sessionMs,
      pollMs,
    }));
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

  async append(events: readonly LadderEvent[]): Promise<Position[]> {
    this.refuseClosed();
    return this.writing.append(events);
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
    const { partitions, reader, sessionMs } = this;
    const { path, logger, heartbeatMs = 1_000 } = this.options;
    const groups = await this.use(() => {
      for (const topic of request.topics) partitions.idsOf(topic);
      return this.groups();
    });
    this.refuseClosed();
    const member = new GroupMember(
      { path, groups, partitions, reader, heartbeatMs, sessionMs, logger },
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
    await this.writing.close();
    await Promise.allSettled(this.members);
    this.watch.close();
    this.groupTables?.close();
    this.db.close();
  }

  private orClosing(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.closing.signal]) : this.closing.signal;
  }
}
