// The API against bare Express sending the same bytes, and against chDB alone, in one run. The server has a process of its own;
// this one only loads it.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import autocannon from 'autocannon';
import express from 'express';
import { latestRows, snapshotsPage } from '@ladderlog/store';
import {
  B_YES,
  GENEROUS,
  SECOND,
  SILENT,
  VENUE_B_MARKET,
  book,
  captureBeat,
  captureStarted,
  market,
  openWorld,
} from '../../packages/api/test/api-harness.ts';

const SECONDS = process.env['LADDERLOG_FULL'] ? 10 : 3;
const BOOKS = process.env['LADDERLOG_FULL'] ? 20_000 : 3_000;
const LEVELS = 50;
const T0 = 1_794_700_800_000_000;

type Ready = {
  readonly api: number;
  readonly bare: number;
  readonly key: string;
  readonly bytes: number;
  readonly engine: {
    readonly latestMs: number;
    readonly pageMs: number;
    /** Processor time. */
    readonly pageCpuMs: number;
    readonly pageBytes: number;
  };
};

type Usage = { readonly rss: number; readonly cpu: NodeJS.CpuUsage };

async function serve(): Promise<void> {
  const world = await openWorld(T0 + BOOKS * SECOND);
  const key = await world.key('desk');
  await world.append([market('venueb', VENUE_B_MARKET, T0), captureStarted(B_YES, T0)]);
  for (let from = 0; from < BOOKS; from += 1_000)
    await world.append(Array.from({ length: Math.min(1_000, BOOKS - from) }, (_, at) => deepBook(from + at)));
  await world.append([captureBeat(B_YES, T0 + BOOKS * SECOND)]);
  const api = await world.start({ validateResponses: false, memoMs: 500, plans: GENEROUS, logger: SILENT });
  const latest = `${api.url}/v3/venueb/${VENUE_B_MARKET}/orderbook/latest`;
  const bytes = Buffer.from(
    await (await fetch(latest, { headers: { Authorization: `Bearer ${key}` } })).arrayBuffer(),
  );
  const app = express();
  app.get('/latest', (_request, response) => {
    response.type('json').send(bytes);
  });
  const bare: Server = app.listen(0);
  await once(bare, 'listening');
  const selection = {
    generation: 1,
    venue: 'venueb',
    market: VENUE_B_MARKET,
    outcomes: ['yes'],
    identity: null,
    shape: 'arrays',
  } as const;
  const page = snapshotsPage({ ...selection, from: T0, to: T0 + BOOKS * SECOND, after: null, limit: 1_001 });
  const timed = async (count: number, query: Parameters<typeof world.store.queryRaw>[0]) => {
    let size = 0;
    await world.store.queryRaw(query, 'JSONEachRow');
    const times: number[] = [];
    const before = process.cpuUsage();
    for (let at = 0; at < count; at++) {
      const began = performance.now();
      size = (await world.store.queryRaw(query, 'JSONEachRow')).length;
      times.push(performance.now() - began);
    }
    const { user, system } = process.cpuUsage(before);
    const ms = times.sort((one, other) => one - other)[Math.floor(count / 2)]!;
    return { ms, cpuMs: (user + system) / count / 1_000, size };
  };
  const engineLatest = await timed(100, latestRows(selection));
  const enginePage = await timed(20, page);
  const ready: Ready = {
    api: api.server.port,
    bare: (bare.address() as AddressInfo).port,
    key,
    bytes: bytes.length,
    engine: {
      latestMs: engineLatest.ms,
      pageMs: enginePage.ms,
      pageCpuMs: enginePage.cpuMs,
      pageBytes: enginePage.size,
    },
  };
  process.send!(ready);
  // A bench that was killed must not leave its server behind.
  process.on('disconnect', () => process.exit(1));
  process.on('message', (message) => {
    if (message === 'usage')
      process.send!({ rss: process.memoryUsage().rss, cpu: process.cpuUsage() } satisfies Usage);
    else void world.close().finally(() => process.exit(0));
  });
}

function deepBook(ordinal: number) {
  const side = (best: number, step: number): [number, number][] =>
    Array.from({ length: LEVELS }, (_, at) => [
      best + step * at,
      1_000_000 * (1 + ((ordinal + at * 7) % 500)) + 250_000,
    ]);
  return book(B_YES, {
    observedAt: T0 + ordinal * SECOND,
    ordinal,
    bids: side(510_000, -10_000),
    asks: side(520_000, 9_000),
  });
}

