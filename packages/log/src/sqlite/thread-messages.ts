// What a recorder and its writer thread tell each other. Buffers are handed over, not copied.

import type { Micros } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import { toLogError } from './errors.ts';
import type { Retention } from './retention.ts';
import type { FirstOffsets, StagedAppend } from './staging.ts';

export type ThreadData = {
  readonly path: string;
  readonly retention: Retention;
  readonly upkeepMs: number;
};

export type ToThread =
  | { readonly type: 'append'; readonly id: number; readonly staged: StagedAppend }
  /** `at`: the time by which retention goes. */
  | { readonly type: 'tidy'; readonly id: number; readonly at: Micros }
  | { readonly type: 'close' };

/** An append that is written, or refused for the reason; its buffers come back. */
export type Settled = {
  readonly id: number;
  readonly staged: StagedAppend;
  readonly firsts: FirstOffsets | null;
};

export type FromThread =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly error: PlainError }
  | { readonly type: 'settled'; readonly appends: readonly Settled[]; readonly error: PlainError | null }
  | { readonly type: 'tidied'; readonly id: number; readonly error: PlainError | null }
  | { readonly type: 'log'; readonly level: LogLevel; readonly fields: object; readonly text: string };

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** An error class does not survive the way between threads. */
export type PlainError = Pick<LadderlogError, 'code' | 'message' | 'retryable' | 'details'>;

export function toPlain(error: unknown, path: string): PlainError {
  const { code, message, retryable, details } = toLogError(error, path);
  return { code, message, retryable, details };
}

export const fromPlain = ({ code, message, retryable, details }: PlainError): LadderlogError =>
  new LadderlogError(code, message, { retryable, details });

export const buffersOf = ({ values, index }: StagedAppend): ArrayBuffer[] => [
  values.buffer as ArrayBuffer,
  index.buffer as ArrayBuffer,
];
