// ladderlog collect | project | serve: the roles of `up`, each as a process of its own on the same engines.

import { once } from 'node:events';

import type { EventLog } from '@ladderlog/log';
import type { Simulators } from '@ladderlog/simulators';

import type { Command } from '../command.ts';
import type { Context } from '../context.ts';
import { HOST, METRICS_PORT, flag } from '../flags.ts';
import { asLive } from '../processes/live.ts';
import type { Metrics } from '../processes/metrics.ts';
import { createMetrics } from '../processes/metrics.ts';
import { startCollect } from '../processes/collect.ts';
import { withLog } from '../processes/open-log.ts';
import { serveMetrics } from '../processes/probes.ts';
import { startProject } from '../processes/project.ts';
import { withRuntime } from '../processes/runtime.ts';
import { startLive, startServe } from '../processes/serve.ts';
import { simulate, simulatedVenues } from '../processes/simulator-faults.ts';

export const collect: Command = {
  name: 'collect',
  summary: 'Records venues into the log; nothing else.',
  examples: [
    'ladderlog collect --venues venuec',
    'LADDERLOG_SHARD=0/2 ladderlog collect --live   # the first of two collectors',
  ],
  flags: [
    flag('--venues <which>', 'simulated, live, none, or a list of live venues.'),
    flag('--live', 'The same as --venues live.'),
    flag('--shard <index/count>', 'Which share of the markets this collector takes.'),
    METRICS_PORT,
  ],
  async run(given, options) {
    const context = asLive(given, options);
    const metrics = createMetrics();
    let simulators: Simulators | null = null;
    const record = async (log: EventLog): Promise<void> => {
      if (context.config.venues.mode === 'simulated') simulators = await simulate(context);
      const simulated = simulators && simulatedVenues(simulators);
      const role = await startCollect(context, log, simulated, metrics, context.signal);
      const isReady = async (): Promise<boolean> => !role.collecting.status().outbox.blocked;
      await whileProbed(context, 'collect', metrics, isReady, { left: role.leftOut }, () => role.done);
    };
    await withLog(context, record, 'recorder').finally(() => simulators?.close());
  },
};

export const project: Command = {
  name: 'project',
  summary: 'Builds the tables from the log; several share the work as one group.',
  examples: ['ladderlog project'],
  flags: [METRICS_PORT],
  async run(context) {
    const metrics = createMetrics();
    const work: Parameters<typeof withRuntime>[2] = async (runtime) => {
      const role = startProject(context, runtime, metrics, context.signal);
      const isReady = async (): Promise<boolean> => (await runtime.store.health()).ok;
      await whileProbed(context, 'project', metrics, isReady, {}, () => role.done);
    };
    await withRuntime(context, 'ladderlog project', work, metrics.queried);
  },
};

export const serve: Command = {
  name: 'serve',
  summary: 'Serves the API and the live feed from existing tables and log.',
  examples: ['ladderlog serve --port 8080 --host 0.0.0.0'],
  flags: [flag('--port <port>', 'Port of the API and the feed.'), HOST, METRICS_PORT],
  async run(context) {
    const { config, signal } = context;
    const metrics = createMetrics();
    const work: Parameters<typeof withRuntime>[2] = async (runtime) => {
      const live = await startLive(context, runtime);
      try {
        const server = await startServe(context, runtime, live, metrics, config.port);
        const url = `http://${config.host}:${server.port}`;
        const isReady = async (): Promise<boolean> => (await runtime.store.health()).ok && !signal.aborted;
        await whileProbed(context, 'serve', metrics, isReady, { url }, async () => {
          if (!signal.aborted) await once(signal, 'abort');
          await server.close();
        });
      } finally {
        // It follows the log; left alone, that would keep the process alive.
        await live.close();
      }
    };
    await withRuntime(context, 'ladderlog serve', work, metrics.queried);
  },
};

/** Runs a role, with its metrics and probes where a port is set, and says that it is ready. */
async function whileProbed(
  { config, json, print, logger }: Context,
  role: string,
  metrics: Metrics,
  isReady: () => Promise<boolean>,
  facts: Readonly<Record<string, unknown>>,
  done: () => Promise<void>,
): Promise<void> {
  const probes =
    config.metricsPort === null
      ? null
      : await serveMetrics(metrics, config.host, config.metricsPort, isReady);
  const all = { ...facts, metricsPort: probes?.port ?? null };
  if (json) print(JSON.stringify({ event: 'ready', role, ...all }));
  else logger.info({ event: `${role}.ready`, ...all }, `${role} is running`);
  await done();
  await probes?.close();
}
