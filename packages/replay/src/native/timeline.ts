// The one timeline of a native replay: begins with the first subscription, ends with the range, and is wound back when everyone
// has left. On a venue without a socket it begins with the first question, and stays at its end.

import type {
  BookObserved,
  CaptureStopped,
  EventType,
  FrameCaptured,
  Micros,
  Venue,
  VenueAdapter,
  VenueFrame,
} from '@ladderlog/core';
import { MICROS_PER_MS, adapterOf } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { readingTurns } from '@ladderlog/log';
import type { NativeSource, SourceConnection, VenueServer } from '@ladderlog/servers';
import { RecordedAnswers, answerOf } from './answers.ts';
import { NativeMemory } from './memory.ts';
import { systemTimer, type Pace } from '../source/pace.ts';
import { replayBatches } from '../source/source.ts';

export type TimelineOptions = {
  readonly log: EventLog;
  readonly venue: Venue;
  /** Half-open, by our clock. */
  readonly from: Micros;
  readonly to: Micros;
  /** How far before `from` books, metadata and answers are looked for. */
  readonly lookbackMs?: number;
  readonly onError?: (error: unknown) => void;
};

type Connection = {
  readonly deliver: (frame: VenueFrame) => void;
  /** By watched id the observation a client's first book came from: frames up to it are in that book. */
  readonly since: Map<string, { readonly session: string; readonly ordinal: number }>;
};

const TYPES: ReadonlySet<EventType> = new Set([
  'FrameCaptured',
  'BookObserved',
  'MarketObserved',
  'MetricSampled',
  'GapOpened',
  'CaptureStopped',
]);

/** Unsent bytes of the slowest reader past which a replay without a pace waits. */
const BACKLOG_BYTES = 1024 * 1024;
const CHECK_EVERY = 64;
/** How often a stalled reader is looked at again. */
const STALLED_MS = 5;

export class Timeline {
  private readonly options: TimelineOptions;
  private readonly pace: Pace;
  private readonly adapter: VenueAdapter;
  private readonly primed: NativeMemory;
  private readonly connections = new Set<Connection>();
  private readonly decoder = new TextDecoder();
  memory: NativeMemory;
  /** Those of the server, once it runs. */
  clients: Pick<VenueServer['clients'], 'backlog'> | null = null;
  delivered = 0;
  private followed = new Map<string, string>();
  private running: AbortController | null = null;
  private over = Promise.withResolvers<void>();
  private isOver = false;
  private closed = false;

  static async open(options: TimelineOptions, pace: Pace): Promise<Timeline> {
    const { authParameters } = adapterOf(options.venue).server;
    const primed = new NativeMemory(options.from, new RecordedAnswers(authParameters));
    const range = {
      venues: [options.venue],
      from: options.from - (options.lookbackMs ?? 2 * 3_600_000) * MICROS_PER_MS,
      to: options.from,
      types: TYPES,
    };
    for await (const items of replayBatches(options.log, range))
      for (const { event } of items) primed.apply(event);
    primed.now = options.from;
    return new Timeline(options, pace, primed);
  }

  private constructor(options: TimelineOptions, pace: Pace, primed: NativeMemory) {
    this.options = options;
    this.adapter = adapterOf(options.venue);
    this.pace = pace;
    this.primed = primed;
    this.memory = primed.copy();
    this.followPrimed();
  }

  private get hasSocket(): boolean {
    return this.adapter.server.services.some(({ socketPath }) => socketPath !== undefined);
  }

  /** What the venue's server serves. */
  source(): NativeSource {
    return {
      rest: (request) => {
        // A venue that is only polled has no subscription to begin with.
        if (!this.hasSocket) this.beginSoon();
        return answerOf(this.adapter, request, this.memory.answers, this.memory);
      },
      connect: (deliver) => this.connect({ deliver, since: new Map() }),
    };
  }

  private connect(connection: Connection): SourceConnection {
    this.connections.add(connection);
    return {
      initial: (ids) => ids.flatMap((id) => this.firstBook(id, connection)),
      watching: (ids) => {
        if (ids.size > 0) this.beginSoon();
      },
      ended: this.over.promise,
      close: () => {
        this.connections.delete(connection);
        if (this.connections.size === 0 && this.isOver) this.rewind();
      },
    };
  }

