// A process that is a member of a consumer group on Kafka until it is killed; otherwise as log-member.ts.
// node test/harness/kafka-member.ts <brokers> <registry url> <prefix> <group> <session ms>

import { writeSync } from 'node:fs';
import { openKafkaLog } from '@ladderlog/log';
import { pino } from 'pino';

const [brokers, registryUrl, prefix, group, sessionMs] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const log = await openKafkaLog({
  brokers: brokers.split(','),
  registryUrl,
  prefix,
  sessionTimeoutMs: Number(sessionMs),
  logger: pino({ level: 'silent' }),
});
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
