// Clients of the three dialects, written from venues.md and not from the simulators' code.

import { constants, createHmac, sign } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { nodePrimitives } from '@ladderlog/servers';
import type { Simulators } from '../src/index.ts';

const START_MS = Date.UTC(2026, 10, 15, 0, 0, 2);
let origin = Date.now();
let held: number | null = null;

/** The tests' time: two seconds into a window when a test begins, so that no test depends on when it is run. */
export const nowMs = (): number => held ?? START_MS + (Date.now() - origin);
export const clock = (): number => nowMs() * 1_000;
export function restartClock(): void {
  origin = Date.now();
  held = null;
}
/** The same moment in every run, and time stands still: what the simulators then do is the same in every run, too. */
export function holdClock(): void {
  held = START_MS;
}
/** From here on time stands still but for what the test adds. */
export function moveClock(byMs: number): void {
  held = nowMs() + byMs;
}

export type Json = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any

/** One key pair for all tests of a file: making one takes a while. */
export const KEYS = { keyId: 'test-key', privateKeyPem: nodePrimitives.rsaPrivateKey() };

export type TestSocket = {
  readonly socket: WebSocket;
  readonly texts: string[];
  /** The first text, past or to come, that satisfies the test. */
  until(test: (text: string) => boolean, from?: number): Promise<string>;
  json(): Json[];
  send(value: unknown): void;
  readonly closed: Promise<{ code: number; reason: string }>;
  close(): void;
};

export async function openSocket(url: string, headers: Record<string, string> = {}): Promise<TestSocket> {
  const socket = new WebSocket(url, { headers });
  const texts: string[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data: Buffer) => {
    texts.push(data.toString('utf8'));
    for (const look of waiting) look();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
    socket.once('unexpected-response', (_request: unknown, response: IncomingMessage) => {
      let body = '';
      response.on('data', (chunk) => (body += String(chunk)));
      response.on('end', () => reject(new Error(`${response.statusCode} ${body}`)));
    });
  });
  socket.on('error', () => {});
  return {
    socket,
    texts,
    until: (test, from = 0) =>
      new Promise((resolve) => {
        let at = from;
        const look = (): void => {
          for (; at < texts.length; at++) {
            if (!test(texts[at]!)) continue;
            waiting.delete(look);
            resolve(texts[at]!);
            return;
          }
        };
        waiting.add(look);
        look();
      }),
    json: () => texts.filter((text) => /^[[{]/.test(text)).map((text) => JSON.parse(text) as Json),
    send: (value) => socket.send(typeof value === 'string' ? value : JSON.stringify(value)),
    closed,
    close: () => socket.close(),
  };
}

const hmac = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('hex');

export async function getA(
  { settings }: Simulators,
  path: string,
  params: Record<string, string> = {},
  change: { key?: string | null; secret?: string; timestamp?: number; appended?: string } = {},
): Promise<{ status: number; headers: Headers; body: Json }> {
  const venuea = settings('venuea');
  const query = new URLSearchParams({
    ...params,
    timestamp: String(change.timestamp ?? nowMs()),
  }).toString();
  const signature = hmac(change.secret ?? venuea.apiSecret!, query);
  const key = change.key === undefined ? venuea.apiKey! : change.key;
  const response = await fetch(
    `${venuea.restUrl}${path}?${query}${change.appended ?? ''}&signature=${signature}`,
    { headers: key === null ? {} : { 'X-MBX-APIKEY': key } },
  );
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
}

export function connectA(
  { settings }: Simulators,
  topics: readonly string[],
  secret = settings('venuea').apiSecret!,
): Promise<TestSocket> {
  const venuea = settings('venuea');
  const query = `random=r${nowMs()}&recvWindow=30000&timestamp=${nowMs()}&topic=${topics.join('|')}`;
  const url = `${venuea.wsUrl}?${query}&signature=${hmac(secret, query)}`;
  return openSocket(url, { 'X-MBX-APIKEY': venuea.apiKey! });
}

export function signB({ settings }: Simulators, method: string, path: string): Record<string, string> {
  const venueb = settings('venueb');
  const timestamp = String(nowMs());
  const signature = sign('sha256', Buffer.from(`${timestamp}${method}${path}`), {
    key: venueb.privateKeyPem!,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  });
  return {
    'KALSHI-ACCESS-KEY': venueb.keyId!,
    'KALSHI-ACCESS-TIMESTAMP': timestamp,
    'KALSHI-ACCESS-SIGNATURE': signature.toString('base64'),
  };
}

export const connectB = (simulators: Simulators): Promise<TestSocket> =>
  openSocket(simulators.settings('venueb').wsUrl!, signB(simulators, 'GET', '/trade-api/ws/v2'));

// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = { status: number; body: any };

export async function getJson(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  return { status: response.status, body: await response.json() };
}

/** Prices and sizes as numbers, so that two spellings of one value are equal. */
export const levelMap = (levels: readonly (readonly [string, string])[]): Map<number, number> =>
  new Map(levels.map(([price, size]) => [Math.round(Number(price) * 1e6), Math.round(Number(size) * 1e6)]));
