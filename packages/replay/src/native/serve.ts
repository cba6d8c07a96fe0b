// The native replay server: a recording served by the venue's own protocol, so that a bot written for the venue connects
// unchanged. One timeline for all clients, as at a venue: it begins with the first subscription and ends with the range; when
// everyone has left it is wound back. During a recorded gap nothing is said of the market until its next whole book.

import type { Micros } from '@ladderlog/core';
import { LadderlogError, MICROS_PER_MS, framesTopic } from '@ladderlog/core';
import { positionsFromBeginning } from '@ladderlog/log';
import type { FrameA, FrameB, FrameC, VenueServer } from '@ladderlog/simulators';
import { createVenueAServer, createVenueBServer, createVenueCServer } from '@ladderlog/simulators';
import { bookC, snapshotB } from './books.ts';
import { replayA, replayB, replayC } from './follow.ts';
import type { TimelineOptions } from './timeline.ts';
import { Timeline } from './timeline.ts';
import type { Speed } from '../source/pace.ts';
import { Pace } from '../source/pace.ts';

export type NativeReplayOptions = TimelineOptions & {
  readonly speed?: Speed;
  readonly host?: string;
  readonly port?: number;
  /** Venue C's catalogue is another host. */
  readonly gammaPort?: number;
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
