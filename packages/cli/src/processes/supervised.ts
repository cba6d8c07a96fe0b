// One process of an `up`, from the supervisor's side: started, told to stop, and started again when it ends unasked. It passes
// no data, and what the process prints goes where the supervisor's own output goes.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { join } from 'node:path';

import { backoffMs } from '@ladderlog/core';
import type { Logger } from 'pino';

import type { FromRole, RoleFacts, RoleName, RoleStart, ToRole } from '../children/channel.ts';
import type { Options } from '../command.ts';
import { EXIT } from '../context.ts';
import { childFlags } from '../process-begin.ts';

const CHILD = join(import.meta.dirname, '..', 'children', 'main.ts');

const AGAIN = { baseMs: 250, maxMs: 30_000 };
/** One that ran so long was well; the next failure is a first one again. */
const WELL_AFTER_MS = 60_000;
/** A process that was told to stop and does not is killed: it is safe to kill each of them at any moment. */
const STOPS_WITHIN_MS = 20_000;

export type SupervisedOptions<R extends RoleName> = {
  readonly role: R;
  readonly flags: Options;
  readonly logger: Logger;
  /** 0 is usual; what can wait gives way to the recorder. */
  readonly niceness: number;
  /** Asked before each start. */
  readonly start: () => RoleStart[R] | Promise<RoleStart[R]>;
  /** Its process is another one, or there is none. */
  readonly onChange: () => void;
  readonly onRestarted?: (facts: RoleFacts[R]) => void;
};

/** It ended before it was ready, and has said why. */
export class RoleFailed extends Error {
  readonly exitCode: number;

  constructor(role: RoleName, exitCode: number) {
    super(`${role} ended with ${exitCode} before it was ready`);
    this.exitCode = exitCode;
  }
}

export class Supervised<R extends RoleName> {
  private readonly options: SupervisedOptions<R>;
  private readonly first = Promise.withResolvers<RoleFacts[R]>();
  private child: ChildProcess | null = null;
  private ended: Promise<void> = Promise.resolve();
  private again: NodeJS.Timeout | null = null;
  private isStopping = false;
  private wasReady = false;
  private failures = 0;
  restarts = 0;

  constructor(options: SupervisedOptions<R>) {
    this.options = options;
    this.first.promise.catch(() => undefined);
  }

  get role(): R {
    return this.options.role;
  }

  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  /** Begins; resolves when it is ready for the first time, and rejects with RoleFailed when it ends before. */
  begin(): Promise<RoleFacts[R]> {
    this.spawn();
    return this.first.promise;
  }

  /** Ended for good, when this resolves. */
  async stop(): Promise<void> {
    this.isStopping = true;
    if (this.again) clearTimeout(this.again);
    this.first.reject(new RoleFailed(this.options.role, EXIT.interrupted));
    await this.end();
  }

  recorderEnds(): void {
    if (this.child) this.send(this.child, { type: 'recorder-ends' });
  }

  firstBooks(venues: readonly string[]): Promise<void> {
    const { child } = this;
    return new Promise((resolve) => {
      if (!child) return resolve();
      child.on('message', (message: FromRole) => {
        if (message.type === 'first-books') resolve();
      });
      child.once('exit', () => resolve());
      this.send(child, { type: 'first-books', venues });
    });
  }

  /** Ends it; unless it was stopped, it is started again, and told anew what it needs. */
  async end(): Promise<void> {
    const { child } = this;
    if (!child) return;
    this.send(child, { type: 'stop' });
    const late = setTimeout(() => {
      this.options.logger.error(
        { event: 'up.killed', role: this.options.role, pid: child.pid },
        `the ${this.options.role} did not end in ${STOPS_WITHIN_MS / 1_000} s and is killed`,
      );
      child.kill('SIGKILL');
    }, STOPS_WITHIN_MS);
    await this.ended;
    clearTimeout(late);
  }

  private send(child: ChildProcess, message: ToRole): void {
    // A process that has just ended cannot be told anything; its exit is heard on its own.
    if (child.connected) child.send(message, () => undefined);
  }

  private spawn(): void {
    const { role, flags, niceness, logger, onChange } = this.options;
    const began = performance.now();
    const child = spawn(process.execPath, [...childFlags(), CHILD, role], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.child = child;
    const over = Promise.withResolvers<void>();
    this.ended = over.promise;
    if (child.pid !== undefined && niceness > 0) giveWay(child.pid, niceness);
    child.on('message', (message: FromRole<R>) => {
      if (message.type === 'ready') this.ready(message.facts);
    });
    child.on('error', (error) => logger.error({ event: 'up.spawn_failed', role, err: error }, error.message));
    child.once('close', (code, signal) => {
      this.child = null;
      over.resolve();
      this.onEnd(code, signal, performance.now() - began);
      onChange();
    });
    onChange();
    Promise.resolve(this.options.start()).then(
      (start) => this.send(child, { type: 'start', flags, start } as ToRole),
      // What it waited for has failed; that is told by whoever failed.
      () => child.kill('SIGKILL'),
    );
  }

  private ready(facts: RoleFacts[R]): void {
    const { role, logger, onRestarted } = this.options;
    if (!this.wasReady) {
      this.wasReady = true;
      this.first.resolve(facts);
      return;
    }
    logger.info(
      { event: 'up.restarted', role, pid: this.pid, restarts: this.restarts },
      `the ${role} is back`,
    );
    onRestarted?.(facts);
  }

  private onEnd(code: number | null, signal: NodeJS.Signals | null, livedMs: number): void {
    const { role, logger } = this.options;
    if (this.isStopping) return;
    if (!this.wasReady) {
      this.first.reject(new RoleFailed(role, code === null || code === EXIT.ok ? EXIT.failed : code));
      return;
    }
    if (livedMs > WELL_AFTER_MS) this.failures = 0;
    const waitMs = Math.round(backoffMs(this.failures++, Math.random(), AGAIN));
    logger.error(
      { event: 'up.restarting', role, code, signal, in_ms: waitMs },
      `the ${role} ended (${signal ?? `exit code ${code}`}) and is started again`,
    );
    this.restarts++;
    this.again = setTimeout(() => {
      this.again = null;
      this.spawn();
    }, waitMs);
  }
}

function giveWay(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // Not allowed everywhere, and not needed anywhere.
  }
}
