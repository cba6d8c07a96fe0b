// What the engine says, as codes of ours. ClickHouse error numbers are stable; texts are not read, except where chDB gives no
// number at all.

import type { ErrorCode } from '@ladderlog/core';
import { isLadderlogError, LadderlogError } from '@ladderlog/core';

/** ClickHouse's ErrorCodes.cpp. */
const BY_NUMBER: ReadonlyMap<number, { readonly code: ErrorCode; readonly retryable: boolean }> = new Map([
  [243, { code: 'STORE_DISK_FULL', retryable: true }], // NOT_ENOUGH_SPACE
  [159, { code: 'STORE_BUSY', retryable: true }], // TIMEOUT_EXCEEDED
  [160, { code: 'STORE_BUSY', retryable: true }], // TOO_SLOW
  [202, { code: 'STORE_BUSY', retryable: true }], // TOO_MANY_SIMULTANEOUS_QUERIES
  [241, { code: 'STORE_BUSY', retryable: true }], // MEMORY_LIMIT_EXCEEDED
  [252, { code: 'STORE_BUSY', retryable: true }], // TOO_MANY_PARTS
  [209, { code: 'STORE_UNAVAILABLE', retryable: true }], // SOCKET_TIMEOUT
  [210, { code: 'STORE_UNAVAILABLE', retryable: true }], // NETWORK_ERROR
  [242, { code: 'STORE_UNAVAILABLE', retryable: true }], // TABLE_IS_READ_ONLY
  [279, { code: 'STORE_UNAVAILABLE', retryable: true }], // ALL_CONNECTION_TRIES_FAILED
  [285, { code: 'STORE_UNAVAILABLE', retryable: true }], // TOO_FEW_LIVE_REPLICAS
  [319, { code: 'STORE_UNAVAILABLE', retryable: true }], // UNKNOWN_STATUS_OF_INSERT
  [999, { code: 'STORE_UNAVAILABLE', retryable: true }], // KEEPER_EXCEPTION
]);

/** Errors that wrap an errno of the operating system: which one it was is only in the text. */
const ERRNO_NUMBERS: ReadonlySet<number> = new Set([74, 75, 76, 1001]); // CANNOT_READ_…, CANNOT_WRITE_…, CANNOT_OPEN_FILE, STD_EXCEPTION
const NO_SPACE = /errno: 28\b|No space left on device/;

const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

export function toStoreError(error: unknown, doing: string): LadderlogError {
  if (isLadderlogError(error)) return error;
  const { message, code, syscall } =
    error instanceof Error
      ? (error as Error & { code?: unknown; syscall?: unknown })
      : { message: String(error), code: undefined, syscall: undefined };
  const number = Number(code);
  const details = { doing, ...(Number.isInteger(number) ? { clickhouse: number } : {}) };
  const known = BY_NUMBER.get(number);
  const make = (to: ErrorCode, retryable: boolean) =>
    new LadderlogError(to, `${doing}: ${firstLine(message)}`, { retryable, details, cause: error });
  if (known) return make(known.code, known.retryable);
  if (code === 'ENOSPC' || ((Number.isNaN(number) || ERRNO_NUMBERS.has(number)) && NO_SPACE.test(message)))
    return make('STORE_DISK_FULL', true);
  // No file at all: the socket of an engine that has not started.
  const absent = code === 'ENOENT' && syscall === 'connect';
  if (absent || (typeof code === 'string' && NETWORK_CODES.has(code))) return make('STORE_UNAVAILABLE', true);
  // The HTTP client's own timeout has neither number nor errno.
  if (Number.isNaN(number) && /^(Timeout error|socket hang up)/.test(message))
    return make('STORE_UNAVAILABLE', true);
  return make('STORE_QUERY_FAILED', false);
}

const firstLine = (message: string): string => {
  const line = message.split('\n', 1)[0]!.trim();
  return line.length > 500 ? `${line.slice(0, 500)}…` : line;
};
