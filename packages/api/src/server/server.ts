// The listening sockets: timeouts against slow senders, and an end that answers what is in flight.

import { randomBytes } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import { STATUS_CODES, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { errorEnvelope } from '../answers/answers.ts';
import type { Api } from './create-api.ts';
import { STATUS_OF, unreadable } from '../answers/errors.ts';

export type ApiServer = {
  readonly port: number;
  /** The HTTP server, for the live feed's upgrades. */
  readonly server: Server;
  /** Accepts nothing new, answers what is in flight, then ends. Past `graceMs` connections are cut. */
  close(): Promise<void>;
};

export type ServeOptions = {
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
  readonly graceMs?: number;
  readonly logger: Logger;
};

export async function serveApi(api: Api, options: ServeOptions): Promise<ApiServer> {
  const server = createServer({
    maxHeaderSize: 16 * 1024,
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    keepAliveTimeout: 65_000,
  });
  server.maxRequestsPerSocket = 0;
  const answers = followAnswers(server);
  server.on('request', api.app);
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    if (!socket.writable || answers.begunOn(socket)) socket.destroy();
    else refuse(api, error.code, socket, options.logger);
  });
  const port = await listen(server, options.port, options.host ?? '127.0.0.1');
  options.logger.info({ event: 'api.listening', port }, 'API listening');
  return {
    port,
    server,
    async close() {
      answers.endConnections();
      await end(server, options.graceMs ?? 8_000);
      await api.close();
      options.logger.info({ event: 'api.closed' }, 'API closed');
    },
  };
}

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

type Answers = {
  /** Bytes of an answer are out on this connection: nothing else may follow. */
  begunOn(socket: Duplex): boolean;
  /** From now on every answer is the last one of its connection, those under way too. */
  endConnections(): void;
};

function followAnswers(server: Server): Answers {
  const open = new Set<ServerResponse>();
  let ending = false;
  const makeLast = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  server.on('request', (_request, response) => {
    open.add(response);
    if (ending) makeLast(response);
    response.once('close', () => {
      open.delete(response);
      // Its headers may have been out before the end began.
      if (ending) server.closeIdleConnections();
    });
  });
  // Node takes an answer for done that is written but not sent, and would cut it; server.close() calls this too.
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    if (![...open].some(({ writableEnded }) => writableEnded)) closeIdle();
  };
  return {
    begunOn: (socket) => [...open].some((response) => response.socket === socket && response.headersSent),
    endConnections() {
      ending = true;
      for (const response of open) makeLast(response);
    },
  };
}

/** What no request could be made of never reaches the app; its answer has the same shape. */
function refuse(api: Api, cause: string | undefined, socket: Duplex, logger: Logger): void {
  const error = unreadable(cause);
  const status = STATUS_OF[error.code];
  const requestId = randomBytes(8).toString('hex');
  const body = JSON.stringify(errorEnvelope(error, requestId, api.clock()));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
  ];
  api.metrics.answered('none', status, 0);
  logger.info({ event: 'api.unreadable', request_id: requestId, status, cause }, 'not a request');
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function end(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
