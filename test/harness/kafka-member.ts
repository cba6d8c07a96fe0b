// A process that is a member of a consumer group on Kafka until it is killed.
// node test/harness/kafka-member.ts <brokers> <registry url> <prefix> <group> <session ms>

import { openKafkaLog } from '@ladderlog/log';
import { pino } from 'pino';
import { consumeUntilKilled } from './group-member.ts';

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
await consumeUntilKilled(log, group);
