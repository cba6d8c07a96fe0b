// A projector in a process of its own, to be killed. One line of JSON on standard output for each range or set; at a fail point
// it kills itself, as hard as the parent would. On the embedded log it is fed as the service feeds it, all partitions together.

import { writeSync } from 'node:fs';

import { PROJECTIONS } from '@ladderlog/core';
import type { Live } from '@ladderlog/live';
import { openLive, tablesInput } from '@ladderlog/live';
import type { EventLog } from '@ladderlog/log';
import { openKafkaLog, openSqliteLog } from '@ladderlog/log';
import type { CursorStore } from '@ladderlog/projector';
import { createProjector, openClickhouseCursors, openSqliteCursors } from '@ladderlog/projector';
import type { Store } from '@ladderlog/store';
import { openChdbStore, openEngineStore } from '@ladderlog/store';
import pino from 'pino';

import type { FailPoint } from '../../packages/projector/test/fail-points.ts';
import { withFailPoints } from '../../packages/projector/test/fail-points.ts';

export type ChildOptions = {
  readonly log:
    | { readonly kind: 'sqlite'; readonly path: string; readonly cursors: string }
    | {
        readonly kind: 'kafka';
        readonly brokers: readonly string[];
        readonly registryUrl: string;
        readonly prefix: string;
        readonly sessionTimeoutMs: number;
      };
  /** The engine in this process, by its directory, or in another, by its socket. */
  readonly store: { readonly directory: string } | { readonly socket: string };
  readonly generation: number;
  readonly maxRecords: number;
  /** Dies when it has passed this point so many times. */
  readonly dieAt: { readonly point: FailPoint; readonly times: number } | null;
  /** Ends, cleanly, when all of the log is in the tables. */
  readonly untilCaughtUp: boolean;
};

const say = (message: object): void => void writeSync(1, `${JSON.stringify(message)}\n`);

if (process.argv[2]) await main(JSON.parse(process.argv[2]) as ChildOptions);

async function main(options: ChildOptions): Promise<void> {
  const logger = pino({ level: 'silent' });
  const log = await openLog(options, logger);
  const store =
    'socket' in options.store
      ? await openEngineStore(options.store)
      : await openChdbStore({ path: options.store.directory });
  await store.migrate();
  const cursors =
    options.log.kind === 'sqlite' ? openSqliteCursors(options.log.cursors) : openClickhouseCursors(store);
  const live = options.log.kind === 'sqlite' ? await follow(log, store, cursors, options) : null;
  let passed = 0;
  const { dieAt } = options;
  const failPoints = dieAt && {
    [dieAt.point]: () => {
      if (++passed >= dieAt.times) process.kill(process.pid, 'SIGKILL');
    },
  };
  const projector = createProjector({
    log,
    ...withFailPoints({ store, cursors }, failPoints ?? {}),
    projections: PROJECTIONS,
    generation: options.generation,
    logger,
    ...(live ? { input: tablesInput(log, live) } : {}),
    limits: { maxRecords: options.maxRecords, maxWaitMs: 50 },
    observer: { onRange: ({ events }) => say({ events }) },
  });
  say({ ready: true });
  const stop = new AbortController();
  const running = projector.run(stop.signal);
  if (!options.untilCaughtUp) return running;
  await Promise.race([projector.caughtUp(stop.signal), running]);
  stop.abort();
  await running;
  await live?.close();
  await cursors.close();
  await store.close();
  await log.close();
}

async function follow(
  log: EventLog,
  store: Store,
  cursors: CursorStore,
  { generation }: ChildOptions,
): Promise<Live> {
  const projected = async () =>
    (await cursors.list(generation)).map(({ topic, partition, hwm }) => ({
      topic,
      partition,
      offset: hwm + 1,
    }));
  const logger = pino({ level: 'silent' });
  const live = await openLive({ log, store, logger, clock: () => Date.now() * 1_000, projected });
  live.follow();
  return live;
}

function openLog(options: ChildOptions, logger: pino.Logger): Promise<EventLog> {
  if (options.log.kind === 'sqlite') return openSqliteLog({ path: options.log.path, role: 'reader' });
  return openKafkaLog({ ...options.log, logger });
}
