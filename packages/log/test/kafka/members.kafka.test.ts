// Members of a group in other processes: one that was stopped in the middle of a batch, and one that was killed.

import type { EventLog } from '@ladderlog/log';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newPrefix, openTestLog, sharedKafka } from '../../../../test/harness/kafka-log.ts';
import { books } from '../../../../test/harness/log-events.ts';
import { LogProcess } from '../../../../test/harness/log-process.ts';
import { Consumer } from '../../../../test/harness/log-reading.ts';

const shared = sharedKafka();
// Of the members that vanish: as long as the others wait for them.
const SESSION_MS = 3_000;

describe.skipIf(!shared)('a member of a group on Kafka', () => {
  const kafka = shared!;
  const prefix = newPrefix();
  let log: EventLog;
  const member = (group: string): LogProcess =>
    new LogProcess('kafka-member.ts', [
      kafka.brokers.join(','),
      kafka.registryUrl,
      prefix,
      group,
      String(SESSION_MS),
    ]);

  beforeAll(async () => {
    log = await openTestLog(kafka, prefix);
    await log.append(books(0, 100, { markets: 40 }));
  });
  afterAll(() => log.close());

  test('finds itself stale when it wakes after its partitions moved', async () => {
    const sleeper = member('stopped');
    await sleeper.line((line) => line.includes('began'));
    sleeper.child.kill('SIGSTOP');
    const heir = new Consumer(log, { group: 'stopped', topics: ['venueb'], commit: true });
    await heir.owns(4);
    await heir.saw(100);
    const start = sleeper.lines.length;
    sleeper.child.kill('SIGCONT');
    const woken = JSON.parse(await sleeper.line((line) => line.includes('after'), start)) as object;
    expect(woken).toMatchObject({ before: false, after: true });
    await sleeper.kill();
    await heir.stop();
  });

  test('is replaced once its session is over when it was killed', async () => {
    const victim = member('killed');
    await victim.line((line) => line.includes('began'));
    await victim.kill();
    const heir = new Consumer(log, { group: 'killed', topics: ['venueb'], commit: true });
    await heir.owns(4);
    await heir.saw(100);
    await heir.stop();
    expect(heir.ordinals()).toEqual(Array.from({ length: 100 }, (_, index) => index));
  });
});