/** Those who left a load wait in the store's queue still: whoever is answered after them has them behind. */
async function answered(url: string, key: string): Promise<void> {
  for (;;) {
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
    await answer.arrayBuffer();
    if (answer.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

type Load = {
  readonly rate: number;
  /** Share of answers that were 503: the queue in front of the store was full. */
  readonly refused: number;
  readonly p50: number;
  readonly p99: number;
};

async function load(url: string, key: string, connections: number, seconds = SECONDS): Promise<Load> {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers: { Authorization: `Bearer ${key}` },
  });
  if (result.errors > 0) throw new Error(`${url}: ${result.errors} errors`);
  return {
    rate: result['2xx'] / result.duration,
    refused: result.non2xx / (result.non2xx + result['2xx']),
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

const say = (name: string, { rate, p50, p99, refused }: Load, more = ''): void =>
  console.log(
    `${name.padEnd(40)} ${rate.toFixed(0).padStart(7)}/s  p50 ${p50} ms  p99 ${p99} ms  ${refused > 0 ? `${(refused * 100).toFixed(0)}% refused with 503 ` : ''}${more}`,
  );

export async function run(): Promise<void> {
  const child = fork(import.meta.filename, ['serve'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const heard = async <T>(): Promise<T> => (await once(child, 'message'))[0] as T;
  const { api, bare, key, bytes, engine } = await heard<Ready>();
  const usage = async (): Promise<Usage> => {
    child.send('usage');
    return heard<Usage>();
  };
  /** Processor time of the server for one request, in microseconds: hardly moved by what else the machine does. */
  const measured = async (
    url: string,
    connections: number,
    seconds = SECONDS,
  ): Promise<Load & { readonly cpu: number }> => {
    const before = await usage();
    const result = await load(url, key, connections, seconds);
    const { cpu } = await usage();
    const spent = cpu.user + cpu.system - before.cpu.user - before.cpu.system;
    return { ...result, cpu: spent / (result.rate * seconds) };
  };
  try {
    const latest = `http://127.0.0.1:${api}/v3/venueb/${VENUE_B_MARKET}/orderbook/latest`;
    const plain = `http://127.0.0.1:${bare}/latest`;
    console.log(`latest book of ${LEVELS}+${LEVELS} levels, ${bytes} bytes; ${BOOKS} books in the table`);
    await load(plain, key, 16, 1);
    await load(latest, key, 16, 1);
    const before = await usage();
    for (const connections of [1, 16, 128]) {
      const theirs = await measured(plain, connections);
      const ours = await measured(latest, connections);
      say(`bare Express, ${connections} connections`, theirs, `${theirs.cpu.toFixed(0)} µs of CPU`);
      say(
        `latest, ${connections} connections`,
        ours,
        `${ours.cpu.toFixed(0)} µs of CPU; ratio ${(ours.rate / theirs.rate).toFixed(2)} by rate, ${(theirs.cpu / ours.cpu).toFixed(2)} by CPU (aim 0.6)`,
      );
      if (connections === 1)
        console.log(
          `  same read through chDB: ${engine.latestMs.toFixed(2)} ms; latest is ${(ours.rate / (1000 / engine.latestMs)).toFixed(0)} x (aim 10 x)`,
        );
    }
    for (const limit of process.env['LADDERLOG_BENCH_LATEST'] ? [] : [100, 1000]) {
      const url = `http://127.0.0.1:${api}/v3/venueb/${VENUE_B_MARKET}/snapshots?include_orderbook=true&limit=${limit}`;
      for (const connections of limit === 100 ? [1, 16, 128] : [1, 16]) {
        await answered(url, key);
        const pages = await measured(url, connections, Math.max(SECONDS, 5));
        const cpuMs = pages.cpu / 1_000;
        say(
          `page of ${limit}, ${connections} connections`,
          pages,
          `${cpuMs.toFixed(1)} ms of CPU${
            limit === 1000 && connections === 1
              ? `; chDB alone p50 ${engine.pageMs.toFixed(1)} ms and ${engine.pageCpuMs.toFixed(1)} ms of CPU for ${(engine.pageBytes / 1e6).toFixed(1)} MB: ${(pages.p50 / engine.pageMs).toFixed(2)} x by p50, ${(cpuMs / engine.pageCpuMs).toFixed(2)} x by CPU (aim 1.5 x)`
              : ''
          }`,
        );
      }
    }
    const after = await usage();
    console.log(
      `memory of the server: ${(before.rss / 1e6).toFixed(0)} MB before, ${(after.rss / 1e6).toFixed(0)} MB after`,
    );
  } finally {
    child.send('stop');
    await once(child, 'exit');
  }
}

if (process.argv[2] === 'serve') await serve();
