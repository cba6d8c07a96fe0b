import { describe } from 'vitest';
import { logContract } from '../../../../test/contract/log.ts';
import { newPrefix, openTestLog, sharedKafka } from '../../../../test/harness/kafka-log.ts';

const kafka = sharedKafka();

describe.skipIf(!kafka)('on a real broker', () => {
  logContract('KafkaLog', async () => {
    const prefix = newPrefix();
    return { open: () => openTestLog(kafka!, prefix), dispose: async () => {} };
  });
});
