import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog } from '@ladderlog/log';
import { logContract } from '../../../../test/contract/log.ts';

logContract('SqliteLog', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ladderlog-log-'));
  return {
    open: () =>
      openSqliteLog({ path: join(folder, 'log.db'), heartbeatMs: 200, sessionMs: 5_000, upkeepMs: 100 }),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
});
