// A process that is a member of a consumer group until it is killed. It says on stdout what it was assigned, and for every
// batch whether it was stale before and after the time it took.
// node test/harness/log-member.ts <path> <group> <sessionMs>

import { writeSync } from 'node:fs';
import { openSqliteLog } from '@ladderlog/log';

const [path, group, sessionMs] = process.argv.slice(2) as [string, string, string];
const log = await openSqliteLog({ path, heartbeatMs: 100, sessionMs: Number(sessionMs) });
const say = (line: object): void => {
  writeSync(1, `${JSON.stringify(line)}\n`);
};
await log.consume({
  group,
  topics: ['venueb'],
  signal: new AbortController().signal,
  onAssigned: async (_topic, partition) => {
    say({ assigned: partition });
    return null;
  },
  onBatch: async (batch, control) => {
    const before = control.isStale();
    say({ began: batch.partition });
    // Work: long enough for the test to stop this process in the middle of it, also where the test is slow to hear of it.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    say({ partition: batch.partition, before, after: control.isStale() });
  },
  onRevoked: (_topic, partition) => say({ revoked: partition }),
});
