// What growth costs: the same work in a small world, in one with many times the observations of the same markets, and in one
// with as many times the markets. Each world has a process of its own: one chDB a process. Processor time, because the machines
// are shared; ratios against the small world, in one run. Default 100 times, LADDERLOG_FULL=1 a thousand.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { LadderEvent } from '@ladderlog/core';
import {
  GENEROUS,
  SECOND,
  SILENT,
  book,
  captureBeat,
  captureStarted,
  market,
  openWorld,
} from '../../packages/api/test/api-harness.ts';

const TIMES = process.env['LADDERLOG_FULL'] ? 1_000 : 100;
const MARKETS = 4;
/** Of one market; also the rows of a page, so that every world gives a page of the same size. */
const BOOKS = 500;
const LEVELS = 20;
const APPENDED = 10_000;
const PAGES = 40;
const LATEST = 2_000;
const T0 = 1_794_700_800_000_000;

type World = { readonly markets: number; readonly books: number };
type Costs = {
  /** Microseconds of processor time: log, projection and tables for one observation; one page; one latest book. */
  readonly append: number;
  readonly page: number;
  readonly latest: number;
  readonly bytesOfPage: number;
  readonly rss: number;
};

const idOf = (at: number) => ({ venue: 'venueb', market: `KXBTC15M-26NOV14-${at}`, outcome: 'yes' }) as const;

function observed(at: number, ordinal: number): LadderEvent {
  const side = (best: number, step: number): [number, number][] =>
    Array.from({ length: LEVELS }, (_, level) => [
      best + step * level,
      1_000_000 * (1 + ((ordinal * 3 + at + level * 7) % 500)),
    ]);
  return book(idOf(at), {
    observedAt: T0 + ordinal * SECOND + at,
    ordinal,
    bids: side(510_000, -10_000),
    asks: side(520_000, 10_000),
  });
}

const spent = async (count: number, work: () => Promise<void>): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
};

async function measure({ markets, books }: World): Promise<Costs> {
  const world = await openWorld(T0 + (books + APPENDED) * SECOND);
  const ids = Array.from({ length: markets }, (_, at) => at);
  const inBatches = async (events: Iterable<LadderEvent>, size: number): Promise<void> => {
    let batch: LadderEvent[] = [];
    for (const event of events) {
      batch.push(event);
      if (batch.length < size) continue;
      await world.append(batch);
      batch = [];
    }
    if (batch.length > 0) await world.append(batch);
  };
  try {
    await inBatches(
      ids.flatMap((at) => [market('venueb', idOf(at).market, T0), captureStarted(idOf(at), T0)]),
      10_000,
    );
    // In the order of time, as a recorder writes them.
    const history = function* (): Generator<LadderEvent> {
      for (let ordinal = 1; ordinal <= books; ordinal++) for (const at of ids) yield observed(at, ordinal);
    };
    await inBatches(history(), 20_000);
    const more = function* (): Generator<LadderEvent> {
      for (let n = 0; n < APPENDED; n++)
        yield observed((n * 7_919) % markets, books + 1 + Math.floor(n / markets));
    };
    // Parts of the history that still merge are not the cost of what comes after.
    await world.store.exec('OPTIMIZE TABLE book_snapshots', { deadlineMs: 600_000 });
    const append = await spent(APPENDED, () => inBatches(more(), 1_000));
    await inBatches(
      ids.map((at) => captureBeat(idOf(at), T0 + (books + APPENDED) * SECOND)),
      10_000,
    );
    const key = await world.key('desk');
    const { url, close } = await world.start({
      validateResponses: false,
      memoMs: 500,
      plans: GENEROUS,
      logger: SILENT,
    });
    let bytesOfPage = 0;
    // As many markets in every world, all over it: a market's first page costs more than its second, wherever it is.
    const ask = async (n: number, path: string): Promise<void> => {
      const at = (n % MARKETS) * (markets / MARKETS);
      const answer = await fetch(`${url}/v3/venueb/${idOf(at).market}/${path}`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      const { length } = await answer.text();
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
      if (path !== 'orderbook/latest') bytesOfPage = length;
    };
    const turns = async (count: number, path: string): Promise<void> => {
      for (let n = 0; n < count; n++) await ask(n, path);
    };
    const path = `snapshots?include_orderbook=true&limit=${BOOKS}`;
    await turns(MARKETS * 2, path);
    const page = await spent(PAGES, () => turns(PAGES, path));
    await turns(LATEST / 4, 'orderbook/latest');
    const latest = await spent(LATEST, () => turns(LATEST, 'orderbook/latest'));
    await close();
    return { append, page, latest, bytesOfPage, rss: process.memoryUsage().rss };
  } finally {
    await world.close();
  }
}

async function inProcess(world: World): Promise<Costs> {
  const child = fork(import.meta.filename, ['world', JSON.stringify(world)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`the world of ${world.markets} markets ended with ${String(code)}`);
  });
  const [costs] = (await Promise.race([once(child, 'message'), gone])) as [Costs];
  gone.catch(() => undefined);
  return costs;
}

export async function run(): Promise<void> {
  const worlds: readonly (World & { readonly name: string })[] = [
    { name: 'small', markets: MARKETS, books: BOOKS },
    { name: `${TIMES} × observations`, markets: MARKETS, books: BOOKS * TIMES },
    { name: `${TIMES} × markets`, markets: MARKETS * TIMES, books: BOOKS },
  ];
  let small: Costs | null = null;
  for (const world of worlds) {
    const costs = await inProcess(world);
    small ??= costs;
    const base = small;
    const part = (what: 'append' | 'page' | 'latest', of: string): string =>
      `${of} ${costs[what] < 1_000 ? `${costs[what].toFixed(0)} µs` : `${(costs[what] / 1_000).toFixed(1)} ms`} (${(costs[what] / base[what]).toFixed(2)} ×)`;
    console.log(
      `${world.name.padEnd(22)}${String(world.markets).padStart(6)} markets of ${String(world.books).padStart(7)} books: ${[
        part('append', 'observation'),
        part('page', `page of ${(costs.bytesOfPage / 1e6).toFixed(1)} MB`),
        part('latest', 'latest'),
      ].join(', ')}; ${(costs.rss / 1e6).toFixed(0)} MB`,
    );
  }
  console.log('aim: at most 1.2 ×');
}

if (process.argv[2] === 'world') {
  const costs = await measure(JSON.parse(process.argv[3]!) as World);
  process.send!(costs);
  process.disconnect();
}
