// The set of client sockets of one venue: numbering, sending under a cap, and what faults do to all of them at once.

import type { Venue } from '@ladderlog/core';
import type { WebSocket } from 'ws';
import { MAX_BUFFERED_BYTES } from './host.ts';
import type { LostFrame, SentFrame, SentTap } from './protocol.ts';

export type Client<State> = {
  readonly socket: WebSocket;
  readonly number: number;
  readonly state: State;
  /** Market frames to lose, put there by skipNext: null for any, else only of this id. */
  skip: { readonly id: string | null } | null;
};

export type Sockets<State> = {
  readonly clients: ReadonlySet<Client<State>>;
  add(socket: WebSocket, state: State): Client<State>;
  remove(client: Client<State>): void;
  /** False when it could not be sent: closed, or the reader is too slow. */
  send(client: Client<State>, text: string, kind: SentFrame['kind'], markets: readonly string[]): boolean;
  /** Says that a fault kept this client from a frame. */
  lose(client: Client<State>, market: string): void;
  /** Unsent bytes of the slowest reader. */
  readonly backlog: () => number;
  readonly disconnect: () => number;
  readonly closeAll: (code: number, reason: string) => number;
};

export type SocketTaps = {
  readonly clock: () => number;
  readonly onSent?: SentTap;
  readonly onLost?: (frame: LostFrame) => void;
};

export function createSockets<State>(venue: Venue, { clock, onSent, onLost }: SocketTaps): Sockets<State> {
  const clients = new Set<Client<State>>();
  let numbered = 0;
  return {
    clients,
    add(socket, state) {
      const client: Client<State> = { socket, number: ++numbered, state, skip: null };
      clients.add(client);
      return client;
    },
    remove: (client) => void clients.delete(client),
    send(client, text, kind, markets) {
      const { socket } = client;
      if (socket.readyState !== socket.OPEN || socket.bufferedAmount > MAX_BUFFERED_BYTES) return false;
      socket.send(text);
      onSent?.({ venue, channel: 'ws', text, at: clock(), markets, connection: client.number, kind });
      return true;
    },
    lose: (client, market) => onLost?.({ venue, at: clock(), market, connection: client.number }),
    backlog() {
      let most = 0;
      for (const { socket } of clients) most = Math.max(most, socket.bufferedAmount);
      return most;
    },
    disconnect() {
      const count = clients.size;
      for (const { socket } of clients) socket.terminate();
      return count;
    },
    closeAll(code, reason) {
      const count = clients.size;
      for (const { socket } of clients) socket.close(code, reason);
      return count;
    },
  };
}

/** True once, when this client is to lose a frame of these ids. */
export function takeSkip(client: Client<unknown>, ids: readonly string[]): boolean {
  if (!client.skip || (client.skip.id !== null && !ids.includes(client.skip.id))) return false;
  client.skip = null;
  return true;
}
