// ladderlog collect | project | serve | simulate: the roles of `up`, each as a process of its own on the same engines.

import type { VenueAdapter } from '@ladderlog/core';
import { VENUES, VENUE_ADAPTERS, venueSettingEnv } from '@ladderlog/core';
import type { Simulators } from '@ladderlog/simulators';

import type { Context } from '../context.ts';
import { openDataDirectory } from '../data/data-directory.ts';
import { createMetrics, serveMetrics } from '../processes/metrics.ts';
import type { Define } from '../program.ts';
import { startCollect, startProject, startServe } from '../processes/roles.ts';
import { openLog, openRuntime } from '../processes/runtime.ts';
import { simulate } from '../processes/simulator-faults.ts';

export function registerCollect(define: Define): void {
  define(
    'collect',
    'Records venues into the log; nothing else.',
    [
      'ladderlog collect --venues venuec',
      'LADDERLOG_SHARD=0/2 ladderlog collect --live   # the first of two collectors',
    ],
    (command) =>
      command
        .option('--venues <which>', 'simulated, live, none, or a list of live venues.')
        .option('--live', 'The same as --venues live.')
        .option('--shard <index/count>', 'Which share of the markets this collector takes.')
        .option('--metrics-port <port>', 'Prometheus metrics, liveness and readiness.'),
    async (given, options) => {
      const context: Context =
        options['live'] === true
          ? {
              ...given,
              config: { ...given.config, venues: { mode: 'live', venues: VENUES } },
            }
          : given;
      const { config } = context;
      const log = await openLog(context, openDataDirectory(config.data, context.logger));
      const metrics = createMetrics();
      let simulators: Simulators | null = null;
      try {
        if (config.venues.mode === 'simulated') simulators = await simulate(context);
        const role = await startCollect(context, log, simulators, metrics, context.signal);
        const probes = await probeServer(
          context,
          metrics,
          async () => !role.collecting.status().outbox.blocked,
        );
        ready(context, 'collect', { left: role.leftOut, metricsPort: probes?.port ?? null });
        await role.done;
        await probes?.close();
      } finally {
        await simulators?.close();
        await log.close();
      }
    },
  );
  define(
    'project',
    'Builds the tables from the log; several share the work as one group.',
    ['ladderlog project'],
    (command) => command.option('--metrics-port <port>', 'Prometheus metrics, liveness and readiness.'),
    async (context) => {
      const metrics = createMetrics();
      const runtime = await openRuntime(context, 'ladderlog project', metrics.queried);
      try {
        const role = startProject(
          context,
          runtime.log,
          runtime.store,
          runtime.cursors,
          metrics,
          context.signal,
        );
        const probes = await probeServer(context, metrics, async () => (await runtime.store.health()).ok);
        ready(context, 'project', { metricsPort: probes?.port ?? null });
        await role.done;
        await probes?.close();
      } finally {
        await runtime.close();
      }
    },
  );
  define(
    'serve',
    'Serves the API and the live feed from existing tables and log.',
    ['ladderlog serve --port 8080 --host 0.0.0.0'],
    (command) =>
      command
        .option('--port <port>', 'Port of the API and the feed.')
        .option('--host <address>', 'Address to listen on.')
        .option('--metrics-port <port>', 'Prometheus metrics, liveness and readiness.'),
    async (context) => {
      const metrics = createMetrics();
      const runtime = await openRuntime(context, 'ladderlog serve', metrics.queried);
      const { directory, log, store, cursors } = runtime;
      try {
        const server = await startServe(context, directory, log, store, cursors, metrics, () => []);
        const probes = await probeServer(
          context,
          metrics,
          async () => (await store.health()).ok && !context.signal.aborted,
        );
        ready(context, 'serve', {
          url: `http://${context.config.host}:${server.port}`,
          metricsPort: probes?.port ?? null,
        });
        await aborted(context.signal);
        await server.close();
        await probes?.close();
      } finally {
        await runtime.close();
      }
    },
  );
  define(
    'simulate',
    'Runs only the simulated venues and prints how to reach them.',
    ['ladderlog simulate', 'LADDERLOG_SIMULATOR_FAULTS=true ladderlog simulate --json'],
    (command) => command,
    async (context) => {
      const simulators = await simulate(context);
      if (context.json)
        context.print(
          JSON.stringify({
            event: 'ready',
            ...Object.fromEntries(VENUES.map((venue) => [venue, simulators.settings(venue)])),
          }),
        );
      else
        context.print(
          [
            'Simulated venues (made-up markets); settings for another ladderlog or your own client:',
            ...VENUE_ADAPTERS.flatMap((adapter) => settingLines(adapter, simulators.settings(adapter.venue))),
          ].join('\n'),
        );
      await aborted(context.signal);
      await simulators.close();
    },
  );
}

/** Addresses and secrets; a key that is kept in a file cannot be given as a line. */
const settingLines = (
  { venue, settings }: VenueAdapter,
  values: Readonly<Record<string, unknown>>,
): string[] =>
  Object.entries(settings).flatMap(([name, { secret }]) =>
    typeof values[name] === 'string' && (secret || name.endsWith('Url'))
      ? [`${venueSettingEnv(venue, name)}=${values[name]}`]
      : [],
  );

const probeServer = (
  context: Context,
  metrics: ReturnType<typeof createMetrics>,
  isReady: () => Promise<boolean>,
): Promise<Awaited<ReturnType<typeof serveMetrics>> | null> =>
  context.config.metricsPort === null
    ? Promise.resolve(null)
    : serveMetrics(metrics, context.config.host, context.config.metricsPort, isReady);

function ready(context: Context, role: string, facts: Readonly<Record<string, unknown>>): void {
  if (context.json) context.print(JSON.stringify({ event: 'ready', role, ...facts }));
  else context.logger.info({ event: `${role}.ready`, ...facts }, `${role} is running`);
}

const aborted = (signal: AbortSignal): Promise<void> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
