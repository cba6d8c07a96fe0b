// One error class; decisions are made on `code`, never on message text. HTTP status is chosen by the API alone.

export const ERROR_CODES = [
  // input
  'BAD_CONFIG',
  'BAD_ARGUMENT',
  'BAD_DECIMAL',
  'BAD_FRAME',
  'BAD_IMPORT_LINE',
  // codec
  'CODEC_FOREIGN_BYTES',
  'CODEC_UNKNOWN_SCHEMA',
  'CODEC_CORRUPT',
  'SCHEMA_INCOMPATIBLE',
  // log
  'LOG_UNKNOWN_TOPIC',
  'LOG_RECORD_TOO_LARGE',
  'LOG_CORRUPT',
  'LOG_UNAVAILABLE',
  'LOG_DISK_FULL',
  'LOG_CLOSED',
  'LOG_OFFSET_OUT_OF_RANGE',
  // store
  'STORE_UNAVAILABLE',
  'STORE_BUSY',
  'STORE_LOCKED',
  'STORE_DISK_FULL',
  'STORE_QUERY_FAILED',
  'STORE_NOT_DEDUPLICATING',
  'PROJECTOR_FENCED',
  'PROJECTIONS_CHANGED',
  'TABLES_FOREIGN',
  'TABLES_DIFFER',
  'REBUILD_RUNNING',
  // venues
  'VENUE_UNREACHABLE',
  'VENUE_REJECTED',
  'VENUE_RATE_LIMITED',
  'VENUE_AUTH',
  // running
  'DATA_DIRECTORY_IN_USE',
  'DATA_DIRECTORY_NEWER',
  'BAD_STRATEGY',
  'NO_RECORDING',
  'NOT_SUPPORTED_HERE',
  'INTERNAL',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export type ErrorDetails = Readonly<Record<string, unknown>>;

export class LadderlogError extends Error {
  readonly code: ErrorCode;
  /** Whether the same call may succeed later without anything else changing. */
  readonly retryable: boolean;
  readonly details: ErrorDetails;

  constructor(
    code: ErrorCode,
    message: string,
    options: { retryable?: boolean; details?: ErrorDetails; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'LadderlogError';
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.details = options.details ?? {};
  }
}

export const isLadderlogError = (error: unknown, code?: ErrorCode): error is LadderlogError =>
  error instanceof LadderlogError && (code === undefined || error.code === code);
