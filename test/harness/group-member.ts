// A member of a consumer group for as long as its process lives. It says on stdout what it was assigned, and for every batch
// whether it was stale before and after the time it took.

import { writeSync } from 'node:fs';
import type { EventLog } from '@ladderlog/log';

const say = (line: object): void => {
  writeSync(1, `${JSON.stringify(line)}\n`);
};

export const consumeUntilKilled = (log: EventLog, group: string): Promise<void> =>
  log.consume({
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
