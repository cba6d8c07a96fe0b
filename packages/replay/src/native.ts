// The native replay server: a recording served by the venue's own protocol, so that a bot written for the venue connects
// unchanged. One timeline for all clients, as at a venue: it begins with the first subscription and ends with the range; when
// everyone has left it is wound back. During a recorded gap nothing is said of the market until its next whole book.

import type { BookObserved, CaptureStopped, EventType, FrameCaptured, Micros, Venue } from '@ladderlog/core';
import { LadderlogError, MICROS_PER_MS, framesTopic } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { positionsFromBeginning } from '@ladderlog/log';
import type { FrameA, FrameB, FrameC, NativeSource, VenueServer } from '@ladderlog/simulators';
import { createVenueAServer, createVenueBServer, createVenueCServer } from '@ladderlog/simulators';
import { answerOf } from './native-answers.ts';
import { bookC, snapshotB } from './native-books.ts';
import { framesA, framesB, framesC, withoutTokens } from './native-frames.ts';
import { NativeMemory } from './native-memory.ts';
import type { Speed } from './pace.ts';
import { Pace } from './pace.ts';
import { replayBatches } from './source.ts';

export type NativeReplayOptions = {
  readonly log: EventLog;
  readonly venue: Venue;
  /** Half-open, by our clock. */
  readonly from: Micros;
  readonly to: Micros;
  readonly speed?: Speed;
  readonly host?: string;
  readonly port?: number;
  /** Venue C's catalogue is another host. */
  readonly gammaPort?: number;
  /** How far before `from` books, metadata and answers are looked for. */
  readonly lookbackMs?: number;
  readonly onError?: (error: unknown) => void;
};

export type NativeReplay = {
  readonly port: number;
  /** For the bot's configuration. */
  readonly urls: Readonly<Record<string, string>>;
  readonly pace: Pace;
  /** Frames of the recording that were due so far. */
  delivered(): number;
  /** The replay's moment. */
  now(): Micros;
  close(): Promise<void>;
};

