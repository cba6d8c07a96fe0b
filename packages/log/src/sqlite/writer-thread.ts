// The writer thread of a recorder, started by thread.ts. It compresses, inserts, commits and waits for the disk, and packs and
// applies retention in between, so that none of it ever holds up the thread that stamps. Appends come first: packing works in
// turns of a few milliseconds, and whatever has arrived when a turn or a commit ends goes into the next transaction together.

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Committer, takeGroup } from './commit.ts';
import { retryWhileBusy } from './errors.ts';
import { connect } from './file.ts';
import { dropOldGroups } from './groups-file.ts';
import { PartitionTable } from './partitions.ts';
import type { FirstOffsets } from './staging.ts';
import type { FromThread, LogLevel, PlainError, ThreadData, ToThread } from './thread-messages.ts';
import { buffersOf, toPlain } from './thread-messages.ts';
import { Upkeep } from './upkeep.ts';
import { UpkeepLock } from './upkeep-lock.ts';
import type { UpkeepLogger } from './upkeep-logger.ts';

type Append = Extract<ToThread, { type: 'append' }>;

const port = parentPort!;
const data = workerData as ThreadData;
const say = (message: FromThread, buffers: ArrayBuffer[] = []): void => port.postMessage(message, buffers);

const logger = Object.fromEntries(
  (['debug', 'info', 'warn', 'error'] as const).map((level: LogLevel) => [
    level,
    (fields: object, text: string) => say({ type: 'log', level, fields, text }),
  ]),
) as UpkeepLogger;

class WriterThread {
  private readonly db = connect(data.path, true);
  /** Packing need not wait for the disk: losing the newest of it to a power cut loses no event. */
  private readonly upkeepDb = connect(data.path, false);
  private readonly lock = new UpkeepLock(data.path);
  private readonly committer = new Committer(this.db, data.path);
  private readonly upkeep: Upkeep;
  private readonly queue: Append[] = [];
  private running: Promise<void> | null = null;
  /** The time by which retention goes; that of the system unless a caller said another. */
  private at: number | null = null;

  constructor() {
    dropOldGroups(data.path, this.db);
    this.upkeep = new Upkeep({
      db: this.upkeepDb,
      partitions: new PartitionTable(this.upkeepDb),
      clock: () => this.at ?? Date.now() * 1_000,
      logger,
      retention: data.retention,
      everyMs: data.upkeepMs,
      lock: this.lock,
      keepsLock: true,
    });
    this.lock.take();
  }

  hear(message: ToThread): void {
    if (message.type === 'append') {
      this.queue.push(message);
      this.running ??= this.run();
    } else if (message.type === 'tidy') void this.tidy(message.id, message.at);
    else void this.close();
  }

  private async run(): Promise<void> {
    // After this turn: until then nobody knows that it runs, and a second one would overtake it.
    await new Promise(setImmediate);
    while (this.queue.length > 0) {
      this.hearWaiting();
      await this.commit(takeGroup(this.queue));
    }
    this.running = null;
  }

  /** What arrived during the last commit belongs into one transaction. */
  private hearWaiting(): void {
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
      this.hear(next.message as ToThread);
  }

  private async commit(group: readonly Append[]): Promise<void> {
    let firsts: FirstOffsets[] = [];
    let error: PlainError | null = null;
    try {
      firsts = await this.committer.commit(group.map(({ staged }) => staged));
    } catch (reason) {
      error = toPlain(reason, data.path);
    }
    const appends = group.map(({ id, staged }, index) => ({ id, staged, firsts: firsts[index] ?? null }));
    say(
      { type: 'settled', appends, error },
      group.flatMap(({ staged }) => buffersOf(staged)),
    );
  }

  private async tidy(id: number, at: number): Promise<void> {
    this.at = at;
    try {
      await this.upkeep.run();
      say({ type: 'tidied', id, error: null });
    } catch (error) {
      say({ type: 'tidied', id, error: toPlain(error, data.path) });
    }
    this.at = null;
  }

  private async close(): Promise<void> {
    await this.running;
    await this.upkeep.close();
    this.upkeepDb.close();
    this.db.close();
    this.lock.close();
    port.close();
  }
}

try {
  const thread = await retryWhileBusy(() => new WriterThread());
  port.on('message', (message: ToThread) => thread.hear(message));
  say({ type: 'ready' });
} catch (error) {
  say({ type: 'failed', error: toPlain(error, data.path) });
}
