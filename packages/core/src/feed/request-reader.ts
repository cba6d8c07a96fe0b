// What one client of the live feed or of a replay sends, read within its limits.

import type { StreamMessage } from './messages.ts';
import type { StreamRequest } from './requests.ts';
import { parseStreamRequest } from './requests.ts';
import { STREAM_CLOSE, malformed } from './rules.ts';

export type ReadRequest =
  | { readonly ok: true; readonly request: StreamRequest; readonly id: string | null }
  | {
      readonly ok: false;
      readonly answer: Extract<StreamMessage, { type: 'error' }> | null;
      /** The connection must end, after the answer. */
      readonly close: { readonly code: number; readonly reason: string } | null;
    };

export class RequestReader {
  private readonly limits: { readonly requestsPerSecond: number; readonly malformed: number };
  private malformed = 0;
  private second = 0;
  private inSecond = 0;

  constructor(limits: { readonly requestsPerSecond: number; readonly malformed: number }) {
    this.limits = limits;
  }

  /** `nowMs` only goes forward. */
  read(text: string, nowMs: number): ReadRequest {
    const second = Math.floor(nowMs / 1_000);
    this.inSecond = second === this.second ? this.inSecond + 1 : 1;
    this.second = second;
    if (this.inSecond > this.limits.requestsPerSecond)
      return {
        ok: false,
        answer: null,
        close: { code: STREAM_CLOSE.tooMany, reason: 'too many messages' },
      };
    const parsed = parseStreamRequest(text);
    if (parsed.ok) {
      const { request } = parsed;
      return { ok: true, request, id: 'id' in request ? request.id : null };
    }
    const tooMany = ++this.malformed >= this.limits.malformed;
    return {
      ok: false,
      answer: malformed(parsed).toMessage(parsed.id),
      close: tooMany ? { code: STREAM_CLOSE.malformed, reason: 'too many malformed messages' } : null,
    };
  }
}
