// `ladderlog up`: everything in one process. Order of starting: engines, projector, API, then the venues; of ending: the
// venues first, so that nothing that was received is lost.

import { tablesInput } from '@ladderlog/live';
import { startSqlFront } from '@ladderlog/store';

import type { Context } from '../context.ts';
import { serveControl } from '../data/control.ts';
import { demoKey } from './demo-key.ts';
import type { Metrics } from './metrics.ts';
import { createMetrics, serveMetrics } from './metrics.ts';
import { startCollect, startLive, startProject, startServe } from './roles.ts';
import type { Runtime } from './runtime.ts';
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

type Ends = Map<Part, () => Promise<unknown>>;

export async function startUp(context: Context): Promise<Up> {
  const { config, logger } = context;
  const failed = new AbortController();
  const signal = AbortSignal.any([context.signal, failed.signal]);
  const metrics = createMetrics();
  const runtime = await openRuntime(context, 'ladderlog up', metrics.queried);
  const ends: Ends = new Map([['engines', () => runtime.close()]]);
  try {
    const { facts, project, collect } = await startParts(context, runtime, metrics, signal, ends);
    // Whoever ends first ends all; without a failure that is the signal.
    const done = Promise.race([project.done, ...(collect ? [collect.done] : []), aborted(signal)]).finally(
      async () => {
        failed.abort();
        await endAll(ends, logger);
      },
    );
    // The caller hears of a failure by `done`; before the caller has it, a failure must not end the process by itself.
    done.catch(() => undefined);
    if (collect) await firstBooks(collect, signal);
    return {
      ...facts,
      demoKey: await demoKey(context, runtime.log),
      simulated: config.venues.mode === 'simulated',
      venues: recordedBy(collect),
      left: collect?.leftOut ?? [],
      directory: runtime.directory.path,
      done,
    };
  } catch (error) {
    failed.abort();
    await endAll(ends, logger).catch(() => undefined);
    throw error;
  }
}

type Collect = Awaited<ReturnType<typeof startCollect>>;

const recordedBy = (collect: Collect | null): readonly string[] =>
  collect?.collecting.status().venues.map(({ venue }) => venue) ?? [];

/** Starts one part after the other, and notes how each is ended as soon as it runs. */
async function startParts(
  context: Context,
  runtime: Runtime,
  metrics: Metrics,
  signal: AbortSignal,
  ends: Ends,
) {
  const { config, logger } = context;
  const { log, store, chdb } = runtime;
  const live = await startLive(context, runtime);
  ends.set('live', () => live.close());
  const endProject = new AbortController();
  // Embedded, nobody else fills the tables: they take what this process reads anyway.
  const input = chdb && log.kind === 'sqlite' ? tablesInput(log, live) : undefined;
  const project = startProject(context, runtime, metrics, endProject.signal, input);
  // Heard by whoever runs this; until then a failure must not end the process by itself.
  project.done.catch(() => undefined);
  ends.set('project', async () => {
    endProject.abort();
    await project.done;
  });
  let collect: Collect | null = null;
  const server = await startServe(context, runtime, live, metrics, () => recordedBy(collect));
  ends.set('serve', () => server.close());
  const sql =
    config.sqlPort === null || !chdb
      ? null
      : await startSqlFront({ store: chdb, port: config.sqlPort, log: logger });
  if (sql) ends.set('sql', () => sql.close());
  const isReady = async (): Promise<boolean> =>
    (await store.health()).ok && !signal.aborted && !collect?.collecting.status().outbox.blocked;
  const probes =
    config.metricsPort === null
      ? null
      : await serveMetrics(metrics, config.host, config.metricsPort, isReady);
  if (probes) ends.set('metrics', () => probes.close());
  const control = await serveControl(context, runtime, project.follower);
  ends.set('control', () => control.close());
  const { mode, venues } = config.venues;
  const simulators = mode === 'simulated' ? await simulate(context, venues) : null;
  if (simulators) ends.set('simulate', () => simulators.close());
  if (mode !== 'none') collect = await startCollect(context, log, simulators, metrics, signal);
  if (collect) ends.set('collect', () => collect!.done);
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const url = `http://${host}:${server.port}`;
  return { facts: { url, sqlUrl: sql?.url ?? null, metricsPort: probes?.port ?? null }, project, collect };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

async function endAll(ends: Ends, logger: Context['logger']): Promise<void> {
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
async function firstBooks({ collecting }: Collect, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + FIRST_BOOKS_MS;
  while (!signal.aborted && performance.now() < deadline) {
    const { venues } = collecting.status();
    if (venues.every(({ state, books }) => state === 'capturing' && books > 0)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
