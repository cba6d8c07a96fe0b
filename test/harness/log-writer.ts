// A process that appends until it is killed, and says on stdout, line by line, what was acknowledged.
// node test/harness/log-writer.ts <path> <session> <batch> [role]

import { writeSync } from 'node:fs';
import type { LogRole } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import { books } from './log-events.ts';

const [path, session, size, role = 'writer'] = process.argv.slice(2) as [string, string, string, LogRole?];
const batch = Number(size);
// Packing all the time, so that kills fall into it as well.
const log = await openSqliteLog({ path, role, upkeepMs: 5 });
writeSync(1, 'open\n');

/** Several appends under way at once: kills fall between the commits of a group, too. */
async function write(lane: number): Promise<void> {
  for (let n = lane * batch; ; n += 4 * batch) {
    await log.append(books(n, n + batch, { session, levels: 20, markets: 12 }));
    writeSync(1, `${n}\n`);
  }
}
await Promise.all([0, 1, 2, 3].map(write));
