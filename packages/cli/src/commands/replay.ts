// ladderlog replay: a range of the log in one order, as lines or over a WebSocket.

import { once } from 'node:events';

import { LadderlogError, VENUES, formatPosition } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { LinesRequest, ReplayRequest, Speed } from '@ladderlog/replay';
import { Pace, replayLines, serveReplay } from '@ladderlog/replay';

import type { Command, Options } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../context.ts';
import {
  HOST,
  badArgument,
  flag,
  listOption,
  rangeOptions,
  repeated,
  textOption,
  typed,
  wordOption,
} from '../flags.ts';
import { Output } from '../output.ts';
import { withRecording } from '../processes/open-log.ts';
import { ONE_VENUE } from '../venue-texts.ts';
import { serveNative } from './native.ts';

export const replay: Command = {
  name: 'replay',
  summary: 'Replays recorded books, gaps and markets, or the frames themselves, in one deterministic order.',
  examples: [
    'ladderlog replay --venue venuec --asset btc --from 2026-11-14T09:00:00Z --to 2026-11-14T10:00:00Z > books.ndjson',
    'ladderlog replay --venue venueb --market KXBTC15M-26NOV141015-15 --speed 10',
    'ladderlog replay --venue venuea --venue venuec --clock source --speed max',
    'ladderlog replay --venue venueb --format frames > tape.jsonl   # what `ladderlog import` reads',
    'ladderlog replay --native venuec --port 9100 --gamma-port 9101 --from 2026-11-14T09:00:00Z   # as the venue itself',
    'ladderlog replay --venue venuec --port 9000 --speed 1          # the live feed of that day: ws://127.0.0.1:9000/v3/stream',
  ],
  flags: [
    flag('--venue <venue>', `${ONE_VENUE}; may be repeated. Default: all.`, repeated),
    flag('--market <id>', 'Native market id; may be repeated.', repeated),
    flag('--asset <asset>', 'Markets of this asset, e.g. btc; may be repeated.', repeated),
    flag('--window <window>', 'Markets of this window, e.g. 15m; may be repeated.', repeated),
    flag('--from <time>', 'ISO 8601 or epoch milliseconds, by our clock. Default: the beginning.'),
    flag('--to <time>', 'Exclusive. Default: now.'),
    flag('--speed <speed>', 'max, or a factor: 1 is as it happened. Default: max, with --native 1.'),
    flag('--clock <clock>', "Order and pace by our clock (observed, the default) or the venue's (source)."),
    flag('--format <format>', 'books (messages of the live feed, the default) or frames (the wire tape).'),
    flag('--metadata-days <days>', 'How far before --from market metadata is looked for. Default: 7.'),
    flag('--port <port>', 'Serve it as a WebSocket on this port; 0 picks a free one.'),
    { ...HOST, doc: 'Address for --port.' },
    flag('--native <venue>', "Serve the frames by this venue's own protocol: a bot connects unchanged."),
    flag('--gamma-port <port>', 'With --native venuec: port of the catalogue, which is a host of its own.'),
  ],
  async run(context, options) {
    const request = requestOf(context, options);
    const native = options['native'] !== undefined;
    const speed = speedOf(textOption(options, 'speed') ?? (native ? '1' : 'max'));
    const format = wordOption('format', options['format'] ?? 'books', ['books', 'frames'] as const);
    if (native) refuse(options, NOT_NATIVE, '--native serves all that the venue sent');
    else if (options['port'] !== undefined && format === 'frames')
      throw badArgument('--format frames is for lines; --port serves books, --native the frames');
    return withRecording(context, (log) => {
      if (native) return serveNative(context, log, options, { ...request, speed });
      if (options['port'] !== undefined) return toSocket(context, log, request, speed);
      return toStdout(context, log, request, speed, format);
    });
  },
};

async function toSocket(
  context: Context,
  log: EventLog,
  request: ReplayRequest,
  speed: Speed,
): Promise<number> {
  const server = await serveReplay({
    log,
    request,
    speed,
    host: context.config.host,
    port: context.config.port,
    onError: (error) => context.logger.error({ event: 'replay.failed', err: error }, 'a replay failed'),
  });
  context.answer(
    { event: 'ready', url: server.url, port: server.port },
    () => `replay at ${server.url}; it begins with a client's first subscription`,
  );
  if (!context.signal.aborted) await once(context.signal, 'abort');
  await server.close();
  return EXIT.ok;
}

async function toStdout(
  context: Context,
  log: EventLog,
  request: ReplayRequest,
  speed: Speed,
  format: LinesRequest['format'],
): Promise<number> {
  let unreadable = 0;
  let isEmpty = true;
  const lines = replayLines(
    log,
    {
      ...request,
      format,
      onUnreadable: (position, error) => {
        unreadable++;
        context.logger.error(
          { event: 'replay.unreadable', position: formatPosition(position) },
          error.message,
        );
      },
    },
    new Pace(speed),
    context.signal,
  );
  const output = new Output(process.stdout);
  for await (const chunk of lines) {
    if (!output.isOpen) break;
    isEmpty = false;
    await output.write(chunk);
  }
  if (context.signal.aborted) return EXIT.interrupted;
  if (unreadable > 0) return EXIT.different;
  if (isEmpty && output.isOpen)
    throw new LadderlogError('NO_RECORDING', 'nothing of this choice was recorded in this range');
  return EXIT.ok;
}

/** What chooses of the recording, where all of a venue is served. */
const NOT_NATIVE = ['venue', 'market', 'asset', 'window', 'clock', 'format', 'metadataDays'] as const;

function refuse(options: Options, names: readonly string[], why: string): void {
  const given = names.filter((name) => options[name] !== undefined);
  if (given.length > 0) throw badArgument(`${given.map(typed).join(', ')} cannot be obeyed: ${why}`);
}

function requestOf(context: Context, options: Options): ReplayRequest {
  const given = listOption(options, 'venue') ?? VENUES;
  const venues = given.map((venue) => wordOption('venue', venue, VENUES));
  const clock = wordOption('clock', options['clock'] ?? 'observed', ['observed', 'source'] as const);
  const days = Number(options['metadataDays'] ?? 7);
  if (!(days >= 0 && days <= 36_500))
    throw badArgument(
      `--metadata-days is '${String(options['metadataDays'])}'; it must be a number of days, 0 for none`,
    );
  const { from, to } = rangeOptions(options);
  const markets = listOption(options, 'market');
  const assets = listOption(options, 'asset');
  const windows = listOption(options, 'window');
  return {
    venues: [...new Set(venues)],
    from: from ?? 0,
    to: to ?? Date.now() * 1_000,
    clock,
    lookback: days * 86_400_000_000,
    signal: context.signal,
    ...(markets ? { markets } : {}),
    ...(assets ? { assets } : {}),
    ...(windows ? { windows } : {}),
  };
}

function speedOf(text: string): Speed {
  if (text === 'max') return 'max';
  const speed = Number(text);
  if (speed >= 0.001 && speed <= 1_000_000) return speed;
  throw badArgument(`--speed is '${text}'; it must be max or a factor such as 1 or 10`);
}
