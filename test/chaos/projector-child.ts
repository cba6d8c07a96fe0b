// A projector in a process of its own, to be killed. One line of JSON on standard output for each range; at a fail point it
// kills itself, as hard as the parent would.

import { writeSync } from 'node:fs';

import { PROJECTIONS } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { openKafkaLog, openSqliteLog } from '@ladderlog/log';
import { createProjector, openClickhouseCursors, openSqliteCursors } from '@ladderlog/projector';
import { openChdbStore } from '@ladderlog/store';
import pino from 'pino';

import type { FailPoint } from '../../packages/projector/test/fail-points.ts';
import { withFailPoints } from '../../packages/projector/test/fail-points.ts';

export type ChildOptions = {
  readonly log:
    | { readonly kind: 'sqlite'; readonly path: string }
    | {
        readonly kind: 'kafka';
        readonly brokers: readonly string[];
        readonly registryUrl: string;
        readonly prefix: string;
        readonly sessionTimeoutMs: number;
      };
  readonly storePath: string;
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
  const store = await openChdbStore({ path: options.storePath });
  await store.migrate();
  const cursors =
    options.log.kind === 'sqlite' ? openSqliteCursors(options.log.path) : openClickhouseCursors(store);
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
  await cursors.close();
  await store.close();
  await log.close();
}

function openLog(options: ChildOptions, logger: pino.Logger): Promise<EventLog> {
  if (options.log.kind === 'sqlite')
    return openSqliteLog({ path: options.log.path, heartbeatMs: 200, sessionMs: 2_000, upkeepMs: 0 });
  return openKafkaLog({ ...options.log, logger });
}
