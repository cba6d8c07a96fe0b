import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sourceLevels, formatMicro } from '@ladderlog/core';
import type { Running, World } from '../../api/test/api-harness.ts';
import {
  A_UP,
  B_YES,
  C_OF_DOWN,
  C_OF_UP,
  C_UP,
  SECOND,
  VENUE_A_MARKET,
  VENUE_B_MARKET,
  VENUE_C_MARKET,
  book,
  captureBeat,
  captureStarted,
  gap,
  market,
  openWorld,
  sample,
} from '../../api/test/api-harness.ts';
import type { LadderlogClient } from '../src/index.ts';
import {
  LadderlogApiError,
  LadderlogConnectionError,
  LadderlogGapError,
  createClient,
  isApiError,
  sourceText,
} from '../src/index.ts';

const run = promisify(execFile);
const T0 = 1_794_700_800_000_000;
let world: World;
let api: Running;
let key: string;
let client: LadderlogClient;
const warnings: string[] = [];

const books = Array.from({ length: 25 }, (_, at) =>
  book(B_YES, {
    observedAt: T0 + (at < 5 ? at : at + 15) * SECOND,
    ordinal: at,
    bids: [
      [510_000 + at, 42_500_000],
      [20_000, 1_000_001],
    ],
  }),
);

beforeAll(async () => {
  world = await openWorld(T0 + 120 * SECOND);
  key = await world.key('quant');
  await world.append([
    market('venuea', VENUE_A_MARKET, T0),
    market('venueb', VENUE_B_MARKET, T0),
    market('venuec', VENUE_C_MARKET, T0),
    ...[A_UP, B_YES, C_OF_UP, C_OF_DOWN].map((of) => captureStarted(of, T0 - SECOND)),
    book(A_UP, { observedAt: T0 }),
    sample(A_UP, 'chance', T0, 520_000),
    book(C_OF_UP, { observedAt: T0 }),
    book(C_OF_DOWN, { observedAt: T0 }),
    ...books,
    ...gap(B_YES, T0 + 4 * SECOND, T0 + 20 * SECOND),
    ...[A_UP, B_YES, C_OF_UP, C_OF_DOWN].map((of) => captureBeat(of, T0 + 60 * SECOND)),
  ]);
  api = await world.start();
  client = createClient({ baseUrl: api.url, apiKey: key, warn: (message) => warnings.push(message) });
});
afterAll(() => world.close());

describe('lists', () => {
  test('fetch page after page and give every record once, in order', async () => {
    const all = await client.venueB.snapshots(VENUE_B_MARKET, { limit: 4, onGap: 'ignore' }).toArray();
    expect(all.map(({ native }) => native.ordinal)).toEqual(books.map(({ ordinal }) => ordinal));
    let pages = 0;
    for await (const page of client.venueB.snapshots(VENUE_B_MARKET, { limit: 4, onGap: 'ignore' }).pages()) {
      pages++;
      expect(page.data.length).toBeLessThanOrEqual(4);
    }
    expect(pages).toBe(7);
  });
  test('surface gaps: warned by default, thrown before the first record, handed over, or ignored', async () => {
    warnings.length = 0;
    await client.venueB.snapshots(VENUE_B_MARKET, { end: (T0 + 60 * SECOND) / 1000 }).toArray();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('disconnected');
    const strict = client.venueB.snapshots(VENUE_B_MARKET, {
      end: (T0 + 60 * SECOND) / 1000,
      onGap: 'throw',
    });
    await expect(strict.toArray()).rejects.toBeInstanceOf(LadderlogGapError);
    const seen: string[] = [];
    const own = {
      onGap: (gaps: readonly { cause: string }[]) => seen.push(...gaps.map(({ cause }) => cause)),
    };
    await client.venueB.snapshots(VENUE_B_MARKET, { end: (T0 + 60 * SECOND) / 1000, ...own }).toArray();
    expect(seen).toEqual(['disconnected']);
  });
  test('surface a gap that becomes known while the pages are read, and each gap once', async () => {
    const of = { ...A_UP, market: '4107232' };
    const from = T0 + 4 * SECOND;
    await world.append([
      captureStarted(of, T0),
      ...Array.from({ length: 4 }, (_, at) => book(of, { observedAt: T0 + at * SECOND, ordinal: at })),
      captureBeat(of, from),
    ]);
    const range = { start: T0 / 1000, end: (T0 + 60 * SECOND) / 1000 };
    const causes = async () =>
      (await client.coverage({ venue: 'venuea', market: of.market, ...range })).coverage.gaps.map(
        ({ cause }) => cause,
      );
    const seen: string[][] = [];
    const list = client.venueA.snapshots(of.market, {
      ...range,
      limit: 1,
      onGap: (gaps) => void seen.push(gaps.map(({ cause }) => cause)),
    });
    let pages = 0;
    for await (const _ of list.pages()) {
      if (++pages > 1) continue;
      await world.append(gap(of, from, null));
      await expect.poll(causes).toEqual(['disconnected']);
    }
    // First the time after the last beat, then why; not again on the pages that follow.
    expect([pages, seen.length, seen[1]]).toEqual([4, 2, ['disconnected']]);
  });
  test('say when there are more gaps than an answer holds', async () => {
    const of = { ...A_UP, market: '4107233' };
    await world.append([
      captureStarted(of, T0),
      ...Array.from({ length: 1_001 }, (_, at) =>
        gap(of, T0 + (2 * at + 1) * 10_000, T0 + (2 * at + 2) * 10_000),
      ).flat(),
      captureBeat(of, T0 + 60 * SECOND),
    ]);
    const list = client.venueA.snapshots(of.market, { end: (T0 + 60 * SECOND) / 1000, onGap: 'throw' });
    const error = await list.toArray().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LadderlogGapError);
    expect(error).toMatchObject({ more: true, message: expect.stringContaining('more than 1000 gap(s)') });
  });
});

