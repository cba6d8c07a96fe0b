// ladderlog replay: a range of the log in one order, as lines or over a WebSocket.

import { once } from 'node:events';

import { LadderlogError, VENUES, formatPosition } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { LinesRequest, ReplayRequest, Speed } from '@ladderlog/replay';
import { Pace, replayLines, serveReplay } from '@ladderlog/replay';

import type { Context } from '../context.ts';
import { EXIT } from '../context.ts';
import type { Define, Options } from '../program.ts';
import {
  badArgument,
  flagOf,
  openRecording,
  rangeOptions,
  repeated,
  venueOption,
} from '../processes/recording.ts';
import { serveNative } from './native.ts';
import { ONE_VENUE } from '../venue-texts.ts';

export function registerReplay(define: Define): void {
  define(
    'replay',
    'Replays recorded books, gaps and markets, or the frames themselves, in one deterministic order.',
    [
      'ladderlog replay --venue venuec --asset btc --from 2026-11-14T09:00:00Z --to 2026-11-14T10:00:00Z > books.ndjson',
      'ladderlog replay --venue venueb --market KXBTC15M-26NOV141015-15 --speed 10',
      'ladderlog replay --venue venuea --venue venuec --clock source --speed max',
      'ladderlog replay --venue venueb --format frames > tape.jsonl   # what `ladderlog import` reads',
      'ladderlog replay --native venuec --port 9100 --gamma-port 9101 --from 2026-11-14T09:00:00Z   # as the venue itself',
      'ladderlog replay --venue venuec --port 9000 --speed 1          # the live feed of that day: ws://127.0.0.1:9000/v3/stream',
    ],
    (command) =>
      command
        .option('--venue <venue>', `${ONE_VENUE}; may be repeated. Default: all.`, repeated)
        .option('--market <id>', 'Native market id; may be repeated.', repeated)
        .option('--asset <asset>', 'Markets of this asset, e.g. btc; may be repeated.', repeated)
        .option('--window <window>', 'Markets of this window, e.g. 15m; may be repeated.', repeated)
        .option('--from <time>', 'ISO 8601 or epoch milliseconds, by our clock. Default: the beginning.')
        .option('--to <time>', 'Exclusive. Default: now.')
        .option('--speed <speed>', 'max, or a factor: 1 is as it happened. Default: max, with --native 1.')
        .option(
          '--clock <clock>',
          "Order and pace by our clock (observed, the default) or the venue's (source).",
        )
        .option(
          '--format <format>',
          'books (messages of the live feed, the default) or frames (the wire tape).',
        )
        .option('--metadata-days <days>', 'How far before --from market metadata is looked for. Default: 7.')
        .option('--port <port>', 'Serve it as a WebSocket on this port; 0 picks a free one.')
        .option('--host <address>', 'Address for --port.')
        .option(
          '--native <venue>',
          "Serve the frames by this venue's own protocol: a bot connects unchanged.",
        )
        .option(
          '--gamma-port <port>',
          'With --native venuec: port of the catalogue, which is a host of its own.',
        ),
    async (context, options) => {
      const request = requestOf(context, options);
      const native = options['native'] !== undefined;
      const speed = speedOf(textOf(options, 'speed') ?? (native ? '1' : 'max'));
      const format = textOf(options, 'format') ?? 'books';
      if (format !== 'books' && format !== 'frames')
        throw badArgument(`--format is '${format}'; it must be books or frames`);
      if (native) refuse(options, NOT_NATIVE, '--native serves all that the venue sent');
      else if (options['port'] !== undefined && format === 'frames')
        throw badArgument('--format frames is for lines; --port serves books, --native the frames');
      const log = await openRecording(context);
      try {
        if (native) return await serveNative(context, log, options, { ...request, speed });
        if (options['port'] === undefined) return await toStdout(context, log, request, speed, format);
        const server = await serveReplay({
          log,
          request,
          speed,
          host: context.config.host,
          port: context.config.port,
          onError: (error) => context.logger.error({ event: 'replay.failed', err: error }, 'a replay failed'),
        });
        context.print(
          context.json
            ? JSON.stringify({ event: 'ready', url: server.url, port: server.port })
            : `replay at ${server.url}; it begins with a client's first subscription`,
        );
        if (!context.signal.aborted) await once(context.signal, 'abort');
        await server.close();
        return EXIT.ok;
      } finally {
        await log.close();
      }
    },
  );
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
  let open = true;
  // A reader such as `head` that has enough is no failure.
  process.stdout.on('error', () => {
    open = false;
  });
  for await (const chunk of lines) {
    if (!open) break;
    isEmpty = false;
    if (!process.stdout.write(chunk) && open)
      await Promise.race([once(process.stdout, 'drain'), once(process.stdout, 'close')]).catch(
        () => undefined,
      );
  }
  if (context.signal.aborted) return EXIT.interrupted;
  if (unreadable > 0) return EXIT.different;
  if (isEmpty && open)
    throw new LadderlogError('NO_RECORDING', 'nothing of this choice was recorded in this range');
  return EXIT.ok;
}

/** What chooses of the recording, where all of a venue is served. */
const NOT_NATIVE = ['venue', 'market', 'asset', 'window', 'clock', 'format', 'metadataDays'] as const;

function refuse(options: Options, names: readonly string[], why: string): void {
  const given = names.filter((name) => options[name] !== undefined);
  if (given.length > 0) throw badArgument(`${given.map(flagOf).join(', ')} cannot be obeyed: ${why}`);
}

function requestOf(context: Context, options: Options): ReplayRequest {
  const given = (options['venue'] as readonly string[] | undefined) ?? VENUES;
  const venues = given.map((venue) => venueOption('--venue', venue));
  const clock = textOf(options, 'clock') ?? 'observed';
  if (clock !== 'observed' && clock !== 'source')
    throw badArgument(`--clock is '${clock}'; it must be observed or source`);
  const days = Number(options['metadataDays'] ?? 7);
  if (!(days >= 0 && days <= 36_500))
    throw badArgument(
      `--metadata-days is '${String(options['metadataDays'])}'; it must be a number of days, 0 for none`,
    );
  const { from, to } = rangeOptions(options);
  const list = (name: string): readonly string[] | undefined =>
    options[name] as readonly string[] | undefined;
  const markets = list('market');
  const assets = list('asset');
  const windows = list('window');
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

const textOf = (options: Options, name: string): string | undefined => options[name] as string | undefined;
