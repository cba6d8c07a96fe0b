// Past markets from the simulated venues: all of them, also through failures, or an error that says where to go on.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Venue } from '@ladderlog/core';
import { MICROS_PER_MS, adapterOf, defaultValues } from '@ladderlog/core';
import { openSqliteLog } from '@ladderlog/log';
import type { Simulators } from '@ladderlog/simulators';
import { startSimulators } from '@ladderlog/simulators';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';

import { NOON, QUICK, readAll } from '../../../test/harness/capture.ts';
import type { BackfillOptions, BackfillProgress, BackfillReport } from '../src/index.ts';
import { backfill, createPrimitives } from '../src/index.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).toReversed()) await close();
});

const MINUTE = 60_000;
/** Time stands still: what the venues list is the same on every machine. */
const clock = (): number => (NOON + MINUTE) * MICROS_PER_MS;
const OF: Record<Venue, readonly string[]> = {
  venuea: ['BTC', 'ETH', 'BNB'],
  venueb: ['KXBTC15M', 'KXETH15M'],
  venuec: ['BTC', 'ETH'],
};

async function open(venue: Venue) {
  const simulators = await startSimulators({
    seed: 7,
    clock,
    venues: [venue],
    history: 120,
    servers: { venuea: { quota: 1_000_000 }, venueb: { quota: 1_000 } },
  });
  cleanUp.push(() => simulators.close());
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-backfill-'));
  const log = await openSqliteLog({ path: join(folder, 'log.sqlite') });
  cleanUp.push(async () => {
    await log.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { venue, simulators, log };
}

function endpointsOf(venue: Venue, simulators: Simulators): BackfillOptions['endpoints'] {
  const { settings, collect } = adapterOf(venue);
  const values = { ...defaultValues(settings), ...simulators.settings(venue) };
  const plan = collect.plan(
    values,
    QUICK,
    createPrimitives(() => clock() / 1_000),
  );
  if ('missing' in plan) throw new Error(plan.missing.join());
  return Object.fromEntries(
    Object.entries(plan.endpoints).map(([name, endpoint]) => [
      name,
      { ...endpoint, perSecond: 1_000, burst: 1_000 },
    ]),
  );
}

const SINCE = NOON - 300 * MINUTE;
const UNTIL = NOON - 60 * MINUTE;

const run = (
  { venue, simulators, log }: Awaited<ReturnType<typeof open>>,
  options: Partial<BackfillOptions> = {},
): Promise<BackfillReport> =>
  backfill({
    log,
    adapter: adapterOf(venue),
    endpoints: endpointsOf(venue, simulators),
    of: OF[venue]!,
    windows: ['5m', '15m'],
    since: SINCE * MICROS_PER_MS,
    until: UNTIL * MICROS_PER_MS,
    logger: pino({ level: 'silent' }),
    signal: new AbortController().signal,
    retry: { attempts: 3, baseMs: 1, maxMs: 2 },
    ...options,
  });

/** Markets that closed in the range, as the simulated market knows them. */
const wanted = (venue: Venue, { process }: Simulators): string[] =>
  process
    .states(venue)
    .map(({ market }) => market)
    .filter(({ endMs, series: { asset, name } }) => {
      const named = OF[venue]!.includes(venue === 'venueb' ? name : asset);
      return named && endMs >= SINCE && endMs < UNTIL;
    })
    .map(({ id }) => id)
    .sort();

const backfilled = async ({ venue, log }: Awaited<ReturnType<typeof open>>): Promise<string[]> => {
  const events = await readAll(log, [venue]);
  const markets = events.filter(
    (event) =>
      event.type === 'MarketObserved' && event.provenance === 'backfilled' && event.outcomes.length > 0,
  );
  return [...new Set(markets.map(({ market }) => market))].sort();
};

test.each(['venuea', 'venueb', 'venuec'] as const)(
  '%s: every market of the range, and no other',
  async (venue) => {
    const it = await open(venue);
    const expected = wanted(venue, it.simulators);
    expect(expected.length).toBeGreaterThan(30);
    expect(await run(it)).toMatchObject({ failed: 0 });
    expect(await backfilled(it)).toEqual(expected);
    // Again: only where a list says less than the detail did is there something to say.
    expect((await run(it)).markets).toBeLessThan(expected.length / 5);
  },
);

test('an error of the venue that passes costs calls and no market', async () => {
  const it = await open('venuea');
  const endpoints = endpointsOf('venuea', it.simulators);
  // Before every answer stands one refusal.
  let calls = 0;
  const busy = createServer((request, response) => {
    if (calls++ % 2 === 0) response.writeHead(503).end('{}');
    else
      void fetch(`${new URL(endpoints['rest']!.baseUrl).origin}${request.url}`, {
        headers: { 'x-mbx-apikey': String(request.headers['x-mbx-apikey']) },
      }).then(async (answer) => response.writeHead(answer.status).end(await answer.text()));
  });
  cleanUp.push(() => busy.close());
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  const { pathname } = new URL(endpoints['rest']!.baseUrl);
  const baseUrl = `http://127.0.0.1:${(busy.address() as AddressInfo).port}${pathname}`;
  const report = await run(it, { endpoints: { rest: { ...endpoints['rest']!, baseUrl } } });
  expect(report.failed).toBe(report.calls / 2);
  expect(await backfilled(it)).toEqual(wanted('venuea', it.simulators));
});

test.each(['http_500', 'http_429'] as const)(
  'a venue that goes on failing (%s) ends the run with an error, and the next goes on from there',
  async (kind) => {
    const it = await open('venueb');
    const progress: BackfillProgress[] = [];
    const failed = run(it, {
      onProgress: (made) => {
        progress.push(made);
        it.simulators.inject({ venue: 'venueb', kind, duration: 3_600 });
      },
    });
    await expect(failed).rejects.toMatchObject({ code: 'VENUE_UNREACHABLE', retryable: true });
    expect(progress).toHaveLength(1);
    const again = { ...(await open('venueb')), log: it.log };
    await run(again, { resume: progress.at(-1)!.resume });
    expect(await backfilled(again)).toEqual(wanted('venueb', again.simulators));
  },
);