describe('one book', () => {
  test('tells of the gap it lies in, as a list does', async () => {
    const of = { ...A_UP, market: '4107234' };
    await world.append([captureStarted(of, T0), book(of, { observedAt: T0 }), ...gap(of, T0 + SECOND, null)]);
    const gapNow = () =>
      client.venueA.latest(of.market, { onGap: 'throw' }).catch((thrown: unknown) => thrown);
    await expect.poll(gapNow).toBeInstanceOf(LadderlogGapError);
    warnings.length = 0;
    expect((await client.venueA.latest(of.market)).timestamp).toBe(new Date(T0 / 1000).toISOString());
    expect(warnings).toEqual([expect.stringContaining('disconnected')]);
    await client.venueA.latest(of.market, { onGap: 'ignore' });
    expect(warnings).toHaveLength(1);
  });
  test('of two outcomes tells of the one that was not recorded then', async () => {
    await world.append(gap(C_OF_DOWN, T0 + 30 * SECOND, T0 + 40 * SECOND));
    const at = (T0 + 35 * SECOND) / 1000;
    const btc = client.venueC('btc');
    const both = () =>
      btc.snapshotAt(VENUE_C_MARKET, at, { onGap: 'throw' }).catch((thrown: unknown) => thrown);
    await expect.poll(both).toBeInstanceOf(LadderlogGapError);
    expect(await btc.snapshotAt(VENUE_C_MARKET, at, { onGap: 'ignore' })).toHaveLength(1);
    expect(await btc.snapshotAt(VENUE_C_MARKET, at, { onGap: 'throw', outcome: C_UP })).toHaveLength(1);
  });
});

describe('every route', () => {
  test('answers through the client', async () => {
    expect((await client.health()).status).toBe('ok');
    expect((await client.overview()).length).toBeGreaterThan(0);
    expect((await client.whoami()).plan).toBe('quant');
    expect((await client.coverage({ venue: 'venueb', market: VENUE_B_MARKET })).condition).toBe('degraded');
    expect(await client.gaps({ venue: 'venueb' }).toArray()).toHaveLength(1);
    expect((await client.venueA.markets({ coin: 'BTC', window: '5m' }).toArray())[0]?.topic_id).toBe(
      '990017',
    );
    const venueA = await client.venueA.market(VENUE_A_MARKET);
    expect((await client.venueA.marketBySlug(venueA.slug!)).market_id).toBe(VENUE_A_MARKET);
    expect((await client.venueA.latest(VENUE_A_MARKET)).best_bid).toBe(0.51);
    expect((await client.venueA.snapshotAt(VENUE_A_MARKET, new Date(T0 / 1000 + 1000))).best_ask).toBe(0.53);
    expect(
      await client.venueA.samples(VENUE_A_MARKET, { metric: 'chance', onGap: 'ignore' }).toArray(),
    ).toHaveLength(1);
    expect(await client.venueA.trades(VENUE_A_MARKET).toArray()).toEqual([]);
    expect((await client.venueB.market(VENUE_B_MARKET)).market_ticker).toBe(VENUE_B_MARKET);
    expect((await client.venueB.latest(VENUE_B_MARKET)).native.ordinal).toBe(24);
    expect((await client.venueB.markets({ series: 'KXBTC15M' }).toArray()).length).toBe(1);
    const btc = client.venueC('btc');
    expect((await btc.markets().toArray())[0]?.market_id).toBe(VENUE_C_MARKET);
    expect(await btc.latest(VENUE_C_MARKET, { ladder: 'levels' })).toHaveLength(2);
    expect(await btc.snapshots(VENUE_C_MARKET, { interval: '1m', onGap: 'ignore' }).toArray()).toHaveLength(
      2,
    );
    expect(await btc.snapshotAt(VENUE_C_MARKET, (T0 + SECOND) / 1000)).toHaveLength(2);
  });
  test('sourceText reverses normalization', async () => {
    const record = (
      await client.venueB
        .snapshots(VENUE_B_MARKET, { includeOrderbook: true, limit: 1, onGap: 'ignore' })
        .toArray()
    )[3]!;
    const event = books[3]!;
    for (const format of ['4', '2', 'min', '.min', '.3', '0', 'cents'] as const) {
      const native = { ...record.native, price_format: format, size_format: format };
      const written = { ...event, priceFormat: format, sizeFormat: format };
      for (const side of ['bid', 'ask'] as const)
        expect(sourceText({ ...record, native }, side)).toEqual(sourceLevels(written, side, formatMicro));
    }
  });
});

