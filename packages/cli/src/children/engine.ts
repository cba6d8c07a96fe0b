// The tables' engine, chDB, in a process of its own, spoken to as a ClickHouse server: a crash of native code or a query that
// cannot be stopped costs its restart and nothing else.

import { openChdbStore, startEngineServer, startSqlFront } from '@ladderlog/store';

import type { Context } from '../context.ts';
import { openDataDirectory } from '../data/data-directory.ts';
import { whenUnlocked } from '../data/when-unlocked.ts';
import { aborted } from '../processes/aborted.ts';
import { createMetrics } from '../processes/metrics.ts';
import { serveStatus } from '../processes/probes.ts';
import type { Channel, RoleStart } from './channel.ts';

export async function runEngine(
  context: Context,
  { sqlPort }: RoleStart['engine'],
  channel: Channel<'engine'>,
): Promise<void> {
  const { config, logger, signal } = context;
  const directory = openDataDirectory(config.data, logger);
  const store = await whenUnlocked(() =>
    openChdbStore({
      path: directory.store,
      database: config.clickhouseDatabase,
      purpose: 'ladderlog up',
      log: logger,
    }),
  );
  const metrics = createMetrics('engine');
  const isReady = async (): Promise<boolean> => (await store.health()).ok;
  const status = await serveStatus(directory.sockets.status('engine'), metrics, isReady, () => ({}));
  const onStuck = (sql: string, allowedMs: number): void => {
    const statement = sql.slice(0, 2_000);
    logger.fatal(
      { event: 'engine.stuck', statement, allowedMs },
      'a statement cannot be stopped: the engine starts again',
    );
    // Nothing gentler ends it: exit() would wait for what runs. Killing the engine loses nothing (ADR 15).
    process.kill(process.pid, 'SIGKILL');
  };
  const server = await startEngineServer({ store, socket: directory.sockets.engine, log: logger, onStuck });
  const sql = sqlPort === null ? null : await startSqlFront({ store, port: sqlPort, log: logger, onStuck });
  channel.ready({ sqlUrl: sql?.url ?? null });
  await aborted(signal);
  await sql?.close();
  await server.close();
  await store.close();
  await status.close();
}