  private firstBook(id: string, { since }: Connection): VenueFrame[] {
    const { replay } = this.adapter;
    const first = replay.firstBook(id, this.memory);
    if (!first) return [];
    const { session, ordinal } = first.book;
    if (replay.relativeChanges) since.set(id, { session, ordinal });
    return [first.frame];
  }

  /** What was just asked for is answered first, in the same turn, as of the moment before. */
  private beginSoon(): void {
    if (!this.running && !this.isOver) setImmediate(() => this.begin());
  }

  private begin(): void {
    if (this.running || this.isOver || this.closed) return;
    const running = new AbortController();
    this.running = running;
    this.run(running.signal).catch((error: unknown) => {
      this.options.onError?.(error);
      this.over.reject(error);
    });
  }

  /** As if it had just been started. */
  private rewind(): void {
    this.memory = this.primed.copy();
    this.followPrimed();
    this.running = null;
    this.isOver = false;
    this.over = Promise.withResolvers();
    this.over.promise.catch(() => undefined);
    this.pace.jump();
  }

  stop(): void {
    this.closed = true;
    this.running?.abort();
  }

  private async run(signal: AbortSignal): Promise<void> {
    this.over.promise.catch(() => undefined);
    const { log, venue, from, to } = this.options;
    await this.pace.due(from, signal);
    let unchecked = 0;
    const stops: CaptureStopped[] = [];
    for await (const items of replayBatches(log, { venues: [venue], from, to, types: TYPES, signal })) {
      for (const { event, time } of items) {
        const wait = this.pace.due(time, signal);
        if (wait) await wait;
        if (readingTurns.isOver) await readingTurns.next();
        if (signal.aborted) return;
        while (stops.length > 0 && stops[0]!.observedAt < time) this.stopped(stops.shift()!);
        // The last frame of a market has the time of its end, and comes after it in the order of a replay.
        if (event.type === 'CaptureStopped') {
          stops.push(event);
          continue;
        }
        this.memory.apply(event);
        if (event.type === 'BookObserved') this.follow(event);
        else if (event.type === 'GapOpened' && event.dataset === 'books')
          this.unfollow(event.market, event.outcome);
        else if (event.type === 'FrameCaptured' && event.channel === 'ws' && event.direction === 'in') {
          this.deliver(event);
          if (++unchecked >= CHECK_EVERY) {
            unchecked = 0;
            await this.waitForReaders(signal);
          }
        }
      }
    }
    this.isOver = true;
    if (this.connections.size === 0 && this.hasSocket) this.rewind();
    else this.over.resolve();
  }

  private stopped(event: CaptureStopped): void {
    this.memory.apply(event);
    if (event.dataset === 'books') this.unfollow(event.market, event.outcome);
  }

  private followPrimed(): void {
    this.followed = new Map();
    for (const book of this.memory.allBooks()) this.follow(book);
  }

  /** A first book is followed by the changes of the connection that it came from. */
  private follow({ market, outcome, provenance, session }: BookObserved): void {
    const id = this.adapter.replay.watchedId(market, outcome);
    if (provenance !== 'backfilled' && !this.followed.has(id)) this.followed.set(id, session);
  }

  /** Outcome null: every outcome of the market. */
  private unfollow(market: string, outcome: string | null): void {
    const outcomes =
      outcome === null
        ? ['', ...(this.memory.market(market)?.outcomes ?? []).map(({ id }) => id)]
        : [outcome];
    for (const one of outcomes) this.followed.delete(this.adapter.replay.watchedId(market, one));
  }

  private deliver(event: FrameCaptured): void {
    this.delivered++;
    const text = this.decoder.decode(event.body);
    for (const { frame, id } of this.adapter.replay.frames(event, text, this.followed, this.memory)) {
      for (const connection of this.connections) {
        const since = connection.since.get(id);
        if (since) {
          if (since.session === event.session && event.ordinal <= since.ordinal) continue;
          connection.since.delete(id);
        }
        connection.deliver(frame);
      }
    }
  }

  /** The slowest of them: nothing is dropped for want of a pace. */
  private async waitForReaders(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (this.clients?.backlog() ?? 0) > BACKLOG_BYTES)
      await systemTimer.sleep(STALLED_MS, signal);
  }
}
