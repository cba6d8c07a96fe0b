// A real log, a real HTTP server with the feed, and clients that keep what they were told.

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiKey, KeyRing, Plan, StreamMessage } from '@ladderlog/core';
import { checkKey, formatKey } from '@ladderlog/core';
import type { FeedKeys, FeedOptions } from '@ladderlog/feed';
import { Feed } from '@ladderlog/feed';
import type { Live, LiveOptions } from '@ladderlog/live';
import { openLive } from '@ladderlog/live';
import type { EventLog } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { streamContract } from '../../../test/harness/stream-contract.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const secretOf = (plan: Plan): string => plan.repeat(8).slice(0, 32);
export const keyText = (plan: Plan): string => formatKey({ keyId: `${plan}0001`, secret: secretOf(plan) });

export function testKeys(): FeedKeys & { revoke(plan: Plan): void } {
  const ring: Map<string, ApiKey> & KeyRing = new Map<string, ApiKey>();
  for (const plan of ['explorer', 'quant', 'desk'] as const)
    ring.set(`${plan}0001`, {
      keyId: `${plan}0001`,
      name: plan,
      plan,
      secretHash: sha256(secretOf(plan)),
      issuedAt: 1,
      revokedAt: null,
      revokedReason: null,
    });
  return {
    check: (text) => checkKey(ring, text, sha256),
    list: () => [...ring.values()],
    revoke: (plan) => ring.set(`${plan}0001`, { ...ring.get(`${plan}0001`)!, revokedAt: 2 }),
  };
}

export async function openTempLog(): Promise<{ log: EventLog; remove(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-feed-'));
  const log = await openSqliteLog({ path: join(folder, 'log.sqlite') });
  return {
    log,
    async remove() {
      await log.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type TestFeed = {
  readonly feed: Feed;
  readonly live: Live;
  readonly url: string;
  readonly keys: ReturnType<typeof testKeys>;
  connect(plan?: Plan | null): Promise<TestClient>;
  close(): Promise<void>;
};

export async function startFeed(
  log: EventLog,
  options: Partial<FeedOptions> & Pick<LiveOptions, 'warmUpMs'> & { readonly port?: number } = {},
): Promise<TestFeed> {
  const keys = testKeys();
  const parts = { log, logger: pino({ level: 'silent' }), clock: () => Date.now() * 1_000, ...options };
  const live = await openLive(parts);
  const feed = new Feed({ live, keys, ...parts });
  live.follow();
  const server: Server = createServer((_request, response) => response.end());
  server.on('upgrade', (request, socket, head) => feed.handleUpgrade(request, socket, head));
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v3/stream`;
  const clients: TestClient[] = [];
  return {
    feed,
    live,
    url,
    keys,
    async connect(plan = 'desk') {
      const client = await connect(url, plan === null ? {} : { authorization: `Bearer ${keyText(plan)}` });
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) client.socket.terminate();
      for (const { problems } of clients)
        if (problems.length > 0) throw new Error(`not as asyncapi.yaml says: ${problems[0]}`);
      await feed.close();
      await live.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const contract = streamContract();

/** Keeps every message, each checked against the contract. */
export class TestClient {
  readonly socket: WebSocket;
  readonly messages: StreamMessage[] = [];
  readonly problems: string[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  private wake: () => void = () => {};

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString('utf8')) as StreamMessage;
      const problem = contract.problem(message);
      if (problem !== null) this.problems.push(problem);
      this.messages.push(message);
      this.wake();
    });
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  of<T extends StreamMessage['type']>(type: T): Extract<StreamMessage, { type: T }>[] {
    return this.messages.filter((message) => message.type === type) as Extract<StreamMessage, { type: T }>[];
  }

  async until(what: string, holds: () => boolean, timeoutMs = 120_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!holds()) {
      const left = deadline - Date.now();
      if (left <= 0)
        throw new Error(`waited for ${what}; got ${JSON.stringify(this.messages.slice(-3)).slice(0, 1_000)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, 500));
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async next<T extends StreamMessage['type']>(
    type: T,
    count = 1,
  ): Promise<Extract<StreamMessage, { type: T }>> {
    await this.until(`${count} ${type}`, () => this.of(type).length >= count);
    return this.of(type)[count - 1]!;
  }
}

export async function connect(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestClient> {
  const socket = new WebSocket(url, { headers, perMessageDeflate: false });
  const client = new TestClient(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  return client;
}
