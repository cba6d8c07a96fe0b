// A log whose readers are counted; who follows the tail is not.

import type { EventLog, LogBatch } from '@ladderlog/log';

export type Reading = { now: number; most: number; batches: number };

export function countedLog(log: EventLog): { readonly log: EventLog; readonly reading: Reading } {
  const reading: Reading = { now: 0, most: 0, batches: 0 };
  async function* count(batches: AsyncIterable<LogBatch>): AsyncGenerator<LogBatch> {
    reading.most = Math.max(reading.most, ++reading.now);
    try {
      for await (const batch of batches) {
        reading.batches++;
        yield batch;
      }
    } finally {
      reading.now--;
    }
  }
  const counted = new Proxy(log, {
    get(target, name) {
      if (name === 'read')
        return (request: Parameters<EventLog['read']>[0]) =>
          request.follow ? target.read(request) : count(target.read(request));
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { log: counted, reading };
}
