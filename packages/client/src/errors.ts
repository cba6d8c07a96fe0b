import type { ErrorCode, Gap } from './types.ts';

/** An answer of the API that is an error. Decide on `code`. */
export class LadderlogApiError extends Error {
  readonly status: number;
  readonly code: ErrorCode | 'UNKNOWN';
  readonly details: Readonly<Record<string, unknown>>;
  /** Names the request in the server's log. */
  readonly requestId: string | null;
  /** Seconds to wait, where the server said so. */
  readonly retryAfter: number | null;

  constructor(
    status: number,
    code: ErrorCode | 'UNKNOWN',
    message: string,
    more: {
      readonly details?: Readonly<Record<string, unknown>>;
      readonly requestId?: string | null;
      readonly retryAfter?: number | null;
    } = {},
  ) {
    super(`${code}: ${message}`);
    this.name = 'LadderlogApiError';
    this.status = status;
    this.code = code;
    this.details = more.details ?? {};
    this.requestId = more.requestId ?? null;
    this.retryAfter = more.retryAfter ?? null;
  }
}

/** The server could not be reached, or did not answer in JSON. */
export class LadderlogConnectionError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'LadderlogConnectionError';
  }
}

/** With onGap: 'throw': part of what was asked for was not recorded. */
export class LadderlogGapError extends Error {
  readonly gaps: readonly Gap[];
  /** There are more than these. */
  readonly more: boolean;
  constructor(gaps: readonly Gap[], more = false) {
    const first = gaps[0];
    super(
      `${more ? 'more than ' : ''}${gaps.length} gap(s) in the asked range; the first from ${first?.from} to ${first?.to ?? 'now'} (${first?.cause})`,
    );
    this.name = 'LadderlogGapError';
    this.gaps = gaps;
    this.more = more;
  }
}

export const isApiError = (error: unknown, code?: ErrorCode): error is LadderlogApiError =>
  error instanceof LadderlogApiError && (code === undefined || error.code === code);