type Connection<Frame> = {
  readonly deliver: (frame: Frame) => void;
  /** The observation a client's first book came from: frames up to it are in that book. */
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

export async function startNativeReplay(options: NativeReplayOptions): Promise<NativeReplay> {
  if (!(options.to > options.from))
    throw new LadderlogError('BAD_ARGUMENT', 'the range is empty: `to` must be after `from`');
  return serve({ ...options, from: Math.max(options.from, await beginningOf(options)) });
}

/** When the recording begins: a replay from the beginning does not wait for the years before it. */
async function beginningOf({ log, venue, to }: NativeReplayOptions): Promise<Micros> {
  let first = to - 1;
  for (const from of await positionsFromBeginning(log, [framesTopic(venue)])) {
    for await (const { records } of log.read({ from: [from] })) {
      first = Math.min(first, records[0]!.time);
      break;
    }
  }
  return first;
}

async function serve(options: NativeReplayOptions): Promise<NativeReplay> {
  const pace = new Pace(options.speed ?? 1);
  const host = options.host ?? '127.0.0.1';
  const base = { clock: (): Micros => Date.now() * MICROS_PER_MS, host, port: options.port ?? 0 };
  const { venue } = options;
  if (venue === 'venuea') {
    const timeline = await Timeline.open<FrameA>(options, pace, replayA);
    const source = timeline.source(() => []);
    const server = await createVenueAServer({
      ...base,
      source,
      credentials: null,
      weightPerMinute: Infinity,
    });
    timeline.server = server;
    return handle(timeline, server, pace, {
      rest: `http://${host}:${server.port}/sapi/v1/w3w/wallet/prediction`,
      ws: `ws://${host}:${server.port}/sapi/wss`,
    });
  }
  if (venue === 'venueb') {
    const timeline = await Timeline.open<FrameB>(options, pace, replayB);
    const source = timeline.source((ticker, connection) => {
      const book = timeline.memory.book(ticker, 'yes');
      if (!book) return [];
      connection.since.set(ticker, { session: book.session, ordinal: book.ordinal });
      return [snapshotB(book)];
    });
    const server = await createVenueBServer({ ...base, source, keys: null, readsPerSecond: Infinity });
    timeline.server = server;
    return handle(timeline, server, pace, {
      rest: `http://${host}:${server.port}/trade-api/v2`,
      ws: `ws://${host}:${server.port}/trade-api/ws/v2`,
    });
  }
  const timeline = await Timeline.open<FrameC>(options, pace, replayC);
  const source = timeline.source((token) => {
    const book = timeline.memory.bookOfToken(token);
    return book ? [bookC(book)] : [];
  });
  const gammaPort = options.gammaPort ?? 0;
  const server = await createVenueCServer({ ...base, source, gammaPort });
  timeline.server = server;
  return handle(timeline, server, pace, {
    clob: `http://${host}:${server.port}`,
    gamma: `http://${host}:${server.gammaPort}`,
    ws: `ws://${host}:${server.port}/ws/market`,
  });
}

function handle<Frame>(
  timeline: Timeline<Frame>,
  server: VenueServer,
  pace: Pace,
  urls: Readonly<Record<string, string>>,
): NativeReplay {
  return {
    port: server.port,
    urls,
    pace,
    delivered: () => timeline.delivered,
    now: () => timeline.memory.now,
    async close() {
      timeline.stop();
      await server.close();
    },
  };
}

type Delivery<Frame> = { readonly frame: Frame; readonly id: string };

/** Turns one recorded frame into what clients get; `followed` says which connection the book of an id follows. */
type Replay<Frame> = (
  event: FrameCaptured,
  text: string,
  followed: Map<string, string>,
  memory: NativeMemory,
) => Delivery<Frame>[];

/** Every push is a whole book: nothing to follow. */
const replayA: Replay<FrameA> = (_event, text) => framesA(text).map((frame) => ({ frame, id: frame.market }));

const replayB: Replay<FrameB> = (event, text, followed, memory) => {
  const stated = event.settings['use_yes_price'];
  const yesPrices = (market: string): boolean => {
    if (stated !== undefined) return stated === 'true';
    const book = memory.book(market, 'yes');
    return book !== null && book.session === event.session && !book.askComplement;
  };
  return framesB(text, yesPrices).flatMap((frame) => {
    if (frame.type === 'orderbook_snapshot') followed.set(frame.market, event.session);
    const follows = followed.get(frame.market);
    // A change only builds on the snapshot of its own connection.
    const fits =
      frame.type === 'orderbook_delta'
        ? follows === event.session
        : (follows ?? event.session) === event.session;
    return fits ? [{ frame, id: frame.market }] : [];
  });
};

const replayC: Replay<FrameC> = (event, text, followed) =>
  framesC(text).flatMap(({ kind, ...frame }) => {
    if (kind === 'book') for (const token of frame.tokens) followed.set(token, event.session);
    const others = frame.tokens.filter((token) => {
      const follows = followed.get(token);
      return kind === 'change' ? follows !== event.session : (follows ?? event.session) !== event.session;
    });
    const left = others.length === 0 ? frame : withoutTokens(frame, new Set(others));
    return left ? [{ frame: left, id: left.tokens[0] ?? '' }] : [];
  });

class Timeline<Frame> {
  private readonly options: NativeReplayOptions;
  private readonly pace: Pace;
  private readonly replay: Replay<Frame>;
  private readonly primed: NativeMemory;
  private readonly connections = new Set<Connection<Frame>>();
  private readonly decoder = new TextDecoder();
  memory: NativeMemory;
  server: VenueServer | null = null;
  delivered = 0;
  private followed = new Map<string, string>();
  private running: AbortController | null = null;
  private over = Promise.withResolvers<void>();
  private isOver = false;
  private closed = false;

  static async open<Frame>(
    options: NativeReplayOptions,
    pace: Pace,
    replay: Replay<Frame>,
  ): Promise<Timeline<Frame>> {
    const primed = new NativeMemory(options.from);
    const range = {
      venues: [options.venue],
      from: options.from - (options.lookbackMs ?? 2 * 3_600_000) * MICROS_PER_MS,
      to: options.from,
      types: TYPES,
    };
    for await (const items of replayBatches(options.log, range))
      for (const { event } of items) primed.apply(event);
    primed.now = options.from;
    return new Timeline(options, pace, replay, primed);
  }

  private constructor(options: NativeReplayOptions, pace: Pace, replay: Replay<Frame>, primed: NativeMemory) {
    this.options = options;
    this.pace = pace;
    this.replay = replay;
    this.primed = primed;
    this.memory = primed.copy();
    this.followPrimed();
  }

  source(initial: (id: string, connection: Connection<Frame>) => Frame[]): NativeSource<Frame> {
    return {
      rest: (request) => answerOf(request, this.memory.answers, this.memory),
      connect: (deliver) => {
        const connection: Connection<Frame> = { deliver, since: new Map() };
        this.connections.add(connection);
        return {
          initial: (ids) => ids.flatMap((id) => initial(id, connection)),
          watching: (ids) => {
            // The subscription's own books go first: the server asks for them right after this.
            if (ids.size > 0 && !this.running && !this.isOver) setImmediate(() => this.begin());
          },
          ended: this.over.promise,
          close: () => {
            this.connections.delete(connection);
            if (this.connections.size === 0 && this.isOver) this.rewind();
          },
        };
      },
    };
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
            await this.heldBack(signal);
          }
        }
      }
    }
    this.isOver = true;
    if (this.connections.size === 0) this.rewind();
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
  private follow(book: BookObserved): void {
    const id = this.options.venue === 'venuec' ? book.outcome : book.market;
    if (book.provenance !== 'backfilled' && !this.followed.has(id)) this.followed.set(id, book.session);
  }

  private unfollow(market: string, outcome: string | null): void {
    if (this.options.venue !== 'venuec') this.followed.delete(market);
    else if (outcome !== null) this.followed.delete(outcome);
    else for (const { id } of this.memory.market(market)?.outcomes ?? []) this.followed.delete(id);
  }

  private deliver(event: FrameCaptured): void {
    this.delivered++;
    const text = this.decoder.decode(event.body);
    for (const { frame, id } of this.replay(event, text, this.followed, this.memory)) {
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

  /** Lets sockets breathe, and waits for the slowest reader: nothing is dropped for want of a pace. */
  private async heldBack(signal: AbortSignal): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (!signal.aborted && (this.server?.backlog() ?? 0) > BACKLOG_BYTES);
  }
}
