// Between the sockets and the log: events wait here, in order, to be appended in batches. Policy at this border: nothing is
// ever dropped. When the log cannot accept and the buffer is full (by count or by bytes), `blocked` turns true: the streams
// then close their sockets (a gap with cause log_unavailable) and connect again when the buffer has drained.

import type { LadderEvent, LadderlogError } from '@ladderlog/core';
import { backoffMs, isLadderlogError } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Logger } from 'pino';

import { encodable } from './encodable.ts';
import { EventQueue } from './event-queue.ts';

export type OutboxOptions = {
  readonly log: EventLog;
  readonly logger: Logger;
  readonly maxEvents?: number;
  /** Of memory, about: frames by their bodies, books by their levels. */
  readonly maxBytes?: number;
  readonly maxBatch?: number;
  /** How long an event may wait for company. A full batch waits for nobody. */
  readonly maxDelayMs?: number;
  readonly onAppended?: (events: readonly LadderEvent[], tookMs: number) => void;
  /** The log failed in a way that a retry cannot mend. */
  readonly onFatal: (error: unknown) => void;
};

export type Outbox = {
  push(events: readonly LadderEvent[]): void;
  /** Resolves when everything pushed so far is durable. */
  flush(): Promise<void>;
  readonly blocked: boolean;
  readonly size: number;
  /** About the memory of what waits. */
  readonly bytes: number;
  /** Resolves when the buffer accepts again; at once when it does now. */
  unblocked(): Promise<void>;
  close(): Promise<void>;
};

export const createOutbox = (options: OutboxOptions): Outbox => new BoundedOutbox(options);

/** The longest wait between attempts, and how many a closing outbox still makes. */
const RETRY = { baseMs: 100, maxMs: 5_000 };
const ATTEMPTS_WHEN_CLOSED = 20;
/** One append: more would hold up the thread that encodes it. */
const BATCH_BYTES = 8 * 1024 * 1024;

class BoundedOutbox implements Outbox {
  private readonly options: OutboxOptions;
  private readonly maxEvents: number;
  private readonly maxBatch: number;
  private readonly maxBytes: number;
  private readonly queue = new EventQueue();
  /** Since when the oldest event waits that no append has taken yet. */
  private waitingSince: number | null = null;
  private running: Promise<void> | null = null;
  private closed = false;
  /** Somebody waits for everything to be durable. */
  private flushing = 0;
  private endDelay: (() => void) | null = null;
  private wakeRetry: (() => void) | null = null;
  private waiting: (() => void)[] = [];
  /** Failures in a row. */
  private attempts = 0;
  blocked = false;

  constructor(options: OutboxOptions) {
    this.options = options;
    this.maxEvents = options.maxEvents ?? 50_000;
    this.maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
    this.maxBatch = options.maxBatch ?? 2_000;
  }

  get size(): number {
    return this.queue.size;
  }

  get bytes(): number {
    return this.queue.bytes;
  }

  push(events: readonly LadderEvent[]): void {
    if (events.length === 0) return;
    this.queue.push(events);
    this.waitingSince ??= performance.now();
    if (!this.blocked && (this.size >= this.maxEvents || this.bytes >= this.maxBytes)) {
      this.blocked = true;
      this.options.logger.error(
        { event: 'outbox.blocked', waiting: this.size, bytes: this.bytes },
        'the log does not accept; capture stops until it does',
      );
    }
    if (this.isFull()) this.endDelay?.();
    this.drainSoon().catch(() => undefined);
  }

  unblocked(): Promise<void> {
    return this.blocked ? new Promise<void>((resolve) => this.waiting.push(resolve)) : Promise.resolve();
  }

  async flush(): Promise<void> {
    this.flushing++;
    this.endDelay?.();
    try {
      while (this.running !== null || this.size > 0) await this.drainSoon();
    } finally {
      this.flushing--;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    this.wakeRetry?.();
    await this.flush();
  }

  private isFull(): boolean {
    return this.size >= this.maxBatch || this.bytes >= BATCH_BYTES;
  }

  private drainSoon(): Promise<void> {
    this.running ??= this.drain().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async drain(): Promise<void> {
    const { log, onAppended } = this.options;
    let most = this.maxBatch;
    while (this.size > 0) {
      await this.awaitCompany();
      const batch = this.queue.peek(most, BATCH_BYTES);
      if (batch.length === this.size) this.waitingSince = null;
      const began = performance.now();
      try {
        await log.append(batch);
      } catch (error) {
        if (await this.isTooMuch(error, batch)) most = Math.ceil(batch.length / 2);
        continue;
      }
      most = this.maxBatch;
      this.queue.drop(batch.length);
      this.afterSuccess();
      onAppended?.(batch, performance.now() - began);
      // A commit of the embedded log may settle without a turn of the event loop; sockets and timers get theirs here.
      await new Promise((resolve) => setImmediate(resolve));
      this.unblock();
    }
  }

  /** Each append costs a wait for the disk, and wakes all readers: few events wait a little for more. */
  private async awaitCompany(): Promise<void> {
    if (this.waitingSince === null || this.flushing > 0 || this.isFull()) return;
    const waitMs = this.waitingSince + (this.options.maxDelayMs ?? 100) - performance.now();
    if (waitMs <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.endDelay = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.endDelay = null;
  }

  private unblock(): void {
    if (!this.blocked || this.size >= this.maxEvents / 2 || this.bytes >= this.maxBytes / 2) return;
    this.blocked = false;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private afterSuccess(): void {
    if (this.attempts > 0)
      this.options.logger.info(
        { event: 'outbox.append_recovered', attempts: this.attempts },
        'the log accepts again',
      );
    this.attempts = 0;
  }

  /** After a failure: true when fewer events at a time may go. Rejects where no repeat can help. */
  private async isTooMuch(error: unknown, batch: readonly LadderEvent[]): Promise<boolean> {
    const { log, logger, onFatal } = this.options;
    if (isLadderlogError(error) && error.retryable) {
      await this.waitToRetry(error);
      return false;
    }
    const sound = encodable(log.codec, batch);
    if (sound !== batch) {
      logger.error({ event: 'outbox.not_encodable' }, (error as Error).message);
      this.queue.replace(sound);
      return false;
    }
    // Each fits, all of them together do not: after an outage large frames lie close together.
    if (isLadderlogError(error, 'LOG_RECORD_TOO_LARGE') && batch.length > 1) return true;
    onFatal(error);
    throw error;
  }

  private async waitToRetry(error: LadderlogError): Promise<void> {
    if (this.attempts === 0)
      this.options.logger.warn(
        { event: 'outbox.append_failed', code: error.code, waiting: this.size },
        error.message,
      );
    const waitMs = backoffMs(this.attempts++, Math.random(), RETRY);
    await new Promise<void>((resolve) => {
      this.wakeRetry = resolve;
      setTimeout(resolve, waitMs).unref();
    });
    this.wakeRetry = null;
    if (this.closed && this.attempts > ATTEMPTS_WHEN_CLOSED) throw error;
  }
}
