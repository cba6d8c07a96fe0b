// Clients of a feed or a replay, on a thread of their own, so that their sockets take what they are sent while the feed is busy. Each asks for history;
// at its first book it says what it was told to say, and it tells what it got, in order, when its history is over or it is closed.

import { parentPort, Worker, workerData } from 'node:worker_threads';
import { WebSocket } from 'ws';

export type HistoryRequest = {
  readonly url: string;
  readonly key?: string;
  readonly clients: number;
  readonly subscribe: unknown;
  /** Sent at the first book; `close` closes the socket instead. */
  readonly say: readonly unknown[] | 'close';
  /** The type of message that ends it; default `live`. */
  readonly until?: string;
};

/** Types of messages and how many of them followed each other. */
export type Got = { readonly type: string; count: number }[];

export const booksOf = (got: Got): number =>
  got.reduce((sum, { type, count }) => sum + (type === 'book' ? count : 0), 0);

export type HistoryClients = {
  /** One entry a client, in the order in which they ended. */
  readonly got: Promise<readonly Got[]>;
  /** Resolved with the first book of any of them. */
  readonly begun: Promise<void>;
  readonly ended: () => number;
  close(): Promise<void>;
};

export function historyClients(request: HistoryRequest): HistoryClients {
  const worker = new Worker(new URL(import.meta.url), { workerData: { historyClients: request } });
  const got: Got[] = [];
  const all = Promise.withResolvers<readonly Got[]>();
  const begun = Promise.withResolvers<void>();
  worker.on('error', (error) => all.reject(error));
  worker.on('message', (message: Got | 'begun') => {
    if (message === 'begun') return begun.resolve();
    got.push(message);
    if (got.length === request.clients) all.resolve(got);
  });
  return {
    got: all.promise,
    begun: begun.promise,
    ended: () => got.length,
    close: async () => void (await worker.terminate()),
  };
}

function connect({ url, key, subscribe, say, until = 'live' }: HistoryRequest): void {
  const socket = new WebSocket(url, {
    headers: key === undefined ? {} : { 'x-api-key': key },
    perMessageDeflate: false,
  });
  const got: Got = [];
  let isOver = false;
  const over = (): void => {
    if (!isOver) parentPort!.postMessage(got, []);
    isOver = true;
  };
  socket.on('open', () => socket.send(JSON.stringify(subscribe)));
  socket.on('message', (data: Buffer) => {
    const { type } = JSON.parse(data.toString('utf8')) as { type: string };
    const isFirst = type === 'book' && !got.some((one) => one.type === 'book');
    if (got.at(-1)?.type === type) got.at(-1)!.count++;
    else got.push({ type, count: 1 });
    if (type === until) over();
    if (!isFirst) return;
    parentPort!.postMessage('begun', []);
    if (say === 'close') socket.close();
    else for (const message of say) socket.send(JSON.stringify(message));
  });
  socket.on('close', over);
  socket.on('error', over);
}

const given = (workerData as { readonly historyClients?: HistoryRequest } | null)?.historyClients;
if (given) for (let n = 0; n < given.clients; n++) connect(given);
