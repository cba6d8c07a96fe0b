// One HTTP server with WebSockets: the plumbing that all venues share.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';

import type { RestAnswer } from '@ladderlog/core';

import type { Gate } from './source.ts';

export type HostOptions = {
  readonly host: string;
  readonly port: number;
  readonly gate: Gate;
  readonly answer: (request: IncomingMessage, body: string) => Promise<RestAnswer>;
  /** Null: accepted. An answer refuses the upgrade with it. */
  authorize(request: IncomingMessage): RestAnswer | null;
  accept(socket: WebSocket, request: IncomingMessage): void;
};

export type Host = { readonly port: number; close(): Promise<void> };

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
    const refusal = options.authorize(request);
    if (refusal) {
      const { status, body } = refusal;
      socket.end(
        `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      );
      return;
    }
    wss.handleUpgrade(request, socket, head, (client) => {
      client.on('error', () => client.terminate());
      options.accept(client, request);
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
    const { status, body: text, headers } = await answer(request, body);
    response.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
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
