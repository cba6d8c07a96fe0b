// A client asked for what it cannot have.

import type { StreamErrorCode } from '@ladderlog/core';

export class Refusal extends Error {
  readonly code: StreamErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  constructor(code: StreamErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
