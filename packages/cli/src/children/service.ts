// The service: follows the log once, and from it the state of the markets, the tables, the API and the feed. It may be killed,
// stopped or starved at any moment: recording goes on, and everything here can be computed again.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Venue } from '@ladderlog/core';
import type { Live } from '@ladderlog/live';
import { tablesInput } from '@ladderlog/live';

import type { Context } from '../context.ts';
import { serveControl } from '../data/control.ts';
import { aborted } from '../processes/aborted.ts';
import { demoKey } from '../processes/demo-key.ts';
import { createMetrics } from '../processes/metrics.ts';
import { withLog } from '../processes/open-log.ts';
import { serveStatus } from '../processes/probes.ts';
import { startProject } from '../processes/project.ts';
import { watchRecorder } from '../processes/recorder-watch.ts';
import type { Runtime } from '../processes/runtime.ts';
import { openServiceRuntime } from '../processes/runtime.ts';
import { startLive, startServe } from '../processes/serve.ts';
import type { Channel, RoleStart } from './channel.ts';

const FIRST_BOOKS_MS = 5_000;

/** How each part is ended; the last that was started first. */
type Ends = (() => unknown)[];

export async function runService(
  context: Context,
  start: RoleStart['service'],
  channel: Channel<'service'>,
): Promise<void> {
  const ends: Ends = [];
  try {
    const metrics = createMetrics('service');
    const runtime = await openServiceRuntime(context, metrics.queried);
    ends.push(() => runtime.close());
    const { project, port, live, recorder } = await startParts(context, runtime, start, metrics, ends);
    channel.onRecorderEnds(() => recorder?.close());
    channel.onFirstBooks((venues) => firstBooks(live, venues as readonly Venue[], context.signal));
    const key = start.isFirst ? await withLog(context, (log) => demoKey(context, log)) : null;
    channel.ready({ port, demoKey: key });
    await Promise.race([project.done, aborted(context.signal)]);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function startParts(
  context: Context,
  runtime: Runtime,
  start: RoleStart['service'],
  metrics: ReturnType<typeof createMetrics>,
  ends: Ends,
) {
  const { log, embedded, directory, store } = runtime;
  const live = await startLive(context, runtime);
  ends.push(() => live.close());
  const ending = new AbortController();
  // Embedded, nobody else fills the tables: they take what this process reads anyway.
  const input = embedded && log.kind === 'sqlite' ? tablesInput(log, live) : undefined;
  const project = startProject(context, runtime, metrics, ending.signal, input);
  // Heard by whoever waits for it; until then a failure must not end the process by itself.
  project.done.catch(() => undefined);
  ends.push(async () => {
    ending.abort();
    await project.done;
  });
  const recorder = start.hasRecorder
    ? watchRecorder(directory.sockets.status('recorder'), live, context.logger)
    : undefined;
  ends.push(() => recorder?.close());
  const server = await startServe(context, runtime, live, metrics, start.port, recorder);
  ends.push(() => server.close());
  const isReady = async (): Promise<boolean> => (await store.health()).ok && !context.signal.aborted;
  const status = await serveStatus(directory.sockets.status('service'), metrics, isReady, () => ({}));
  ends.push(() => status.close());
  const control = await serveControl(context, runtime, project.follower);
  ends.push(() => control.close());
  return { project, port: server.port, live, recorder };
}

/** So that what is printed next works at once; a venue that does not answer is not waited for. */
async function firstBooks(live: Live, venues: readonly Venue[], signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + FIRST_BOOKS_MS;
  const hasBooks = (venue: Venue): boolean => {
    const health = live.statuses.health(venue);
    return health?.state === 'capturing' && health.books > 0;
  };
  while (!signal.aborted && performance.now() < deadline && !venues.every(hasBooks)) await sleep(50);
}
