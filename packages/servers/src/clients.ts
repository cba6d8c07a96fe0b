// The client sockets of one venue: what its protocol says is done to them, their life is checked, and faults hit all at once.

import type { KeepAlive, Output, RequestHead, ServerProtocol, ServerSocket, Venue } from '@ladderlog/core';
import type { WebSocket } from 'ws';

import type { Gate, NativeSource, SentFrame, SourceConnection, Taps } from './source.ts';

/** A client that leaves more than this unread gets no further frames. */
const MAX_UNSENT_BYTES = 16 * 1024 * 1024;

export type ClientsOptions = Taps & {
  readonly venue: Venue;
  readonly protocol: ServerProtocol;
  readonly source: NativeSource;
  readonly clock: () => number;
  readonly gate: Gate;
  readonly keepAlive: KeepAlive;
};

type Connected = {
  readonly socket: WebSocket;
  readonly number: number;
  readonly protocol: ServerSocket;
  readonly feed: SourceConnection;
  /** Says that the client showed life. */
  readonly alive: () => void;
  /** A market frame to lose, put there by skipNext: of any id (null), or only of this one. */
  skip: { readonly id: string | null } | null;
};

export class Clients {
  private readonly options: ClientsOptions;
  private readonly connected = new Set<Connected>();
  private numbered = 0;

  constructor(options: ClientsOptions) {
    this.options = options;
  }

  accept(socket: WebSocket, head: RequestHead): void {
    const { source, protocol, clock, gate, venue, onLost, keepAlive } = this.options;
    const number = ++this.numbered;
    const feed = source.connect((frame) => this.perform(client, client.protocol.frame(frame)));
    const client: Connected = {
      socket,
      number,
      feed,
      alive: watchLife(socket, keepAlive),
      protocol: protocol.openSocket!(head, {
        now: clock,
        unsent: () => socket.bufferedAmount,
        silence: () => (gate.anySilence() ? gate.silent : null),
        initial: (ids) => feed.initial(ids),
        takeSkip: (ids) => takeSkip(client, ids),
        lose: (market) => onLost?.({ venue, at: clock(), market, connection: number }),
      }),
      skip: null,
    };
    this.connected.add(client);
    feed.ended?.then(
      () => socket.close(1000, 'end of recording'),
      () => socket.close(1011, 'source failed'),
    );
    socket.on('message', (data: Buffer) =>
      this.perform(client, client.protocol.message(data.toString('utf8'))),
    );
    socket.on('close', () => {
      this.connected.delete(client);
      feed.close();
    });
    this.perform(client, client.protocol.opened?.() ?? []);
  }

  private perform(client: Connected, outputs: readonly Output[]): void {
    for (const output of outputs) {
      if (output.do === 'send') {
        const { text, kind, markets } = output;
        if (kind === 'control' && this.options.gate.silent('')) continue;
        this.send(client, text, kind === 'pong' ? 'control' : kind, markets);
      } else if (output.do === 'watch') client.feed.watching?.(output.ids);
      else if (output.do === 'close') client.socket.close(output.code, output.reason);
      else client.alive();
    }
  }

  /** False when it could not be sent: closed, or the reader is too slow. */
  private send(
    { socket, number }: Connected,
    text: string,
    kind: SentFrame['kind'],
    markets: readonly string[],
  ): boolean {
    if (socket.readyState !== socket.OPEN || socket.bufferedAmount > MAX_UNSENT_BYTES) return false;
    socket.send(text);
    const { venue, clock, onSent } = this.options;
    onSent?.({ venue, channel: 'ws', text, at: clock(), markets, connection: number, kind });
    return true;
  }

  count(): number {
    return this.connected.size;
  }

  /** Bytes that wait for the slowest reader: a source that is not bound to the clock holds back by it. */
  backlog(): number {
    return Math.max(0, ...[...this.connected].map(({ socket }) => socket.bufferedAmount));
  }

  /** Returns how many clients it was done to; so do the next ones. */
  private each(act: (client: Connected) => boolean | void): number {
    return [...this.connected].filter((client) => act(client) !== false).length;
  }

  /** Cuts every socket without a closing handshake. */
  disconnect(): number {
    return this.each(({ socket }) => socket.terminate());
  }

  /** Closes every socket with a code, as a venue does at the end of a connection's life. */
  closeAll(code: number, reason: string): number {
    return this.each(({ socket }) => socket.close(code, reason));
  }

  /** Sends a text to every client, or to those that watch this id. */
  broadcast(text: string, id: string | null): number {
    return this.each(
      (client) => (id === null || client.protocol.watches(id)) && this.send(client, text, 'fault', []),
    );
  }

  /** The next market frame of each client (that concerns this id) is lost. */
  skipNext(id: string | null): void {
    this.each((client) => void (client.skip = { id }));
  }

  /** Ends every subscription as for a reader that is too slow, where the venue has such an end. */
  overflow(): number {
    return this.each((client) => {
      const outputs = client.protocol.overflow?.();
      if (!outputs) return false;
      this.perform(client, outputs);
    });
  }
}

/** True once, when this client is to lose a frame of these ids. */
function takeSkip(client: Connected, ids: readonly string[]): boolean {
  if (!client.skip || (client.skip.id !== null && !ids.includes(client.skip.id))) return false;
  client.skip = null;
  return true;
}

/** Runs the timers of a socket; the function returned says that its client showed life. */
function watchLife(socket: WebSocket, { lifeMs, pingTimeoutMs, heartbeatMs }: KeepAlive): () => void {
  const life = lifeMs && setTimeout(() => socket.close(1001, 'connection life ended'), lifeMs);
  const drop = pingTimeoutMs ? setTimeout(() => socket.terminate(), pingTimeoutMs) : null;
  let answered = true;
  const beat = (): void => {
    if (!answered) return socket.terminate();
    answered = false;
    socket.ping('heartbeat');
  };
  const heartbeat = heartbeatMs && setInterval(beat, heartbeatMs);
  socket.on('pong', () => (answered = true));
  const alive = (): void => void drop?.refresh();
  socket.on('ping', alive);
  socket.on('close', () => {
    for (const timer of [life, drop, heartbeat]) if (timer) clearTimeout(timer);
  });
  return alive;
}
