import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogRole } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import { logContract } from '../../../../test/contract/log.ts';

const TIMES = { heartbeatMs: 200, sessionMs: 5_000, upkeepMs: 100 };

for (const role of ['writer', 'recorder'] satisfies LogRole[])
  logContract(`SqliteLog of a ${role}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ladderlog-log-'));
    return {
      open: () => openSqliteLog({ path: join(folder, 'log.db'), role, ...TIMES }),
      dispose: () => rm(folder, { recursive: true, force: true }),
    };
  });
