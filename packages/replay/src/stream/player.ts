// The replay of one client: what it subscribed to, where it is, and how fast it goes. It says what the live feed would have said
// at that moment, and refuses what the live feed refuses.

import type {
  EventType,
  Position,
  ReplayControl,
  StreamFilter,
  StreamMessage,
  StreamRequest,
  Venue,
} from '@ladderlog/core';
import {
  SILENT_MS,
  STREAM_CLOSE,
  STREAM_LIMITS,
  Markets,
  STREAM_VERSION,
  Statuses,
  StreamRefusal,
  checkSubscription,
  filterMatches,
  formatPosition,
  malformed,
  parseStreamRequest,
  subscribedPlaces,
  toIso,
  unknownSubscription,
} from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { positionsAt } from '@ladderlog/log';
import type { WebSocket } from 'ws';
import type { Placed } from '../source/order.ts';
import { inOrder } from '../source/order.ts';
import type { Speed, Timer } from '../source/pace.ts';
import { Pace, systemTimer } from '../source/pace.ts';
import { lastOf } from './resume.ts';
import { ReplayState, factsOf } from './state.ts';
import type { ReplayMessage, ReplayRequest } from './steps.ts';
import { isMessage, messageText, replaySteps } from './steps.ts';

export type PlayerOptions = {
  readonly log: EventLog;
  readonly request: ReplayRequest;
  readonly speed: Speed;
  readonly timer?: Timer;
  readonly onError?: (error: unknown) => void;
};

type Subscribe = Extract<StreamRequest, { type: 'subscribe' }> & { readonly id: string };

const UNSENT_BYTES = 1024 * 1024;
const HEARTBEAT_MS = 15_000;
/** A replay that sends nothing the client wants still lets others have their turn. */
const TURN_ITEMS = 2_000;
/** How far before the beginning the newest books, open gaps and statuses are looked for. */
const WARM_UP = 1_800_000_000;
/** What is sent, and what statuses are made of. */
const TYPES: ReadonlySet<EventType> = new Set([
  'BookObserved',
  'MarketObserved',
  'GapOpened',
  'GapClosed',
  'CaptureStarted',
  'CaptureBeat',
  'CaptureStopped',
]);

export class Player {
  private readonly options: PlayerOptions;
  private readonly socket: WebSocket;
  private readonly pace: Pace;
  private readonly subscriptions = new Map<string, { readonly filter: StreamFilter; isOpen: boolean }>();
  private readonly ended = new AbortController();
  private readonly beat: NodeJS.Timeout;
  private statuses: Statuses;
  /** Null until the state of the moment is known; then the subscriptions that wait begin. */
  private state: ReplayState | null = null;
  private waiting: Subscribe[] = [];
  private at: number;
  private from: number;
  /** The last that the client has, in the order of the replay. */
  private after: Placed | null = null;
  private jump = new AbortController();
  private started = false;
  private over = false;
  private named = 0;
  private malformed = 0;
  private second = 0;
  private inSecond = 0;
  done: Promise<void> = Promise.resolve();

  constructor(options: PlayerOptions, socket: WebSocket) {
    this.options = options;
    this.socket = socket;
    this.pace = new Pace(options.speed, options.timer ?? systemTimer);
    this.from = options.request.from;
    this.at = this.from;
    this.statuses = new Statuses(() => this.at, SILENT_MS);
    socket.on('error', () => {});
    socket.on('message', (data: Buffer, binary) => this.onText(binary ? '' : data.toString('utf8')));
    this.beat = setInterval(() => this.heartbeat(), HEARTBEAT_MS);
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
    this.sendText(JSON.stringify(message));
  }

