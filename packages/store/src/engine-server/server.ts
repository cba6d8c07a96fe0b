// chDB spoken to as a ClickHouse server: its HTTP protocol with full access, on a Unix socket that only its owner may open. So the
// engine can have a process of its own, and what kills it kills nothing else (docs/adr/0015).

import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { LadderlogError } from '@ladderlog/core';
import type { ChdbStore } from '../engine/chdb-store.ts';
import type { Logger } from '../engine/logger.ts';
import { SILENT } from '../engine/logger.ts';
import type { QueueLimits } from '../engine/query-queue.ts';
import { QueryQueue } from '../engine/query-queue.ts';
import type { OnStuck } from '../engine/stuck.ts';
import { STUCK_MS, watched } from '../engine/stuck.ts';
import { sendError, sendText } from '../sql-front/answer.ts';
import type { EngineRequest, RequestLimits } from './request.ts';
import { readRequest } from './request.ts';
import { Sessions } from './sessions.ts';

export type EngineServerLimits = RequestLimits & {
  readonly read: QueueLimits;
  readonly write: QueueLimits;
  /** Longest wait for a turn. */
  readonly waitMs: number;
  /** How long past its own limit a statement may run before it is said to be stuck. */
  readonly stuckMs: number;
  readonly connections: number;
};

export type EngineServerOptions = {
  readonly store: ChdbStore;
  /** A Unix socket; one that an earlier process left is replaced. */
  readonly socket?: string;
  /** In place of a socket: a port of this machine, 0 for any. Whoever reaches it may do anything: for tests. */
  readonly port?: number;
  readonly limits?: Partial<EngineServerLimits>;
  readonly log?: Logger;
  readonly onStuck?: OnStuck | undefined;
};

export type EngineServer = { readonly port: number | null; close(): Promise<void> };

const MIB = 1024 * 1024;

/** The stores behind the socket hold back what they can; this is for all of them together. */
const LIMITS: EngineServerLimits = {
  read: { running: 4, waiting: 256 },
  write: { running: 2, waiting: 256 },
  waitMs: 60_000,
  stuckMs: STUCK_MS,
  textBytes: 16 * MIB,
  bodyBytes: 512 * MIB,
  connections: 256,
};

const UNREAD_MS = 2_000;

export async function startEngineServer(options: EngineServerOptions): Promise<EngineServer> {
  const { store, log = SILENT } = options;
  const limits: EngineServerLimits = { ...LIMITS, ...options.limits };
  const queues = { read: new QueryQueue('read', limits.read), write: new QueryQueue('write', limits.write) };
  const engine: ServedEngine = {
    store,
    sessions: new Sessions(store),
    queues,
    limits,
    answers: new Set(),
    onStuck: options.onStuck,
  };
  const server = createServer(
    {
      requestTimeout: 60_000,
      headersTimeout: 10_000,
      keepAliveTimeout: 60_000,
      connectionsCheckingInterval: 10_000,
      // Parameters are in the address.
      maxHeaderSize: 8 * MIB,
    },
    (request, response) => {
      engine.answers.add(response);
      response.once('close', () => engine.answers.delete(response));
      respond(engine, request, response).catch((error: unknown) => {
        log.debug({ event: 'engine.failed', err: error }, 'statement failed');
        sendError(response, error);
      });
    },
  );
  server.maxConnections = limits.connections;
  await listen(server, options);
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? (address as AddressInfo).port : null;
  log.info({ event: 'engine.listening', port, socket: options.socket }, 'the engine is listening');
  return { port, close: () => close(server, engine) };
}

async function listen(server: Server, { socket, port }: EngineServerOptions): Promise<void> {
  // A longer path is cut off by some systems and refused by others.
  if (socket !== undefined && Buffer.byteLength(socket) > 103)
    throw new LadderlogError('BAD_CONFIG', `the path of the engine's socket is too long: ${socket}`);
  if (socket !== undefined) rmSync(socket, { force: true });
  // It is made within listen(), and must never be there for others, not even for a moment.
  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      if (socket === undefined) server.listen(port ?? 0, '127.0.0.1', resolve);
      else server.listen(socket, resolve);
      process.umask(before);
    });
  } catch (cause) {
    const why = (cause as Error).message;
    throw new LadderlogError('BAD_CONFIG', `the engine cannot listen: ${why}`, { cause });
  } finally {
    process.umask(before);
  }
}

type ServedEngine = {
  readonly store: ChdbStore;
  readonly sessions: Sessions;
  readonly queues: Readonly<Record<EngineRequest['lane'], QueryQueue>>;
  readonly limits: EngineServerLimits;
  /** Not sent to their end. */
  readonly answers: Set<ServerResponse>;
  readonly onStuck: OnStuck | undefined;
};

async function respond(
  { store, sessions, queues, limits, onStuck }: ServedEngine,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/ping') return sendText(response, 200, 'Ok.\n');
  if (pathname !== '/') return sendText(response, 404, `There is no handle ${pathname}\n`);
  const asked = await readRequest(request, searchParams, store.spool, limits);
  if (asked === null) return sendText(response, 200, 'Ok.\n');
  const { statement, lane } = asked;
  try {
    const bytes = await queues[lane].run(limits.waitMs, async () => {
      // Nobody waits for it any more.
      if (response.destroyed) return null;
      const { sql } = statement;
      return watched(sql, allowedMs(sql), onStuck, () => sessions.run(statement), limits.stuckMs);
    });
    if (bytes === null) return;
    // With its length: an answer that was cut off must never look like a short one.
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': bytes.length });
    response.end(bytes);
  } finally {
    asked.release();
  }
}

/** The limit that a statement of our store states itself; DDL has none. */
function allowedMs(sql: string): number | null {
  const seconds = /\bmax_execution_time = '?([\d.]+)/.exec(sql)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1_000;
}

/** What runs is answered; a client that does not read its answer is not waited for. */
async function close(server: Server, { queues, sessions, answers }: ServedEngine): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  await Promise.all([queues.read.close(), queues.write.close()]);
  const sent = Promise.all(Array.from(answers, (response) => once(response, 'close')));
  await Promise.race([sent, delay(UNREAD_MS, undefined, { ref: false })]);
  server.closeAllConnections();
  await Promise.all([closed, sessions.close()]);
}
