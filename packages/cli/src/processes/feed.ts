// The counters of the live feed.

import type { FeedObserver } from '@ladderlog/feed';
import type { Registry } from 'prom-client';
import { Counter, Gauge } from 'prom-client';

export function feedObserver(registry: Registry): FeedObserver {
  const registers = [registry];
  const clients = new Gauge({
    name: 'ladderlog_feed_clients',
    help: 'Clients of the live feed.',
    registers,
  });
  const messages = new Counter({
    name: 'ladderlog_feed_messages_total',
    help: 'Messages of the log sent to clients.',
    registers,
  });
  const bytes = new Counter({ name: 'ladderlog_feed_bytes_total', help: 'Bytes of them.', registers });
  const conflated = new Counter({
    name: 'ladderlog_feed_conflated_total',
    help: 'Messages that slow clients did not get.',
    registers,
  });
  const closed = new Counter({
    name: 'ladderlog_feed_closed_total',
    help: 'Connections ended, by close code.',
    labelNames: ['code'] as const,
    registers,
  });
  return {
    onClients: (count) => clients.set(count),
    onSent: (count, size) => {
      messages.inc(count);
      bytes.inc(size);
    },
    onConflated: (count) => conflated.inc(count),
    onClosed: (code) => closed.inc({ code: String(code) }),
  };
}
