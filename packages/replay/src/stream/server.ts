// A replay served over WebSocket with the messages of the live feed. Every client has a replay of its own: it begins with its
// first subscription and obeys pause, resume, seek and speed. A slow client slows its own replay; nothing is left out.

import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { STREAM_LIMITS } from '@ladderlog/core';
import { WebSocketServer } from 'ws';
import type { PlayerOptions } from './player.ts';
import { Player } from './player.ts';

export type ReplayServerOptions = PlayerOptions & {
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
  /** Each has a replay of its own in memory. Default 16. */
  readonly maxClients?: number;
};

const MAX_CLIENTS = 16;

export type ReplayServer = { readonly port: number; readonly url: string; close(): Promise<void> };

export async function serveReplay(options: ReplayServerOptions): Promise<ReplayServer> {
  const server: Server = createServer((_request, response) =>
    response.writeHead(426, { 'content-type': 'text/plain' }).end('connect with a WebSocket to /v3/stream\n'),
  );
  const { maxClients = MAX_CLIENTS } = options;
  const sockets: WebSocketServer = new WebSocketServer({
    server,
    perMessageDeflate: false,
    maxPayload: STREAM_LIMITS.payloadBytes,
    verifyClient: (_info, answer) =>
      answer(sockets.clients.size < maxClients, 503, 'The replay has as many clients as it takes.'),
  });
  const players = new Set<Player>();
  sockets.on('connection', (socket) => {
    const player = new Player(options, socket);
    players.add(player);
    socket.on('close', () => {
      players.delete(player);
      player.end();
    });
  });
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `ws://${host.includes(':') ? `[${host}]` : host}:${port}/v3/stream`,
    async close() {
      for (const player of players) player.end();
      for (const socket of sockets.clients) socket.terminate();
      await Promise.all([...players].map((player) => player.done));
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
