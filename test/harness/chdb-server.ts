// The embedded engine as a ClickHouse server, in a process of its own. It prints where it listens as a line of JSON and ends on
// SIGTERM. Usage: node chdb-server.ts <directory> [socket]

import { openChdbStore, startEngineServer } from '@ladderlog/store';

const [path, socket] = process.argv.slice(2);
const store = await openChdbStore({ path: path!, purpose: 'test server' });
const server = await startEngineServer({ store, ...(socket === undefined ? { port: 0 } : { socket }) });
console.log(JSON.stringify({ event: 'ready', url: `http://127.0.0.1:${server.port}` }));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void server.close().then(() => store.close());
  });
