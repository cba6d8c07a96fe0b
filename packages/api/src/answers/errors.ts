// Errors as clients see them: a code, a message they can act on, details. HTTP status is chosen here and nowhere else, and
// internal messages stay inside.

import type { ErrorRequestHandler } from 'express';
import { isLadderlogError } from '@ladderlog/core';
import type { Logger } from 'pino';

export const STATUS_OF = {
  INVALID_PARAMETER: 400,
  INVALID_CURSOR: 400,
  MALFORMED_REQUEST: 400,
  AUTH_MISSING: 401,
  AUTH_INVALID: 401,
  ENDPOINT_NOT_IN_PLAN: 403,
  HISTORY_LIMIT_EXCEEDED: 403,
  MARKET_NOT_FOUND: 404,
  ENDPOINT_NOT_FOUND: 404,
  DATA_GAP: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  STORE_UNAVAILABLE: 503,
} as const;

export type ApiErrorCode = keyof typeof STATUS_OF;

export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ApiErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.details = details;
    this.headers = headers;
  }
}

export const invalidParameter = (
  parameter: string,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): ApiError => new ApiError('INVALID_PARAMETER', message, { parameter, ...details });

/** Long values are cut: the message is for people. */
export const quoted = (given: unknown): string => `'${String(given).slice(0, 64)}'`;

export const notATime = (parameter: string, given: unknown): ApiError =>
  invalidParameter(
    parameter,
    `${parameter} ${quoted(given)} is not a time: send ISO 8601 (2026-11-15T00:00:00Z) or epoch milliseconds (1794700800000), from 2000 to 2199.`,
  );

export const storeUnavailable = (message: string, retryAfter = 1): ApiError =>
  new ApiError(
    'STORE_UNAVAILABLE',
    message,
    { retry_after: retryAfter },
    { 'Retry-After': String(retryAfter) },
  );

/** Node's code of what arrived and is no request. */
export function unreadable(cause: string | undefined): ApiError {
  if (cause === 'HPE_HEADER_OVERFLOW')
    return new ApiError('HEADERS_TOO_LARGE', 'URL and headers together are limited to 16 KiB.');
  if (cause === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('REQUEST_TIMEOUT', 'The request did not arrive in time.');
  return new ApiError('MALFORMED_REQUEST', 'This is not a valid HTTP/1.1 request.');
}

/** Codes of the store and the log that mean "not now", not "never". */
const UNAVAILABLE: ReadonlySet<string> = new Set([
  'STORE_UNAVAILABLE',
  'STORE_BUSY',
  'STORE_LOCKED',
  'STORE_DISK_FULL',
  'LOG_UNAVAILABLE',
  'LOG_CLOSED',
]);

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isLadderlogError(error) && UNAVAILABLE.has(error.code))
    return storeUnavailable('The store does not answer at the moment.');
  return new ApiError('INTERNAL_ERROR', 'Something failed on our side; the request id finds it in the log.');
}

export const handleErrors =
  (logger: Logger, envelope: (error: ApiError, requestId: string) => unknown): ErrorRequestHandler =>
  (error, request, response, _next) => {
    const known = toApiError(error);
    const status = STATUS_OF[known.code];
    if (known.code === 'INTERNAL_ERROR')
      logger.error({ event: 'api.failed', err: error, request_id: response.locals['requestId'] }, 'failed');
    else if (known.code === 'STORE_UNAVAILABLE')
      logger.warn(
        { event: 'api.unavailable', err: error, request_id: response.locals['requestId'] },
        'no store',
      );
    if (response.headersSent) {
      // Bytes are out already: ending the connection is the only honest answer left.
      request.socket.destroy();
      return;
    }
    response.locals['code'] = known.code;
    for (const [name, value] of Object.entries(known.headers)) response.setHeader(name, value);
    response.statusCode = status;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Cache-Control', 'no-store');
    // Of the answer that did not come.
    response.removeHeader('ETag');
    response.end(JSON.stringify(envelope(known, String(response.locals['requestId'] ?? ''))));
  };
