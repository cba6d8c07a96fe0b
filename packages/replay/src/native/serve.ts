// The native replay server: a recording served by the venue's own protocol, so that a bot written for the venue connects
// unchanged. One timeline for all clients, as at a venue: it begins with the first subscription and ends with the range; when
// everyone has left it is wound back. During a recorded gap nothing is said of the market until its next whole book.

import type { Micros } from '@ladderlog/core';
import { LadderlogError, MICROS_PER_MS, adapterOf, framesTopic } from '@ladderlog/core';
import { positionsFromBeginning } from '@ladderlog/log';
import { startVenueServer } from '@ladderlog/servers';
import type { TimelineOptions } from './timeline.ts';
import { Timeline } from './timeline.ts';
import type { Speed } from '../source/pace.ts';
import { Pace } from '../source/pace.ts';

export type NativeReplayOptions = TimelineOptions & {
  readonly speed?: Speed;
  readonly host?: string;
  /** Of the venue's first address. */
  readonly port?: number;
  /** Of further addresses, by their names: some venues have their catalogue on another host. */
  readonly ports?: Readonly<Record<string, number>>;
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
  const { venue, host = '127.0.0.1', port = 0, ports = {} } = options;
  const timeline = await Timeline.open(options, pace);
  const [first] = adapterOf(venue).server.services;
  const server = await startVenueServer({
    venue,
    host,
    ports: { ...ports, [first!.name]: port },
    clock: () => Date.now() * MICROS_PER_MS,
    source: timeline.source(),
    settings: { quota: Infinity },
  });
  timeline.clients = server.clients;
  return {
    port: server.port,
    urls: server.urls,
    pace,
    delivered: () => timeline.delivered,
    now: () => timeline.memory.now,
    async close() {
      timeline.stop();
      await server.close();
    },
  };
}