  private sendText(text: string): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(text);
  }

  private heartbeat(): void {
    const { state } = this;
    const positions =
      state && this.openFilters().flatMap((filter) => state.positionsOf(this.placesOf(filter, state)));
    this.send({
      type: 'heartbeat',
      time: toIso(this.at),
      positions: positions && [...new Set(positions.map(formatPosition))],
      replay: true,
    });
  }

  private onText(text: string): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    const second = Math.floor(performance.now() / 1_000);
    this.inSecond = second === this.second ? this.inSecond + 1 : 1;
    this.second = second;
    if (this.inSecond > STREAM_LIMITS.requestsPerSecond) {
      this.socket.close(STREAM_CLOSE.tooMany, 'too many messages');
      return;
    }
    const parsed = parseStreamRequest(text);
    if (!parsed.ok) {
      this.send(malformed(parsed).toMessage(parsed.id));
      if (++this.malformed >= STREAM_LIMITS.malformed)
        this.socket.close(STREAM_CLOSE.malformed, 'too many malformed messages');
      return;
    }
    const { request } = parsed;
    try {
      this.obey(request);
    } catch (error) {
      this.refuse(error, 'id' in request ? request.id : null);
    }
  }

  private refuse(error: unknown, id: string | null): void {
    if (!(error instanceof StreamRefusal)) this.options.onError?.(error);
    const refusal =
      error instanceof StreamRefusal
        ? error
        : new StreamRefusal('INTERNAL_ERROR', 'The replay cannot go on.');
    this.send(refusal.toMessage(id));
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
        if (!this.subscriptions.delete(request.id)) throw unknownSubscription(request.id);
        this.send({ type: 'unsubscribed', id: request.id });
        return;
      case 'subscribe':
        this.subscribe({ ...request, id: request.id ?? `s${++this.named}` });
        return;
      default:
        this.control(request);
    }
  }

  private subscribe(request: Subscribe): void {
    const { id, filter, from } = request;
    const { venues } = this.options.request;
    checkSubscription(id, this.subscriptions, STREAM_LIMITS.subscriptions);
    if (filter.venue !== null && !venues.includes(filter.venue))
      throw new StreamRefusal('INVALID_PARAMETER', `This replay has ${venues.join(', ')}.`, {
        parameter: 'venue',
      });
    this.subscriptions.set(id, { filter, isOpen: false });
    if (from && 'positions' in from) {
      this.resume(request, from.positions).catch((error: unknown) => {
        this.subscriptions.delete(id);
        this.refuse(error, id);
      });
      return;
    }
    this.waiting.push(request);
    if (from) this.seek(from.time);
    else if (!this.started) this.start();
    else this.open();
  }

  private async resume(request: Subscribe, positions: readonly Position[]): Promise<void> {
    const { log, request: range } = this.options;
    const { filter } = request;
    const subscribed = { filter, venues: this.venuesOf(filter), positions };
    const clock = range.clock ?? 'observed';
    const last = await lastOf(log, subscribed, clock, this.ended.signal);
    this.waiting.push(request);
    // By the venue's clock, what follows may have been observed before.
    this.seek(clock === 'source' || !last ? range.from : last.time, last);
  }

  private venuesOf({ venue }: StreamFilter): readonly Venue[] {
    return venue === null ? this.options.request.venues : [venue];
  }

  private placesOf(filter: StreamFilter, state: ReplayState): Omit<Position, 'offset'>[] {
    return subscribedPlaces(filter, this.venuesOf(filter), {
      partitions: (topic) => state.partitions(topic),
      partitionOf: (topic, market) => this.options.log.partitionOf(topic, market),
    });
  }

  /** Answers the subscriptions that wait, when the moment is known. */
  private open(): void {
    const { state } = this;
    if (!state) return;
    const { waiting } = this;
    this.waiting = [];
    for (const { id, filter, from } of waiting) {
      const subscription = this.subscriptions.get(id);
      // Ended in the meantime.
      if (subscription?.filter !== filter) continue;
      const streaming = this.openFilters();
      subscription.isOpen = true;
      const matching = state.matching(filter, this.at);
      const positions = state.positionsOf(this.placesOf(filter, state)).map(formatPosition);
      this.send({ type: 'subscribed', id, filter, markets: matching.length, positions, replay: true });
      for (const venue of this.venuesOf(filter))
        this.send({ type: 'status', replay: true, data: this.statuses.status(venue) });
      if (from) this.send({ type: 'live', id });
      else
        for (const market of matching)
          if (!streaming.some((other) => filterMatches(other, factsOf(market))))
            for (const text of state.currentTexts(market)) this.sendText(text);
    }
  }

  private openFilters(): StreamFilter[] {
    return [...this.subscriptions.values()].flatMap(({ filter, isOpen }) => (isOpen ? [filter] : []));
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

  private seek(time: number, after: Placed | null = null): void {
    const { from, to } = this.options.request;
    this.from = Math.min(Math.max(time, from), to);
    this.at = this.from;
    this.after = after;
    this.state = null;
    this.over = false;
    if (this.started) this.jump.abort();
    else this.start();
  }

  private start(): void {
    this.started = true;
    this.done = this.loop().catch((error: unknown) => this.refuse(error, null));
  }

  /** Plays to the end, and again from wherever a seek says. */
  private async loop(): Promise<void> {
    while (!this.ended.signal.aborted) {
      this.jump = new AbortController();
      const signal = AbortSignal.any([this.jump.signal, this.ended.signal]);
      this.pace.jump();
      await this.play(signal);
      await aborted(signal);
    }
  }

  private async play(signal: AbortSignal): Promise<void> {
    const { log, request } = this.options;
    const { from, after } = this;
    const state = new ReplayState(await positionsAt(log, request.venues, from));
    const statuses = new Statuses(() => this.at, SILENT_MS);
    const markets = new Markets();
    let played = 0;
    const steps = replaySteps(log, { ...request, from: from - WARM_UP, signal }, TYPES);
    const begin = (): void => {
      this.at = from;
      this.statuses = statuses;
      this.state = state;
      this.open();
    };
    let inTurn = 0;
    for await (const batch of steps)
      for (const step of batch) {
        if (signal.aborted) return;
        const isBefore = step.event.observedAt < from || (after && inOrder(step, after) <= 0);
        if (!isBefore) {
          if (!this.state) begin();
          await this.pace.due(step.time, signal);
          if (signal.aborted) return;
        }
        // A step is one moment: whoever subscribes sees all of it or nothing.
        if (!isBefore || !this.state) this.at = step.time;
        if (step.event.observedAt >= from) state.pass(step);
        const change = markets.apply(step.event, step.position, played++);
        if (change) statuses.update(change.before, change.after);
        if (isMessage(step)) {
          state.apply(step);
          if (!isBefore && this.wanted(step)) this.sendText(messageText(step));
        }
        for (const status of statuses.changed())
          if (!isBefore && this.openFilters().some((filter) => this.venuesOf(filter).includes(status.venue)))
            this.send({ type: 'status', replay: true, data: status });
        if (this.socket.bufferedAmount > UNSENT_BYTES) await this.room(signal);
        if (++inTurn < TURN_ITEMS) continue;
        inTurn = 0;
        await new Promise((resolve) => setImmediate(resolve));
      }
    if (signal.aborted) return;
    if (!this.state) begin();
    this.at = request.to;
    this.over = true;
    this.tell();
  }

  private wanted({ event, known }: ReplayMessage): boolean {
    const facts = factsOf({ ...event, known });
    for (const { filter, isOpen } of this.subscriptions.values())
      if (isOpen && filterMatches(filter, facts)) return true;
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
