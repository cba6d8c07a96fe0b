// Asks the served recording, and leaves out of an answer what no two runs have in common.

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { FixtureKey } from './fixture.ts';
import { SERVED_AT, metadata } from './fixture.ts';

/** One request; `requests.json` is a list of them. */
export type Asked = {
  readonly path: string;
  /** Whose key, sent as a bearer; `none` sends none. Desk when left out. */
  readonly as?: FixtureKey | 'none';
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Asked once for its ETag, then again with it. */
  readonly again?: true;
};

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** They differ from run to run; that they are there is compared. */
const VOLATILE = /^(date|x-request-id|x-ratelimit-(limit|remaining|reset)|content-length)$/;
/** Of the connection, not of the answer. */
const HOP = /^(connection|keep-alive|transfer-encoding)$/;

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

export async function ask(url: string, asked: Asked): Promise<Answer> {
  if (!asked.again) return normalized(await fetchOnce(url, asked));
  const { etag } = (await fetchOnce(url, asked)).headers;
  if (etag === undefined) return normalized(await fetchOnce(url, asked));
  const headers = { ...asked.headers, 'If-None-Match': etag };
  return normalized(await fetchOnce(url, { ...asked, headers }));
}

type Raw = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly body: Buffer };

/** The limits of a plan are not what is compared: who asks too fast waits as told. */
async function fetchOnce(url: string, asked: Asked): Promise<Raw> {
  for (;;) {
    const raw = await fetchRaw(url, asked);
    if (raw.status !== 429) return raw;
    await sleep(Number(raw.headers['retry-after'] ?? 1) * 1_000);
  }
}

function fetchRaw(url: string, { path, as = 'desk', method = 'GET', headers = {} }: Asked): Promise<Raw> {
  const { hostname, port } = new URL(url);
  const key = as === 'none' ? {} : { Authorization: `Bearer ${metadata.keys[as].key}` };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      { hostname, port, path, method, agent, headers: { ...key, ...headers } },
      (incoming) => {
        const pieces: Buffer[] = [];
        incoming.on('data', (bytes: Buffer) => pieces.push(bytes));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode!, headers: incoming.headers, body: Buffer.concat(pieces) }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

function normalized({ status, headers, body }: Raw): Answer {
  const kept = Object.entries(headers)
    .filter(([name]) => !HOP.test(name))
    .map(([name, value]): [string, string] => [name, VOLATILE.test(name) ? 'any' : String(value)])
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  return { status, headers: Object.fromEntries(kept), body: normalizedBody(headers, body) };
}

/** Pages of the reference and the like: known by their hash. */
const LONG = 200_000;

function normalizedBody(headers: IncomingMessage['headers'], body: Buffer): string {
  if (headers['content-encoding'] !== undefined) return 'packed';
  if (body.length > LONG) return `sha256 ${createHash('sha256').update(body).digest('hex')}`;
  const text = body
    .toString()
    .replaceAll(/"request_id":"[^"]*","timestamp":"[^"]*"/g, '"request_id":"any","timestamp":"now"')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z/g, (time) => (isNow(time) ? 'now' : time));
  // A range that ends now has another share covered at each moment.
  return /"to":"now"/.test(text)
    ? text.replaceAll(/"covered_ratio":[\d.]+/g, '"covered_ratio":"of now"')
    : text;
}

const HOUR = 3_600_000;

/** A time since the process started. What a venue has scheduled for later is at a full quarter of a minute. */
function isNow(time: string): boolean {
  const at = Date.parse(time);
  return at >= SERVED_AT && at < SERVED_AT + HOUR && !/:(00|15|30|45)\.0+Z$/.test(time);
}
