// The whole product in one process: simulated venues, collectors, log, tables, API and feed. What the feed says of a market is
// what REST says of it.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BookRecord, GapView } from '@ladderlog/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestClient } from '../../packages/feed/test/harness.ts';
import { connect } from '../../packages/feed/test/harness.ts';
import { FOLLOW, pythonWithWebsockets } from '../harness/feed-python.ts';
import type { Started } from '../harness/ladderlog.ts';
import { eventually, launch, readyFacts } from '../harness/ladderlog.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'ladderlog-feed-'));
let up: Started;
let url: string;
let key: string;
const clients: TestClient[] = [];

const start = async (): Promise<void> => {
  up = launch(['up', '--json', '--port', '0', '--data', folder]);
  const facts = await readyFacts<{ url: string; demoKey: string }>(up);
  url = facts.url;
  key = facts.demoKey;
};

beforeAll(start);
afterAll(async () => {
  for (const client of clients) client.socket.terminate();
  await up.kill();
  rmSync(folder, { recursive: true, force: true });
});

const stream = async (): Promise<TestClient> => {
  const client = await connect(`${url.replace('http', 'ws')}/v3/stream`, { authorization: `Bearer ${key}` });
  clients.push(client);
  return client;
};

async function get<T>(path: string): Promise<T> {
  const answer = await fetch(`${url}/v3/${path}`, { headers: { authorization: `Bearer ${key}` } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

const ROUTES = {
  venuea: (market: string) => `venuea-prediction/${market}/snapshots?limit=1000`,
  venueb: (market: string) => `venueb/${market}/snapshots?include_orderbook=true&limit=1000`,
  venuec: (market: string) => `btc/markets/${market}/snapshots?include_orderbook=true&limit=1000`,
} as const;

describe.each(['venuea', 'venueb', 'venuec'] as const)('%s', (venue) => {
  test('the messages of a market are its REST snapshots, field by field', async () => {
    const client = await stream();
    client.send({ type: 'subscribe', venue, asset: 'btc' });
    const news = (): { seq: string; data: BookRecord }[] =>
      client.of('book').filter(({ current }) => !current);
    await client.until('some books', () => news().length >= 20);
    const market = news()[0]!.data.market_id;
    await client.until(
      'two of one market',
      () => news().filter(({ data }) => data.market_id === market).length > 1,
    );
    const sent = news().filter(({ data }) => data.market_id === market);
    const served = await eventually(
      'the tables',
      () => get<{ data: BookRecord[] }>(`${ROUTES[venue](market)}&start_time=${sent[0]!.data.timestamp}`),
      ({ data }) => sent.every(({ seq }) => data.some(({ position }) => position === seq)),
    );
    const byPosition = new Map(served.data.map((record) => [record.position, record]));
    expect(sent.map(({ data }) => data)).toEqual(sent.map(({ seq }) => byPosition.get(seq)));
    expect(client.of('status')[0]).toMatchObject({ data: { venue } });
    expect(client.problems).toEqual([]);
    client.socket.terminate();
  });
});

test('a client that resumes after the whole process was killed misses nothing and sees the gap', async () => {
  const client = await stream();
  client.send({ type: 'subscribe', id: 'c', venue: 'venuec' });
  const { positions } = await client.next('subscribed');
  const places = new Map(positions.map((seq) => [seq.slice(0, seq.lastIndexOf('/')), seq]));
  await client.until('books', () => client.of('book').filter(({ current }) => !current).length >= 50);
  await up.kill();
  await client.closed;
  const had = client.messages.flatMap((message) =>
    'seq' in message && !('current' in message) ? [message.seq] : [],
  );
  for (const seq of had) places.set(seq.slice(0, seq.lastIndexOf('/')), seq);
  await start();
  const again = await stream();
  again.send({ type: 'subscribe', venue: 'venuec', from: { position: [...places.values()] } });
  await again.next('live');
  const isDown = ({ cause, state }: GapView): boolean => cause === 'collector_down' && state === 'opened';
  await again.until('the gap', () => again.of('gap').some(({ data }) => isDown(data)));
  const before = again.of('book').length;
  await again.until('books after the gap', () => again.of('book').length >= before + 50);
  const all = [...had, ...again.messages.flatMap((message) => ('seq' in message ? [message.seq] : []))];
  expect(new Set(all).size).toBe(all.length);
  // Every record of the log that is a message, and nothing else: asked of the log itself.
  const { stdout } = await run(
    process.execPath,
    [
      'packages/cli/src/main.ts',
      'log',
      'cat',
      'venuec',
      '--data',
      folder,
      '--type',
      'BookObserved,GapOpened,GapClosed,MarketObserved',
    ],
    { cwd: join(import.meta.dirname, '..', '..'), maxBuffer: 2 ** 28 },
  );
  const logged = stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { position: string }).position);
  const last = new Map<string, number>();
  for (const seq of all)
    last.set(seq.slice(0, seq.lastIndexOf('/')), Number(seq.slice(seq.lastIndexOf('/') + 1)));
  const begun = new Map(
    positions.map((seq) => [seq.slice(0, seq.lastIndexOf('/')), Number(seq.slice(seq.lastIndexOf('/') + 1))]),
  );
  const expected = logged.filter((position) => {
    const place = position.slice(0, position.lastIndexOf('/'));
    const offset = Number(position.slice(position.lastIndexOf('/') + 1));
    return offset > begun.get(place)! && offset <= (last.get(place) ?? -1);
  });
  expect(new Set(all)).toEqual(new Set(expected));
});

test('an independent client follows and resumes', async ({ skip }) => {
  const python = await pythonWithWebsockets();
  if (python === null) return skip('no Python with websockets');
  const { stdout } = await run(python, ['-c', FOLLOW, `${url.replace('http', 'ws')}/v3/stream`, key, '30'], {
    maxBuffer: 2 ** 27,
    timeout: 240_000,
  });
  const got = JSON.parse(stdout) as { seq: string; data: BookRecord }[];
  expect(got).toHaveLength(60);
  expect(new Set(got.map(({ seq }) => seq)).size).toBe(60);
  for (const { seq, data } of got) expect(data.position).toBe(seq);
});
