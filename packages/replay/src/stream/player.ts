// The replay of one client: what it subscribed to, where it is, and how fast it goes. It says what the live feed would have said
// at that moment, and refuses what the live feed refuses.

import type { EventType, Position, ReplayControl, StreamFilter, StreamRequest, Venue } from '@ladderlog/core';
import {
  SILENT_MS,
  STREAM_VERSION,
  Statuses,
  factsOf,
  filterMatches,
  formatPosition,
  subscribedPlaces,
  toIso,
  unknownSubscription,
} from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { positionsAt, readingTurns } from '@ladderlog/log';
import type { WebSocket } from 'ws';
import type { Placed } from '../source/order.ts';
import { inOrder } from '../source/order.ts';
import type { Speed, Timer } from '../source/pace.ts';
import { Pace, aborted, systemTimer } from '../source/pace.ts';
import { ReplayClient } from './client.ts';
import { CurrentBooks } from './current.ts';
import { lastOf } from './resume.ts';
import { ReplayState } from './state.ts';
import { ReplaySubscriptions } from './subscriptions.ts';
import type { ReplayRequest } from './steps.ts';
import { isMessage, messageText, replaySteps } from './steps.ts';

export type PlayerOptions = {
  readonly log: EventLog;
  readonly request: ReplayRequest;
  readonly speed: Speed;
  readonly timer?: Timer;
  readonly onError?: (error: unknown) => void;
};

type Subscribe = Extract<StreamRequest, { type: 'subscribe' }> & { readonly id: string };

const HEARTBEAT_MS = 15_000;
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
  private readonly client: ReplayClient;
  private readonly pace: Pace;
  private readonly subscriptions = new ReplaySubscriptions();
  private readonly ended = new AbortController();
  private readonly beat: NodeJS.Timeout;
  private statuses: Statuses;
  /** Null until the state of the moment is known; then the subscriptions that wait begin. */
  private state: ReplayState | null = null;
  private waiting: Subscribe[] = [];
  private readonly current: CurrentBooks;
  private at: number;
  private from: number;
  /** The last that the client has, in the order of the replay. */
  private after: Placed | null = null;
  private jump = new AbortController();
  private started = false;
  private over = false;
  private named = 0;
  done: Promise<void> = Promise.resolve();

  constructor(options: PlayerOptions, socket: WebSocket) {
    this.options = options;
    this.client = new ReplayClient(socket, (request) => this.obey(request), options.onError);
    this.current = new CurrentBooks(this.client);
    this.pace = new Pace(options.speed, options.timer ?? systemTimer);
    this.from = options.request.from;
    this.at = this.from;
    this.statuses = new Statuses(() => this.at, SILENT_MS);
    this.beat = setInterval(() => this.heartbeat(), HEARTBEAT_MS);
    this.beat.unref();
    this.client.send({
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

  private heartbeat(): void {
    const { state } = this;
    const positions =
      state &&
      this.subscriptions.openFilters().flatMap((filter) => state.positionsOf(this.placesOf(filter, state)));
    this.client.send({
      type: 'heartbeat',
      time: toIso(this.at),
      positions: positions && [...new Set(positions.map(formatPosition))],
      replay: true,
    });
  }

  private obey(request: StreamRequest): void {
    switch (request.type) {
      case 'auth':
        // The live feed wants a key; who may reach this port may read the log. Accepted, so that one client serves both.
        return;
      case 'ping':
        this.client.send({ type: 'pong', time: toIso(this.at), id: request.id });
        return;
      case 'unsubscribe':
        if (!this.subscriptions.delete(request.id)) throw unknownSubscription(request.id);
        this.client.send({ type: 'unsubscribed', id: request.id });
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
    this.subscriptions.add(id, filter, this.options.request.venues);
    if (from && 'positions' in from) {
      this.resume(request, from.positions).catch((error: unknown) => {
        this.subscriptions.delete(id);
        this.client.refuse(error, id);
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
      const streaming = this.subscriptions.openFilters();
      if (!this.subscriptions.open(id, filter)) continue;
      const matching = state.matching(filter, this.at);
      const positions = state.positionsOf(this.placesOf(filter, state)).map(formatPosition);
      this.client.send({ type: 'subscribed', id, filter, markets: matching.length, positions, replay: true });
      for (const venue of this.venuesOf(filter))
        this.client.send({ type: 'status', replay: true, data: this.statuses.status(venue) });
      if (from) this.client.send({ type: 'live', id });
      else {
        const news = matching.filter(
          (market) => !streaming.some((other) => filterMatches(other, factsOf(market))),
        );
        const isWanted = (): boolean => this.state === state && this.subscriptions.isOpen(id, filter);
        this.current.send(state, news, isWanted);
      }
    }
  }

  private control(request: ReplayControl): void {
    if (request.type === 'pause') this.pace.pause();
    else if (request.type === 'resume') this.pace.resume();
    else if (request.type === 'speed') this.pace.setSpeed(request.speed);
    else this.seek(request.time);
    this.tell();
  }

  private tell(): void {
    this.client.send({
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
    this.done = this.loop().catch((error: unknown) => this.client.refuse(error, null));
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
    const steps = replaySteps(log, { ...request, from: from - WARM_UP, signal }, TYPES);
    const begin = (): void => {
      this.at = from;
      this.statuses = statuses;
      this.state = state;
      this.open();
    };
    for await (const batch of steps)
      for (const step of batch) {
        if (readingTurns.isOver) await readingTurns.next();
        if (signal.aborted) return;
        const isBefore = step.event.observedAt < from || (after && inOrder(step, after) <= 0);
        if (!isBefore) {
          if (!this.state) begin();
          await this.pace.due(step.time, signal);
          const current = this.current.sent();
          if (current) await current;
          if (signal.aborted) return;
        }
        // A step is one moment: whoever subscribes sees all of it or nothing.
        if (!isBefore || !this.state) this.at = step.time;
        if (step.event.observedAt >= from) state.pass(step);
        statuses.update(step.before, step.state);
        if (isMessage(step)) {
          state.told(step);
          if (!isBefore && this.subscriptions.want(factsOf(step.state)))
            this.client.sendText(messageText(step));
        }
        for (const status of statuses.changed())
          if (
            !isBefore &&
            this.subscriptions.openFilters().some((filter) => this.venuesOf(filter).includes(status.venue))
          )
            this.client.send({ type: 'status', replay: true, data: status });
        if (this.client.isBehind) await this.client.caughtUp();
      }
    if (signal.aborted) return;
    if (!this.state) begin();
    await this.current.sent();
    if (signal.aborted) return;
    this.at = request.to;
    this.over = true;
    this.tell();
  }
}
