// The set of client sockets of one venue: numbering, sending under a cap, and what faults do to all of them at once.

import type { Venue } from '@ladderlog/core';
import type { WebSocket } from 'ws';
import { MAX_BUFFERED_BYTES } from './host.ts';
import type { LostFrame, SentFrame, SentTap, SourceConnection, VenueServer } from './protocol.ts';

export type Client<State> = {
  readonly socket: WebSocket;
  readonly number: number;
  readonly state: State;
  /** Market frames to lose, put there by skipNext: null for any, else only of this id. */
  skip: { readonly id: string | null } | null;
};

export type Sockets<State> = {
  add(socket: WebSocket, state: State): Client<State>;
  remove(client: Client<State>): void;
  readonly all: ReadonlySet<Client<State>>;
  /** False when it could not be sent: closed, or the reader is too slow. */
  send(client: Client<State>, text: string, kind: SentFrame['kind'], markets: readonly string[]): boolean;
  /** Says that a fault kept this client from a frame. */
  lose(client: Client<State>, market: string): void;
  /** The end of a recording is the end of the connection. */
  closeWith(client: Client<State>, feed: SourceConnection<unknown>): void;
  /** What a venue's server does with all of its clients. `hears`: whether one watches an id; `about`: the markets of an id. */
  controls(
    hears: (state: State, id: string) => boolean,
    about?: (id: string) => readonly string[],
  ): SocketControls;
};

export type SocketControls = Pick<
  VenueServer,
  'connections' | 'backlog' | 'disconnect' | 'closeAll' | 'broadcast' | 'skipNext'
>;

export type SocketTaps = {
  readonly clock: () => number;
  readonly onSent?: SentTap;
  readonly onLost?: (frame: LostFrame) => void;
};

export function createSockets<State>(venue: Venue, { clock, onSent, onLost }: SocketTaps): Sockets<State> {
  const clients = new Set<Client<State>>();
  let numbered = 0;
  const send: Sockets<State>['send'] = (client, text, kind, markets) => {
    const { socket } = client;
    if (socket.readyState !== socket.OPEN || socket.bufferedAmount > MAX_BUFFERED_BYTES) return false;
    socket.send(text);
    onSent?.({ venue, channel: 'ws', text, at: clock(), markets, connection: client.number, kind });
    return true;
  };
  return {
    add(socket, state) {
      const client: Client<State> = { socket, number: ++numbered, state, skip: null };
      clients.add(client);
      return client;
    },
    remove: (client) => void clients.delete(client),
    all: clients,
    send,
    lose: (client, market) => onLost?.({ venue, at: clock(), market, connection: client.number }),
    closeWith({ socket }, feed) {
      feed.ended?.then(
        () => socket.close(1000, 'end of recording'),
        () => socket.close(1011, 'source failed'),
      );
    },
    controls: (hears, about = () => []) => ({
      connections: () => clients.size,
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
      broadcast(text, id) {
        const markets = id === null ? [] : about(id);
        let sent = 0;
        for (const client of clients)
          if ((id === null || hears(client.state, id)) && send(client, text, 'fault', markets)) sent++;
        return sent;
      },
      skipNext(id) {
        for (const client of clients) client.skip = { id };
      },
    }),
  };
}

/** True once, when this client is to lose a frame of these ids. */
export function takeSkip(client: Client<unknown>, ids: readonly string[]): boolean {
  if (!client.skip || (client.skip.id !== null && !ids.includes(client.skip.id))) return false;
  client.skip = null;
  return true;
}
