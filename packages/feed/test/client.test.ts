// What one connection is sent, and in which order, when its socket takes little at a time.

import { Duplex } from 'node:stream';
import type { BookObserved, StreamMessage } from '@ladderlog/core';
import { marketKey, streamText } from '@ladderlog/core';
import { Turns } from '@ladderlog/log';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { bookAt } from '../../../test/harness/log-events.ts';
import { Client } from '../src/clients/client.ts';
import { Item, textFrame } from '../src/clients/item.ts';
import { FEED_LIMITS } from '../src/options.ts';

/** Takes a frame when told to. */
class SlowSocket extends Duplex {
  readonly taken: StreamMessage[] = [];
  private next: (() => void) | null = null;

  override _read(): void {}
  override _write(frame: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.taken.push(JSON.parse(frame.subarray(frame.indexOf('{')).toString('utf8')) as StreamMessage);
    this.next = done;
  }

  takeOne(): boolean {
    const { next } = this;
    this.next = null;
    next?.();
    return next !== null;
  }
}

const MARKETS = Array.from({ length: 20 }, (_, n) => `M${n}`);
const book = (offset: number, market: string): BookObserved => ({ ...bookAt(offset), market });
const place = (offset: number) => ({ topic: 'venueb', partition: 0, offset });
const offsetOf = (seq: string): number => Number(seq.slice(seq.lastIndexOf('/') + 1));

function slowClient(historyBytes = Infinity) {
  const stream = new SlowSocket();
  const newest = new Map<string, number>();
  const client = new Client(1, {} as WebSocket, stream, {
    limits: { ...FEED_LIMITS, softBytes: 8_192 },
    observer: {},
    turns: new Turns(),
    historyBytes: () => historyBytes,
    currentFrames: (key) => {
      const market = key.split('\n')[1]!;
      const offset = newest.get(market)!;
      return [textFrame(streamText(book(offset, market), place(offset), null, { current: true }))];
    },
  });
  let offset = 0;
  /** Into memory, and to the client if it is live, as the feed does it. */
  const observe = (market: string, live: boolean): void => {
    newest.set(market, offset);
    if (live) client.offer(new Item(book(offset, market), place(offset), marketKey('venueb', market), null));
    offset++;
  };
  for (const market of MARKETS) observe(market, false);
  return { client, stream, observe };
}

test('news wait until every current book is sent: whoever breaks off and resumes after some misses none', async () => {
  const { client, stream, observe } = slowClient();
  const first = MARKETS.length;
  client.begin(MARKETS.map((market) => marketKey('venueb', market)));
  // The books of the last markets are still due, and the first market's is sent.
  observe(MARKETS.at(-1)!, true);
  observe(MARKETS[0]!, true);
  observe(MARKETS.at(-1)!, true);
  expect(client.upToDate).toBe(false);
  while (stream.takeOne()) await new Promise((resolve) => setImmediate(resolve));
  expect(client.upToDate).toBe(true);
  const kinds = stream.taken.map((message) =>
    message.type === 'book' ? (message.current ? 'current' : offsetOf(message.seq)) : message.type,
  );
  expect(kinds).toEqual([...MARKETS.map(() => 'current'), 'skipped', first + 1, first + 2]);
  expect(stream.taken.find(({ type }) => type === 'skipped')).toMatchObject({
    from: `venueb/0/${first}`,
    count: 1,
  });
});

test('history waits when its share is unsent, and goes on when the socket has taken it', async () => {
  const { client, stream } = slowClient(1_000);
  const frame = textFrame(JSON.stringify({ type: 'book', text: 'x'.repeat(400) }));
  let sent = 0;
  for (; client.hasRoom; sent++) client.sendHistory(frame);
  expect(sent).toBe(Math.ceil(1_000 / frame.length));
  const room = client.room();
  expect(room).not.toBeNull();
  stream.takeOne();
  await room;
  expect(client.hasRoom).toBe(true);
});
