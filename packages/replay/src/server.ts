// A replay served over WebSocket with the messages of the live feed. Every client has a replay of its own: it begins with its
// first subscription and obeys pause, resume, seek and speed. A slow client slows its own replay; nothing is left out.

import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  ReplayControl,
  StreamErrorCode,
  StreamFilter,
  StreamMessage,
  StreamRequest,
} from '@ladderlog/core';
import {
  SILENT_MS,
  STREAM_VERSION,
  Statuses,
  filterMatches,
  parseStreamRequest,
  toIso,
} from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import type { Speed, Timer } from './pace.ts';
import { Pace, systemTimer } from './pace.ts';
import type { ReplayMessage, ReplayRequest } from './replay-stream.ts';
import { messageText, replayMessages } from './replay-stream.ts';

export type ReplayServerOptions = {
  readonly log: EventLog;
  readonly request: ReplayRequest;
  readonly speed: Speed;
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
  readonly timer?: Timer;
  readonly onError?: (error: unknown) => void;
};

export type ReplayServer = { readonly port: number; readonly url: string; close(): Promise<void> };

const UNSENT_BYTES = 1024 * 1024;
const HEARTBEAT_MS = 15_000;
/** A replay that sends nothing the client wants still lets others have their turn. */
const TURN_ITEMS = 2_000;

