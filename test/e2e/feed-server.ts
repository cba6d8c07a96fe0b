// The feed as a process of its own, to be killed and measured: arguments are the log file, the port and limits as JSON. Prints one
// line when it listens; a line on standard input is answered with its memory and counters.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import type { FeedLimits } from '@ladderlog/feed';
import { Feed } from '@ladderlog/feed';
import { openLive } from '@ladderlog/live';
import { openSqliteLog } from '@ladderlog/log';
import { pino } from 'pino';
import { testKeys } from '../../packages/feed/test/harness.ts';

const [path, port, limits] = process.argv.slice(2);
const log = await openSqliteLog({ path: path!, upkeepMs: 0 });
const counts = { clients: 0, sent: 0, conflated: 0, closed: {} as Record<number, number>, peakRss: 0 };
const parts = { log, logger: pino({ level: 'silent' }), clock: () => Date.now() * 1_000 };
// The books of the tests carry times of their own.
const live = await openLive({ ...parts, warmUpMs: 365 * 86_400_000 });
const feed = new Feed({
  ...parts,
  live,
  keys: testKeys(),
  limits: JSON.parse(limits ?? '{}') as Partial<FeedLimits>,
  observer: {
    onClients: (clients) => (counts.clients = clients),
    onSent: (messages) => (counts.sent += messages),
    onConflated: (messages) => (counts.conflated += messages),
    onClosed: (code) => (counts.closed[code] = (counts.closed[code] ?? 0) + 1),
  },
});
live.follow();
await live.caughtUp;
const server = createServer();
server.on('upgrade', (request, socket, head) => feed.handleUpgrade(request, socket, head));
server.listen(Number(port), '127.0.0.1', () =>
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })),
);
setInterval(() => {
  counts.peakRss = Math.max(counts.peakRss, process.memoryUsage.rss());
}, 50);
createInterface({ input: process.stdin }).on('line', () =>
  console.log(JSON.stringify({ ...counts, rss: process.memoryUsage.rss() })),
);
