// Fan-out of the feed: messages a second that clients received, with 1, 100 and 1,000 of them, beside a bare loop of ws.send with
// a prepared text. Clients are in a process of their own and only count. Then the longest turn of the server's event loop while
// twenty clients read history: what anybody else has to wait for them.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openSqliteLog } from '@ladderlog/log';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import { streamText } from '@ladderlog/core';
import { keyText, startFeed } from '../../packages/feed/test/harness.ts';
import { books } from '../harness/log-events.ts';

const LEVELS = 20;
const DELIVERIES = process.env['LADDERLOG_FULL'] === '1' ? 400_000 : 60_000;

/** Connects `count` clients, and says when all are subscribed and when all have `messages` books. */
const CLIENTS = `
import { WebSocket } from 'ws';
const [url, key, count, messages, subscribe] = process.argv.slice(1);
let ready = 0, done = 0;
for (let n = 0; n < Number(count); n++) {
  const socket = new WebSocket(url, { headers: { 'x-api-key': key }, perMessageDeflate: false });
  let got = 0;
  socket.on('open', () => socket.send(subscribe));
  socket.on('message', (data) => {
    const type = data.toString('latin1', 9, 13);
    if (type === 'subs' && ++ready === Number(count)) console.log('ready');
    if (type === 'skip' || type === 'erro') console.log(data.toString());
    if (type === 'book' && ++got === Number(messages) && ++done === Number(count)) console.log('done');
  });
  await new Promise((resolve) => socket.on('open', resolve));
}
`;

async function measure(
  url: string,
  key: string,
  clients: number,
  messages: number,
  send: () => Promise<void>,
  from?: { readonly time: string },
): Promise<number> {
  const subscribe = JSON.stringify({ type: 'subscribe', venue: 'venueb', from });
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', CLIENTS, url, key, String(clients), String(messages), subscribe],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const said = async (word: string): Promise<void> => {
    const { value } = await lines.next();
    if (value !== word) throw new Error(`the clients said ${String(value)} instead of ${word}`);
  };
  try {
    await said('ready');
    const began = performance.now();
    await send();
    await said('done');
    return (clients * messages * 1_000) / (performance.now() - began);
  } finally {
    child.kill('SIGKILL');
  }
}

async function bare(clients: number, messages: number, text: string): Promise<number> {
  const server = createServer();
  const sockets: WebSocket[] = [];
  new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
    sockets.push(socket);
    socket.on('message', () => socket.send('{"type":"subscribed"}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await measure(
      `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
      'none',
      clients,
      messages,
      async () => {
        for (let n = 0; n < messages; n++) {
          for (const socket of sockets) socket.send(text);
          if (n % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
      },
    );
  } finally {
    for (const socket of sockets) socket.terminate();
    server.close();
  }
}

export async function run(): Promise<void> {
  await fanOut();
  await history();
}

/** Twenty clients and a log with long ladders of one venue. */
async function history(): Promise<void> {
  const clients = 20;
  const messages = process.env['LADDERLOG_FULL'] === '1' ? 20_000 : 2_000;
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-feed-bench-'));
  const log = await openSqliteLog({ path: join(folder, 'log.sqlite'), upkeepMs: 0 });
  for (let n = 0; n < messages; n += 500) await log.append(books(n, n + 500, { markets: 40, levels: 100 }));
  const feed = await startFeed(log);
  const turns = measureTurns();
  await measure(feed.url, keyText('desk'), clients, messages, async () => {}, { time: '2025-01-01' });
  const took = turns.end().sort((left, right) => left - right);
  await feed.close();
  await log.close();
  rmSync(folder, { recursive: true, force: true });
  const at = (share: number): string => took[Math.floor((took.length - 1) * share)]!.toFixed(1);
  console.log(
    `${clients} clients read ${messages} books of history each; turns of the loop, in processor time: ` +
      `median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms`,
  );
}

/** Processor time of the loop's thread, so that other processes do not count; of turns in which something was done. */
function measureTurns(): { end(): number[] } {
  const took: number[] = [];
  let ended = false;
  const now = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let before = now();
  const turned = (): void => {
    const at = now();
    if (at - before >= 0.5) took.push(at - before);
    before = at;
    if (!ended) setImmediate(turned);
  };
  setImmediate(turned);
  return {
    end: () => {
      ended = true;
      return [...took];
    },
  };
}

async function fanOut(): Promise<void> {
  for (const clients of [1, 100, 1_000]) {
    const messages = Math.max(20, Math.min(20_000, Math.round(DELIVERIES / clients)));
    const folder = mkdtempSync(join(tmpdir(), 'ladderlog-feed-bench-'));
    const log = await openSqliteLog({ path: join(folder, 'log.sqlite'), upkeepMs: 0 });
    const feed = await startFeed(log, {
      limits: { clientsPerKey: 10_000, softBytes: 64 * 2 ** 20, hardBytes: 256 * 2 ** 20 },
    });
    const events = books(0, messages, { markets: 40, levels: LEVELS });
    const rate = await measure(feed.url, keyText('desk'), clients, messages, async () => {
      for (let n = 0; n < messages; n += 500) {
        await log.append(events.slice(n, n + 500));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const one = streamText(events[0]!, { topic: 'venueb', partition: 0, offset: 0 }, null);
    await feed.close();
    await log.close();
    rmSync(folder, { recursive: true, force: true });
    const sends = await bare(clients, messages, one);
    console.log(
      `${String(clients).padStart(5)} clients: ${Math.round(rate).toLocaleString('en')} messages/s from append to receipt ` +
        `(${one.length} bytes each); bare ws.send of one text ${Math.round(sends).toLocaleString('en')}/s; ratio ${(rate / sends).toFixed(2)}`,
    );
  }
}