describe('errors', () => {
  test('carry code, details and the request id', async () => {
    const error = await client.venueB.market('NOBODY').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LadderlogApiError);
    expect(isApiError(error, 'MARKET_NOT_FOUND') && error.requestId).toBeTruthy();
    const gapped = await client.venueB
      .snapshotAt(VENUE_B_MARKET, (T0 + 10 * SECOND) / 1000)
      .catch((thrown: unknown) => thrown);
    expect(isApiError(gapped, 'DATA_GAP') && gapped.details['gap']).toMatchObject({ cause: 'disconnected' });
  });
  test('429 and 503 are tried again after Retry-After, 4xx are not, and a lost server is a connection error', async () => {
    const answers = [429, 503, 200];
    let calls = 0;
    const server = createServer((_request, response) => {
      const status = answers[calls++] ?? 404;
      response.statusCode = status;
      if (status !== 200) response.setHeader('Retry-After', '1');
      response.setHeader('Content-Type', 'application/json');
      response.end(
        JSON.stringify(
          status === 200
            ? { data: { status: 'ok' } }
            : { error: { code: 'RATE_LIMITED', message: '', details: {} } },
        ),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const began = performance.now();
    expect((await createClient({ baseUrl }).health()).status).toBe('ok');
    expect(performance.now() - began).toBeGreaterThan(1_900);
    await expect(createClient({ baseUrl }).health()).rejects.toMatchObject({ status: 404 });
    expect(calls).toBe(4);
    await new Promise((resolve) => server.close(resolve));
    await expect(createClient({ baseUrl, maxRetries: 0 }).health()).rejects.toBeInstanceOf(
      LadderlogConnectionError,
    );
    const stop = new AbortController();
    const waiting = createClient({ baseUrl, maxRetries: 50, signal: stop.signal }).health();
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});

test('the packed tarball installs elsewhere and works as plain JavaScript', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-client-'));
  const home = new URL('..', import.meta.url).pathname;
  try {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: home });
    const packed = JSON.parse(stdout.slice(stdout.indexOf('['))) as {
      filename: string;
      files: { path: string }[];
    }[];
    expect(packed[0]!.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'README.md']),
    );
    expect(packed[0]!.files.some(({ path }) => path.startsWith('src/'))).toBe(false);
    writeFileSync(join(folder, 'package.json'), '{"name":"user","private":true,"type":"module"}');
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, packed[0]!.filename)], {
      cwd: folder,
    });
    writeFileSync(
      join(folder, 'use.js'),
      `import { createClient } from '@ladderlog/client';
const client = createClient({ baseUrl: process.argv[2], apiKey: process.argv[3], onGap: 'ignore' });
let count = 0;
for await (const record of client.venueB.snapshots(process.argv[4], { limit: 10 })) count += record.native ? 1 : 0;
console.log(count);
`,
    );
    const used = await run(process.execPath, [join(folder, 'use.js'), api.url, key, VENUE_B_MARKET], {
      cwd: folder,
    });
    expect(used.stdout.trim()).toBe(String(books.length));
    writeFileSync(
      join(folder, 'use.ts'),
      `import { createClient } from '@ladderlog/client';
const client = createClient({ baseUrl: '' });
const bid: Promise<number | null> = client.venueA.latest('1').then((book) => book.best_bid);
// @ts-expect-error a metric that does not exist
client.venueA.samples('1', { metric: 'volume' });
export { bid };
`,
    );
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          noEmit: true,
          strict: true,
          module: 'nodenext',
          target: 'es2022',
          lib: ['es2023', 'dom'],
          types: [],
        },
        files: ['use.ts'],
      }),
    );
    const checked = await run(join(home, 'node_modules/.bin/tsc'), [], { cwd: folder }).catch(
      (error: unknown) => error,
    );
    expect(checked).toMatchObject({ stdout: '' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(join(home, 'dist'), { recursive: true, force: true });
  }
});
