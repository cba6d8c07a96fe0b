// The writing side of a recorder: appends are encoded here and handed to a thread that writes them, so that this one never
// waits for the disk. A thread that ends unasked ends the recording: what it had not acknowledged may be in the log or not,
// and a repeat could double it, so every append is refused for good, and the start of the next process writes the gap.

import { Worker } from 'node:worker_threads';
import type { LadderEvent, Position } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import { Staging } from './staging.ts';
import type { FromThread, ThreadData, ToThread } from './thread-messages.ts';
import { buffersOf, fromPlain } from './thread-messages.ts';
import type { Writing, WritingOptions } from './writing.ts';

/** Enough for the batches of one packing pass; buffers are not part of it. */
const LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 };

type Waiter<T> = { readonly resolve: (value: T) => void; readonly reject: (error: unknown) => void };

export class WriterThread implements Writing {
  private readonly options: WritingOptions;
  private readonly staging: Staging;
  private readonly worker: Worker;
  private readonly appends = new Map<number, Waiter<Position[]>>();
  private readonly tidies = new Map<number, Waiter<void>>();
  private readonly start = Promise.withResolvers<void>();
  private readonly ended: Promise<void>;
  private nextId = 0;
  private failure: LadderlogError | null = null;
  private closing = false;
  readonly ready: Promise<void>;

  constructor(options: WritingOptions) {
    const { path, codec, partitions, retention, upkeepMs } = options;
    this.options = options;
    this.staging = new Staging(codec, partitions);
    this.ready = this.start.promise;
    const workerData: ThreadData = { path, retention, upkeepMs };
    this.worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      name: 'log-writer',
      workerData,
      resourceLimits: LIMITS,
    });
    this.worker.on('message', (message: FromThread) => this.hear(message));
    this.worker.on('error', (error) => this.fail(error.message));
    this.ended = new Promise((resolve) => {
      this.worker.on('exit', (code) => {
        if (!this.closing) this.fail(`it ended with code ${code}`);
        resolve();
      });
    });
  }

  append(events: readonly LadderEvent[]): Promise<Position[]> {
    if (events.length === 0) return Promise.resolve([]);
    return this.ask(this.appends, (id) => {
      const staged = this.staging.stage(events, this.options.clock());
      return [{ type: 'append', id, staged }, buffersOf(staged)];
    });
  }

  tidy(): Promise<void> {
    return this.ask(this.tidies, (id) => [{ type: 'tidy', id, at: this.options.clock() }, []]);
  }

  async close(): Promise<void> {
    this.closing = true;
    this.worker.ref();
    if (this.failure === null) this.worker.postMessage({ type: 'close' } satisfies ToThread, []);
    await this.ended;
  }

  private ask<T>(
    waiters: Map<number, Waiter<T>>,
    question: (id: number) => readonly [ToThread, ArrayBuffer[]],
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.failure) throw this.failure;
      const id = this.nextId++;
      this.worker.postMessage(...question(id));
      waiters.set(id, { resolve, reject });
      this.worker.ref();
    });
  }

  private hear(message: FromThread): void {
    if (message.type === 'log') this.options.logger?.[message.level](message.fields, message.text);
    else if (message.type === 'ready') this.start.resolve();
    else if (message.type === 'failed') this.start.reject((this.failure = fromPlain(message.error)));
    else if (message.type === 'settled') this.settle(message);
    else {
      const waiter = taken(this.tidies, message.id);
      if (message.error) waiter.reject(fromPlain(message.error));
      else waiter.resolve();
    }
    // A process that has nothing else to do may end.
    if (this.appends.size + this.tidies.size === 0 && !this.closing) this.worker.unref();
  }

  private settle({ appends, error }: Extract<FromThread, { type: 'settled' }>): void {
    if (!error) this.options.onCommitted();
    for (const { id, staged, firsts } of appends) {
      const waiter = taken(this.appends, id);
      if (firsts) waiter.resolve(this.staging.positionsOf(staged.index, firsts));
      else waiter.reject(fromPlain(error!));
      this.staging.release(staged.values);
    }
  }

  private fail(reason: string): void {
    const { path, logger } = this.options;
    const message = `the thread that writes the log ${path} is gone: ${reason}; start the recorder again`;
    this.failure ??= new LadderlogError('LOG_UNAVAILABLE', message, { details: { path } });
    logger?.error({ event: 'log.thread_ended', reason }, message);
    this.start.reject(this.failure);
    for (const waiters of [this.appends, this.tidies]) {
      for (const { reject } of waiters.values()) reject(this.failure);
      waiters.clear();
    }
  }
}

function taken<T>(waiters: Map<number, Waiter<T>>, id: number): Waiter<T> {
  const waiter = waiters.get(id)!;
  waiters.delete(id);
  return waiter;
}
