// `ladderlog replay --native <venue>`: the recording by the venue's own protocol.

import { once } from 'node:events';

import type { Micros } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Speed } from '@ladderlog/replay';
import { startNativeReplay } from '@ladderlog/replay';

import type { Options } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../context.ts';
import { badArgument, venueOption } from '../flags.ts';

/** Serves until interrupted. */
export async function serveNative(
  context: Context,
  log: EventLog,
  options: Options,
  range: { readonly from: Micros; readonly to: Micros; readonly speed: Speed },
): Promise<number> {
  const venue = venueOption(options, 'native');
  const gammaPort = Number(options['gammaPort'] ?? 0);
  if (!Number.isInteger(gammaPort) || gammaPort < 0 || gammaPort > 65_535)
    throw badArgument(`--gamma-port is '${String(options['gammaPort'])}'; it must be a port`);
  const server = await startNativeReplay({
    log,
    venue,
    ...range,
    host: context.config.host,
    port: options['port'] === undefined ? 0 : context.config.port,
    ports: { gamma: gammaPort },
    onError: (error) => context.logger.error({ event: 'replay.failed', err: error }, 'the replay failed'),
  });
  const begins = server.urls['ws'] === undefined ? 'request' : 'subscription';
  const addresses = Object.entries(server.urls).map(([name, url]) => `  ${name.padEnd(6)}${url}`);
  context.answer({ event: 'ready', venue, port: server.port, urls: server.urls }, () =>
    [
      `${venue} as recorded; it begins with a client's first ${begins}, any key and signature is taken`,
      ...addresses,
    ].join('\n'),
  );
  if (!context.signal.aborted) await once(context.signal, 'abort');
  await server.close();
  return EXIT.ok;
}
