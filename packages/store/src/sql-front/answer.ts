// Answers as ClickHouse's HTTP protocol gives them: errors with their codes, types of content.

import type { ServerResponse } from 'node:http';
import type { ErrorCode } from '@ladderlog/core';
import { toStoreError } from '../engine/store-errors.ts';

type Exception = Error & { readonly code: string; readonly type: string };

export const exception = (code: number, type: string, message: string): Exception =>
  Object.assign(new Error(message), { code: String(code), type });

export const TOO_LONG = '12';

const STATUS: Readonly<Record<string, number>> = {
  62: 400,
  36: 400,
  456: 400,
  60: 404,
  81: 404,
  164: 403,
  73: 400,
  159: 408,
  202: 503,
  210: 503,
  12: 413,
};

/** Errors of ours as the engine's, which a store at the other end reads back as the same. */
const OURS: Partial<Record<ErrorCode, readonly [number: string, type: string]>> = {
  STORE_BUSY: ['202', 'TOO_MANY_SIMULTANEOUS_QUERIES'],
  STORE_UNAVAILABLE: ['210', 'NETWORK_ERROR'],
  STORE_DISK_FULL: ['243', 'NOT_ENOUGH_SPACE'],
};

export function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const known = error as Partial<Exception>;
  const numbered = typeof known.code === 'string' && /^\d+$/.test(known.code);
  const [number, type] = numbered
    ? [known.code!, known.type ?? 'UNKNOWN_EXCEPTION']
    : (OURS[toStoreError(error, 'sql').code] ?? ['1002', known.type ?? 'UNKNOWN_EXCEPTION']);
  const inner = (error as { cause?: { message?: unknown } }).cause?.message;
  const text =
    typeof inner === 'string' && inner.startsWith('Code: ')
      ? inner
      : `Code: ${number}. DB::Exception: ${known.message ?? String(error)}. (${type})`;
  response.setHeader('X-ClickHouse-Exception-Code', number);
  if (number === '202') response.setHeader('Retry-After', '1');
  if (number === TOO_LONG) response.setHeader('Connection', 'close');
  sendText(response, STATUS[number] ?? 500, `${text.trimEnd()}\n`);
}

export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=UTF-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

export function contentType(format: string): string {
  if (/^JSON\w*EachRow/.test(format)) return 'application/x-ndjson; charset=UTF-8';
  if (format.startsWith('JSON')) return 'application/json; charset=UTF-8';
  if (format.startsWith('CSV')) return 'text/csv; charset=UTF-8; header=present';
  if (/^(TabSeparated|TSV)/.test(format)) return 'text/tab-separated-values; charset=UTF-8';
  if (/^(Parquet|Arrow|Native|RowBinary)/.test(format)) return 'application/octet-stream';
  return 'text/plain; charset=UTF-8';
}
