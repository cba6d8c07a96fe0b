// `ladderlog up`: everything in one process. Order of starting: engines, projector, API, then the venues; of ending: the
// venues first, so that nothing that was received is lost.

import { tablesInput } from '@ladderlog/live';
import type { Simulators } from '@ladderlog/simulators';
import { startSqlFront } from '@ladderlog/store';

import type { Context } from '../context.ts';
import { serveControl } from '../data/control.ts';
import { demoKey } from './demo-key.ts';
import type { MetricsServer } from './metrics.ts';
import { createMetrics, serveMetrics } from './metrics.ts';
import { startCollect, startLive, startProject, startServe } from './roles.ts';
import { openRuntime } from './runtime.ts';
import { simulate } from './simulator-faults.ts';

export type Up = {
  readonly url: string;
  readonly demoKey: string | null;
  readonly simulated: boolean;
  /** Venues that are being recorded. */
  readonly venues: readonly string[];
  /** Why venues are left out. Printed with --json under this name. */
  readonly left: readonly string[];
  readonly sqlUrl: string | null;
  readonly metricsPort: number | null;
  readonly directory: string;
  /** Settles when everything ended; rejects with the first failure. */
  readonly done: Promise<void>;
};

const FIRST_BOOKS_MS = 5_000;

/** The order of ending, whatever was started by then. */
const ENDING = [
  'collect',
  'serve',
  'project',
  'live',
  'control',
  'sql',
  'metrics',
  'simulate',
  'engines',
] as const;
type Part = (typeof ENDING)[number];

export async function startUp(context: Context): Promise<Up> {
  const { config, logger } = context;
  const failed = new AbortController();
  const signal = AbortSignal.any([context.signal, failed.signal]);
  const metrics = createMetrics();
  const runtime = await openRuntime(context, 'ladderlog up', metrics.queried);
  const { log, store, cursors, directory } = runtime;
  const ends = new Map<Part, () => Promise<unknown>>([['engines', () => runtime.close()]]);
  let simulators: Simulators | null = null;
  try {
    const live = await startLive(context, log, store, cursors);
    ends.set('live', () => live.close());
    const projectorEnd = new AbortController();
    // Embedded, nobody else fills the tables: they take what this process reads anyway.
    const input = runtime.chdb && log.kind === 'sqlite' ? tablesInput(log, live) : undefined;
    const project = startProject(context, log, store, cursors, metrics, projectorEnd.signal, input);
    // Heard below; until then a failure must not end the process by itself.
    project.done.catch(() => undefined);
    ends.set('project', async () => {
      projectorEnd.abort();
      await project.done;
    });
    let collecting: Awaited<ReturnType<typeof startCollect>> | null = null;
    const recorded = (): readonly string[] =>
      collecting?.collecting.status().venues.map(({ venue }) => venue) ?? [];
    const server = await startServe(context, directory, log, store, cursors, live, metrics, recorded);
    ends.set('serve', () => server.close());
    const sql =
      config.sqlPort === null || !runtime.chdb
        ? null
        : await startSqlFront({ store: runtime.chdb, port: config.sqlPort, log: logger });
    if (sql) ends.set('sql', () => sql.close());
    const metricsServer: MetricsServer | null =
      config.metricsPort === null
        ? null
        : await serveMetrics(
            metrics,
            config.host,
            config.metricsPort,
            async () =>
              (await store.health()).ok && !signal.aborted && !collecting?.collecting.status().outbox.blocked,
          );
    if (metricsServer) ends.set('metrics', () => metricsServer.close());
    const control = await serveControl(context, runtime, project.follower);
    ends.set('control', () => control.close());
    if (config.venues.mode === 'simulated') {
      simulators = await simulate(context, config.venues.venues);
      ends.set('simulate', () => simulators!.close());
    }
    if (config.venues.mode !== 'none') {
      collecting = await startCollect(context, log, simulators, metrics, signal);
      ends.set('collect', () => collecting!.done);
    }

    const roles = [project.done, ...(collecting ? [collecting.done] : [])];
    const done = (async () => {
      try {
        // Whoever ends first ends all; without a failure that is the signal.
        await Promise.race([
          ...roles,
          new Promise<void>((resolve) => {
            if (signal.aborted) resolve();
            signal.addEventListener('abort', () => resolve(), { once: true });
          }),
        ]);
      } finally {
        failed.abort();
        await endAll(ends, logger);
      }
    })();
    if (collecting) await firstBooks(collecting, signal);
    return {
      url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${server.port}`,
      demoKey: await demoKey(context, log),
      simulated: config.venues.mode === 'simulated',
      venues: recorded(),
      left: collecting?.leftOut ?? [],
      sqlUrl: sql?.url ?? null,
      metricsPort: metricsServer?.port ?? null,
      directory: directory.path,
      done,
    };
  } catch (error) {
    failed.abort();
    await endAll(ends, logger).catch(() => undefined);
    throw error;
  }
}

async function endAll(
  ends: ReadonlyMap<Part, () => Promise<unknown>>,
  logger: Context['logger'],
): Promise<void> {
  let first: unknown = null;
  for (const part of ENDING) {
    try {
      await ends.get(part)?.();
    } catch (error) {
      first ??= error;
      logger.error({ event: 'up.end_failed', part, err: error }, `${part} did not end cleanly`);
    }
  }
  if (first !== null) throw first as Error;
}

/** So that what is printed next works at once; a venue that does not answer is not waited for. */
async function firstBooks(
  { collecting }: Awaited<ReturnType<typeof startCollect>>,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + FIRST_BOOKS_MS;
  while (!signal.aborted && performance.now() < deadline) {
    const { venues } = collecting.status();
    if (venues.every(({ state, books }) => state === 'capturing' && books > 0)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
