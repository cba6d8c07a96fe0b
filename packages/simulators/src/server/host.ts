// One HTTP server with WebSockets on loopback: the plumbing that the three venues share.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Gate } from './protocol.ts';

export type HttpAnswer = {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: string;
};

export type HostOptions = {
  readonly host: string;
  readonly port: number;
  readonly gate: Gate;
  readonly answer: (request: IncomingMessage, body: string) => Promise<HttpAnswer>;
  /** Null: accepted. An answer refuses the upgrade with it. */
  authorize?(request: IncomingMessage): HttpAnswer | null;
  accept?(socket: WebSocket, request: IncomingMessage): void;
};

export type Host = { readonly server: Server; readonly port: number; close(): Promise<void> };

/** Past this a reader is too slow for the simulator to hold its frames. */
export const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

const MAX_BODY_BYTES = 1024 * 1024;

export async function openHost(options: HostOptions): Promise<Host> {
  const sockets = new Set<Socket>();
  const server = createServer({ keepAliveTimeout: 10_000 }, (request, response) => {
    void respond(request, response, options);
  });
  const wss = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 1024 * 1024 });
  server.on('connection', (socket) => {
    if (options.gate.refusing()) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    if (options.gate.refusing()) {
      socket.destroy();
      return;
    }
    const refusal = options.authorize
      ? options.authorize(request)
      : { status: 404, body: '{"error":"not found"}' };
    if (refusal) {
      socket.end(
        `HTTP/1.1 ${refusal.status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(refusal.body)}\r\nConnection: close\r\n\r\n${refusal.body}`,
      );
      return;
    }
    wss.handleUpgrade(request, socket, head, (client) => {
      client.on('error', () => client.terminate());
      options.accept?.(client, request);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { gate, answer }: HostOptions,
): Promise<void> {
  try {
    if (gate.refusing()) {
      request.socket.destroy();
      return;
    }
    let body = '';
    request.setEncoding('utf8');
    for await (const chunk of request) {
      body += chunk as string;
      if (body.length > MAX_BODY_BYTES) {
        request.socket.destroy();
        return;
      }
    }
    const { status, body: text, headers, type } = await answer(request, body);
    response.writeHead(status, {
      'content-type': type ?? 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      ...headers,
    });
    response.end(text);
  } catch {
    // The client went away in the middle of its request, or a handler failed: either way this answer is over.
    if (response.headersSent) response.destroy();
    else response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"internal error"}');
  }
}

/** The raw path and query of a request, unparsed, as signatures need them. */
export function splitTarget(url: string): { path: string; query: string } {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

export const asJson = (status: number, value: unknown): { status: number; body: string } => ({
  status,
  body: JSON.stringify(value),
});
