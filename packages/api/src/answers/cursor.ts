// Cursors: opaque to clients, and tamper-evident. A cursor holds the sort key of the last record served, and is bound to its
// route, its filters and the build of the tables by the signature, not by its content: a foreign one simply does not verify.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { ApiError } from './errors.ts';

/** The unique sort key of the last record: times and offsets as integers, ids as text. */
export type CursorKey = readonly (string | number)[];

export type CursorScope = {
  readonly route: string;
  readonly filters: Readonly<Record<string, unknown>>;
  readonly generation: number;
};

const SIGNATURE_BYTES = 16;

const scopeText = (scope: CursorScope): string =>
  JSON.stringify([
    scope.route,
    scope.generation,
    Object.entries(scope.filters)
      .filter(([, value]) => value !== undefined && value !== null)
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  ]);

function sign(secret: string, scope: CursorScope, payload: Buffer): Buffer {
  const mac = createHmac('sha256', secret);
  mac.update(scopeText(scope));
  mac.update('\0');
  mac.update(payload);
  return mac.digest().subarray(0, SIGNATURE_BYTES);
}

export function writeCursor(secret: string, scope: CursorScope, key: CursorKey): string {
  const payload = Buffer.from(JSON.stringify(key));
  return Buffer.concat([sign(secret, scope, payload), payload]).toString('base64url');
}

const NOT_OURS =
  'This cursor is not one of ours, was changed, or belongs to another route, other filters or an older build of the tables. Begin again without it.';

export function readCursor(secret: string, scope: CursorScope, text: string): CursorKey {
  const bytes = Buffer.from(text, 'base64url');
  // Node skips what is not base64url; a cursor that does not come back the same was changed.
  if (bytes.length <= SIGNATURE_BYTES || bytes.toString('base64url') !== text)
    throw new ApiError('INVALID_CURSOR', NOT_OURS, { parameter: 'cursor' });
  const payload = bytes.subarray(SIGNATURE_BYTES);
  if (!timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), sign(secret, scope, payload)))
    throw new ApiError('INVALID_CURSOR', NOT_OURS, { parameter: 'cursor' });
  return JSON.parse(payload.toString()) as CursorKey;
}
