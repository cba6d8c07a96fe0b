// The envelope, and how bytes leave. Records of a page arrive from the engine as JSON lines and go out as they came, and
// nothing is parsed on the way.

import { toIso } from '@ladderlog/core';
import type { Context } from './context.ts';
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

/** Response validation parses what is sent; it is for tests and for operators who ask for it. */
export function sendBytes(context: Context, body: Buffer): void {
  const { response, parts } = context;
  if (parts.validateResponses) {
    response.json(JSON.parse(body.toString()));
    return;
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', body.length);
  response.end(body);
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
  const parts: Uint8Array[] = [OPEN_LIST];
  records.forEach((record, at) => {
    if (at > 0) parts.push(COMMA);
    parts.push(record);
  });
  parts.push(Buffer.from(`],${tail(context, page, more)}`));
  sendBytes(context, Buffer.concat(parts));
}

const OPEN_LIST = Buffer.from('{"data":[');
const COMMA = Buffer.from(',');

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