export async function serveReplay(options: ReplayServerOptions): Promise<ReplayServer> {
  const server: Server = createServer((_request, response) =>
    response.writeHead(426, { 'content-type': 'text/plain' }).end('connect with a WebSocket to /v3/stream\n'),
  );
  const sockets = new WebSocketServer({ server, perMessageDeflate: false, maxPayload: 64 * 1024 });
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

class Player {
  private readonly options: ReplayServerOptions;
  private readonly socket: WebSocket;
  private readonly pace: Pace;
  private readonly filters = new Map<string, StreamFilter>();
  private readonly ended = new AbortController();
  private readonly beat: NodeJS.Timeout;
  private statuses: Statuses;
  private at: number;
  private from: number;
  private jump = new AbortController();
  private started = false;
  private over = false;
  private named = 0;
  done: Promise<void> = Promise.resolve();

  constructor(options: ReplayServerOptions, socket: WebSocket) {
    this.options = options;
    this.socket = socket;
    this.pace = new Pace(options.speed, options.timer ?? systemTimer);
    this.from = options.request.from;
    this.at = this.from;
    this.statuses = new Statuses(() => this.at, SILENT_MS);
    socket.on('error', () => {});
    socket.on('message', (data: Buffer, binary) => this.onText(binary ? '' : data.toString('utf8')));
    this.beat = setInterval(
      () => this.send({ type: 'heartbeat', time: toIso(this.at), positions: null, replay: true }),
      HEARTBEAT_MS,
    );
    this.beat.unref();
    this.send({
      type: 'ready',
      version: STREAM_VERSION,
      plan: 'desk',
      venues: options.request.venues,
      time: toIso(this.at),
      heartbeat_seconds: HEARTBEAT_MS / 1_000,
      replay: true,
    });
  }

  end(): void {
    clearInterval(this.beat);
    this.ended.abort();
    this.jump.abort();
  }

  private send(message: StreamMessage): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private fail(code: StreamErrorCode, message: string, id: string | null, parameter: string | null): void {
    this.send({ type: 'error', code, message, details: parameter === null ? {} : { parameter }, id });
  }

  private onText(text: string): void {
    const parsed = parseStreamRequest(text);
    if (parsed.ok) this.obey(parsed.request);
    else this.fail(parsed.code, parsed.message, parsed.id, parsed.parameter);
  }

  private obey(request: StreamRequest): void {
    switch (request.type) {
      case 'auth':
        // The live feed wants a key; who may reach this port may read the log. Accepted, so that one client serves both.
        return;
      case 'ping':
        this.send({ type: 'pong', time: toIso(this.at), id: request.id });
        return;
      case 'unsubscribe':
        if (this.filters.delete(request.id)) this.send({ type: 'unsubscribed', id: request.id });
        else this.fail('UNKNOWN_SUBSCRIPTION', `There is no subscription '${request.id}'.`, request.id, null);
        return;
      case 'subscribe':
        this.subscribe(request);
        return;
      default:
        this.control(request);
    }
  }

  private subscribe(request: Extract<StreamRequest, { type: 'subscribe' }>): void {
    const { filter, from } = request;
    if (from && !('time' in from)) {
      this.fail('INVALID_PARAMETER', 'A replay begins at a time: from.time.', request.id, 'from.position');
      return;
    }
    const id = request.id ?? `s${++this.named}`;
    this.filters.set(id, filter);
    this.send({ type: 'subscribed', id, filter, markets: 0, positions: [], replay: true });
    for (const venue of this.options.request.venues)
      if (filter.venue === null || filter.venue === venue)
        this.send({ type: 'status', replay: true, data: this.statuses.status(venue) });
    if (from) this.seek(from.time);
    else if (!this.started) this.start();
  }

  private control(request: ReplayControl): void {
    if (request.type === 'pause') this.pace.pause();
    else if (request.type === 'resume') this.pace.resume();
    else if (request.type === 'speed') this.pace.setSpeed(request.speed);
    else this.seek(request.time);
    this.tell();
  }

  private tell(): void {
    this.send({
      type: 'replay',
      state: this.over ? 'ended' : this.pace.isPaused ? 'paused' : 'playing',
      speed: this.pace.currentSpeed,
      time: toIso(this.at),
    });
  }

  private seek(time: number): void {
    const { from, to } = this.options.request;
    this.from = Math.min(Math.max(time, from), to);
    this.at = this.from;
    if (this.started) this.jump.abort();
    else this.start();
  }

  private start(): void {
    this.started = true;
    this.done = this.loop().catch((error: unknown) => {
      this.options.onError?.(error);
      this.fail('INTERNAL_ERROR', 'The replay cannot go on.', null, null);
    });
  }

  /** Plays to the end, and again from wherever a seek says. */
  private async loop(): Promise<void> {
    while (!this.ended.signal.aborted) {
      this.jump = new AbortController();
      const signal = AbortSignal.any([this.jump.signal, this.ended.signal]);
      this.over = false;
      this.pace.jump();
      this.statuses = new Statuses(() => this.at, SILENT_MS);
      await this.play(signal);
      await aborted(signal);
    }
  }

  private async play(signal: AbortSignal): Promise<void> {
    const { log, request } = this.options;
    const messages = replayMessages(log, { ...request, from: this.from, signal }, (event) =>
      this.statuses.apply(event),
    );
    let inTurn = 0;
    for await (const batch of messages)
      for (const message of batch) {
        await this.pace.due(message.time, signal);
        if (signal.aborted) return;
        this.at = message.time;
        if (this.wanted(message)) {
          this.socket.send(messageText(message));
          if (this.socket.bufferedAmount > UNSENT_BYTES) await this.room(signal);
        }
        for (const status of this.statuses.changed())
          this.send({ type: 'status', replay: true, data: status });
        if (++inTurn < TURN_ITEMS) continue;
        inTurn = 0;
        await new Promise((resolve) => setImmediate(resolve));
      }
    if (signal.aborted) return;
    this.at = request.to;
    this.over = true;
    this.tell();
  }

  private wanted({ event, known }: ReplayMessage): boolean {
    const facts = {
      venue: event.venue,
      market: event.market,
      asset: known?.asset ?? null,
      window: known?.window ?? null,
    };
    for (const filter of this.filters.values()) if (filterMatches(filter, facts)) return true;
    return false;
  }

  private async room(signal: AbortSignal): Promise<void> {
    while (this.socket.bufferedAmount > UNSENT_BYTES / 2 && !signal.aborted)
      await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
