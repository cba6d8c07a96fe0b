// A stand-in for a ClickHouse server, as a process of its own: ClickHouse's HTTP protocol over chDB, writable. Prints its
// address as a line of JSON and ends on SIGTERM. Usage: node clickhouse-front.ts <directory>

import { openChdbStore, startSqlFront } from '@ladderlog/store';

const store = await openChdbStore({ path: process.argv[2]!, purpose: 'test server' });
const front = await startSqlFront({ store, port: 0, writable: true });
console.log(JSON.stringify({ event: 'ready', url: front.url }));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void front.close().then(() => store.close());
  });
