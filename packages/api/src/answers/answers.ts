// The envelope, and how bytes leave. Records of a page arrive from the engine as JSON lines and go out as they came, and
// nothing is parsed on the way.

import { toIso } from '@ladderlog/core';
import { Turns } from '@ladderlog/log';
import type { Context } from '../server/context.ts';
import type { ApiError } from './errors.ts';

export type Meta = Readonly<Record<string, unknown>>;

export const metaOf = (context: Context, more: Meta = {}): Meta => ({
  request_id: context.requestId,
  timestamp: toIso(context.now),
  ...more,
});

export const errorEnvelope = (error: ApiError, requestId: string, now: number): unknown => ({
  error: { code: error.code, message: error.message, details: error.details },
  meta: { request_id: requestId, timestamp: toIso(now) },
});

/** Pieces of one JSON text. Response validation parses them; it is for tests and for operators who ask for it. */
export function sendBytes(context: Context, ...pieces: readonly Uint8Array[]): void {
  const { response, parts } = context;
  if (parts.validateResponses) {
    response.json(JSON.parse(Buffer.concat(pieces).toString()));
    return;
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader(
    'Content-Length',
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
  for (const piece of pieces.slice(0, -1)) response.write(piece);
  response.end(pieces.at(-1));
}

export const sendJson = (context: Context, body: unknown): void =>
  sendBytes(context, Buffer.from(JSON.stringify(body)));

export const sendOne = (context: Context, data: unknown, more: Meta = {}): void =>
  sendJson(context, { data, meta: metaOf(context, more) });

export type Page = {
  readonly limit: number;
  readonly count: number;
  readonly nextCursor: string | null;
};

export function sendPage(
  context: Context,
  records: readonly Uint8Array[],
  page: Page,
  more: Meta = {},
): void {
  linkNext(context, page);
  sendBytes(context, OPEN_LIST, joinLines(records), Buffer.from(`],${tail(context, page, more)}`));
}

/** Of all answers that are written here. */
const turns = new Turns();

/** Records that no engine has written, as JSON: a long page in several turns of the event loop. */
export async function written<T>(rows: readonly T[], view: (row: T) => unknown): Promise<Uint8Array[]> {
  const records: Uint8Array[] = [];
  for (const row of rows) {
    if (turns.isOver) await turns.next();
    records.push(Buffer.from(JSON.stringify(view(row))));
  }
  return records;
}

const OPEN_LIST = Buffer.from('{"data":[');

function tail(context: Context, page: Page, more: Meta): string {
  const pagination = {
    next_cursor: page.nextCursor,
    has_more: page.nextCursor !== null,
    limit: page.limit,
    count: page.count,
  };
  return `"pagination":${JSON.stringify(pagination)},"meta":${JSON.stringify(metaOf(context, more))}}`;
}

function linkNext(context: Context, page: Page): void {
  if (page.nextCursor === null) return;
  const url = new URL(context.request.originalUrl, 'http://relative');
  url.searchParams.set('cursor', page.nextCursor);
  context.response.setHeader('Link', `<${url.pathname}${url.search}>; rel="next"`);
}

/** Lines of the engine (JSONEachRow) as views on its bytes, without their newlines. */
export function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  while (start < bytes.length) {
    let end = bytes.indexOf(10, start);
    if (end < 0) end = bytes.length;
    if (end > start) lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

const COMMA = Buffer.from(',');

/**
 * Records with commas between. Lines that follow each other in one answer of the engine stay where they are, and the newlines
 * between them become the commas: a page of megabytes is not copied.
 */
export function joinLines(lines: readonly Uint8Array[]): Uint8Array {
  const first = lines[0];
  const last = lines.at(-1);
  if (!first || !last) return Buffer.alloc(0);
  const adjacent = lines.every((line, at) => {
    const before = lines[at - 1];
    return (
      !before || (line.buffer === before.buffer && line.byteOffset === before.byteOffset + before.length + 1)
    );
  });
  if (!adjacent) return Buffer.concat(lines.flatMap((line, at) => (at === 0 ? [line] : [COMMA, line])));
  const all = Buffer.from(first.buffer, first.byteOffset, last.byteOffset + last.length - first.byteOffset);
  for (const line of lines.slice(1)) all[line.byteOffset - first.byteOffset - 1] = COMMA[0]!;
  return all;
}
