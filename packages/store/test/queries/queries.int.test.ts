import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BookObserved, LadderShape, MarketIdentity, Venue } from '@ladderlog/core';
import { MICRO, toRecord } from '@ladderlog/core';
import type { ChdbStore, Keyset, Query, SampledKeyset } from '@ladderlog/store';
import {
  latestRows,
  openChdbStore,
  sampledSnapshotsPage,
  snapshotsAt,
  snapshotsPage,
} from '@ladderlog/store';
import { book, identity, insertBooks, position, T0 } from '../book-rows.ts';

const path = mkdtempSync(join(tmpdir(), 'ladderlog-queries-'));
let store: ChdbStore;

beforeAll(async () => {
  store = await openChdbStore({ path });
  await store.migrate();
});
afterAll(async () => {
  await store.close();
  rmSync(path, { recursive: true, force: true });
});

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;

type Read = { outcome_id: string; timestamp: string; position: string };
const offsetOf = (record: Read): number => Number(record.position.split('/')[2]);
const lines = async (query: Query): Promise<string[]> =>
  Buffer.from(await store.queryRaw(query, 'JSONEachRow', { name: 'test' }))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');

describe('a record printed by the engine is the record of core, byte for byte', () => {
  const venueC: MarketIdentity = {
    eventId: '81',
    seriesId: null,
    conditionId: '0xabc',
    outcomes: [
      { id: '111', label: 'Up', index: 0, tokenId: '111', winner: null },
      { id: '222', label: 'Down "x" \\ /é', index: 1, tokenId: '222', winner: null },
    ],
  };
  const deep = Array.from({ length: 150 }, (_, at) => at);
  const cases: readonly [string, BookObserved, MarketIdentity | null][] = [
    ['a plain book of venue B', book({ market: 'plain' }), identity],
    [
      'more than 100 levels of venue B',
      book({
        market: 'deep',
        bidPrices: deep.map((at) => 500_000 - at * 1_000),
        bidSizes: deep.map((at) => (at + 1) * 10_000),
        askPrices: deep.map((at) => 500_100 + at * 1_000),
        askSizes: deep.map((at) => (at + 1) * 333_333),
        exceptions: [
          { side: 'bid', level: 3, price: '0.49700', size: '1.2e2' },
          { side: 'ask', level: 120, price: '.1', size: '5' },
        ],
        flags: ['inexact', 'off_tick'],
        hash: 'abc',
        sequence: 7,
        sourceTs: T0 - 1,
      }),
      identity,
    ],
    [
      'an empty book',
      book({ market: 'empty', bidPrices: [], bidSizes: [], askPrices: [], askSizes: [] }),
      identity,
    ],
    ['one side', book({ market: 'bids', askPrices: [], askSizes: [], observedAt: T0 + 1 }), null],
    [
      'venue C, crossed, microseconds, text that needs escaping',
      book({
        venue: 'venuec',
        market: '0xabc',
        outcome: '222',
        observedAt: T0 + 123_456,
        sourceTs: T0 + 120_000,
        bidPrices: [999_999, 1],
        bidSizes: [1, 9_007_199_254_740_991],
        askPrices: [2],
        askSizes: [123_456_789_012_345],
        askComplement: false,
        nativeIds: { asset_id: '222', "a'b": 'q"\\/\n\té' },
        provenance: 'imported',
        kind: 'delta',
      }),
      venueC,
    ],
    ['venue C without a catalogue', book({ venue: 'venuec', market: '0xdef', outcome: '9' }), null],
    [
      'venue A',
      book({ venue: 'venuea', market: '6815131', outcome: '0', askComplement: false }),
      {
        eventId: '4455880',
        seriesId: null,
        conditionId: '0x8f',
        outcomes: [{ id: '0', label: 'Up', index: 0, tokenId: '63015', winner: true }],
      },
    ],
  ];

  beforeAll(() =>
    insertBooks(
      store,
      cases.map(([, event]) => event),
      100,
    ),
  );

  describe.each(['arrays', 'levels', null] as const)('ladder shape %s', (shape: LadderShape) => {
    test.each(cases.map(([name, event, market], at) => ({ name, event, market, offset: 100 + at })))(
      '$name',
      async ({ event, market, offset }) => {
        const selection = {
          generation: 1,
          venue: event.venue,
          market: event.market,
          outcomes: [event.outcome],
          identity: market,
          shape,
        };
        const expected = [JSON.stringify(toRecord(event, position(event.venue, offset), market, shape))];
        const page = { ...selection, from: T0, to: T0 + SECOND, after: null, limit: 10 };
        expect(await lines(snapshotsPage(page))).toEqual(expected);
        expect(await lines(sampledSnapshotsPage({ ...page, interval: MINUTE }))).toEqual(expected);
        expect(await lines(snapshotsAt({ ...selection, at: T0 + SECOND }))).toEqual(expected);
      },
    );
  });

  test('any integer prints as JavaScript prints it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.maxSafeNat(), { minLength: 50, maxLength: 200 }), async (values) => {
        const [row] = await store.query<{ a: string }>({
          sql: 'SELECT toJSONString(arrayMap(x -> x / 1000000, {values:Array(Int64)})) AS a',
          params: { values },
        });
        expect(row!.a).toBe(JSON.stringify(values.map((value) => value / MICRO)));
      }),
      { numRuns: 30 },
    );
  });
});

describe('paging', () => {
  const market = 'paging';
  // Equal times on purpose, two outcomes, arrival out of order.
  const times = [5, 1, 1, 1, 3, 3, 9, 8, 7, 7, 7, 2].map((second) => T0 + second * SECOND);
  const events = times.map((observedAt, at) =>
    book({ venue: 'venuec', market, outcome: at % 3 === 0 ? 'down' : 'up', observedAt, ordinal: at }),
  );
  const selection = {
    generation: 1,
    venue: 'venuec' as Venue,
    market,
    identity: null,
    shape: null,
    from: T0,
    to: T0 + MINUTE,
  };

  beforeAll(() => insertBooks(store, events, 1_000));

  async function walk<K = Keyset>(
    limit: number,
    make: (after: K | null) => Query,
    keyOf: (event: BookObserved, offset: number) => K = ({ observedAt }, offset) =>
      ({ observedAt, offset }) as K,
  ): Promise<string[]> {
    const seen: string[] = [];
    let after: K | null = null;
    for (;;) {
      const page: Read[] = (await lines(make(after))).map((line) => JSON.parse(line) as Read);
      seen.push(...page.map((record) => record.position));
      if (page.length < limit) return seen;
      const offset = offsetOf(page.at(-1)!);
      after = keyOf(events[offset - 1_000]!, offset);
    }
  }

  const expected = (from: number, to: number, outcome: string | null): string[] =>
    events
      .map((event, at) => ({ event, offset: 1_000 + at }))
      .filter(
        ({ event }) =>
          event.observedAt >= from &&
          event.observedAt < to &&
          (outcome === null || event.outcome === outcome),
      )
      .sort((a, b) => a.event.observedAt - b.event.observedAt || a.offset - b.offset)
      .map(({ offset }) => `venuec/1/${offset}`);

  test.each([['up', 'down'], null, ['up'], ['down']])(
    'every page size gives the same union (%s)',
    async (...given) => {
      const outcomes = (given[0] === null ? null : given) as string[] | null;
      const wanted = expected(T0, T0 + MINUTE, outcomes?.length === 1 ? outcomes[0]! : null);
      for (let limit = 1; limit <= events.length + 1; limit += limit < 4 ? 1 : 3) {
        expect(await walk(limit, (after) => snapshotsPage({ ...selection, outcomes, after, limit }))).toEqual(
          wanted,
        );
      }
    },
  );

  test('the range is half-open', async () => {
    const [from, to] = [T0 + 1 * SECOND, T0 + 7 * SECOND];
    expect(
      await walk(3, (after) =>
        snapshotsPage({ ...selection, outcomes: ['up', 'down'], from, to, after, limit: 3 }),
      ),
    ).toEqual(expected(from, to, null));
  });

  test('sampling gives the last observation inside each bucket and never one from outside it', async () => {
    const interval = 4 * SECOND;
    const model = (from: number, to: number): string[] => {
      const last = new Map<string, { at: number; offset: number }>();
      events.forEach((event, index) => {
        if (event.observedAt < from || event.observedAt >= to) return;
        const key = `${event.outcome}|${Math.floor(event.observedAt / interval)}`;
        const offset = 1_000 + index;
        const known = last.get(key);
        if (!known || event.observedAt > known.at || (event.observedAt === known.at && offset > known.offset))
          last.set(key, { at: event.observedAt, offset });
      });
      // By bucket, then outcome.
      const order = ([key]: [string, unknown]): [number, string] => [
        Number(key.split('|')[1]),
        key.split('|')[0]!,
      ];
      return [...last]
        .sort((a, b) => order(a)[0] - order(b)[0] || (order(a)[1] < order(b)[1] ? -1 : 1))
        .map(([, { offset }]) => `venuec/1/${offset}`);
    };
    for (const [from, to] of [
      [T0, T0 + MINUTE],
      [T0 + 2 * SECOND, T0 + 8 * SECOND],
    ] as const) {
      for (let limit = 1; limit <= 7; limit++) {
        expect(
          await walk<SampledKeyset>(
            limit,
            (after) =>
              sampledSnapshotsPage({
                ...selection,
                outcomes: ['up', 'down'],
                from,
                to,
                after,
                limit,
                interval,
              }),
            ({ observedAt, outcome }) => ({
              bucketAt: Math.floor(observedAt / interval) * interval,
              outcome,
            }),
          ),
        ).toEqual(model(from, to));
      }
    }
  });

  test('the book at an instant is the last one at or before it', async () => {
    for (let second = 0; second <= 10; second++) {
      const at = T0 + second * SECOND;
      const got = (await lines(snapshotsAt({ ...selection, outcomes: ['down', 'up'], at }))).map(
        (line) => (JSON.parse(line) as Read).position,
      );
      const wanted = ['down', 'up'].flatMap((outcome) => expected(T0, at + 1, outcome).slice(-1));
      expect(got).toEqual(wanted);
      expect(
        (await lines(snapshotsAt({ ...selection, outcomes: null, at }))).map(
          (line) => (JSON.parse(line) as Read).position,
        ),
      ).toEqual(wanted);
    }
  });

  test('values never become SQL', async () => {
    const evil = "x') OR 1=1 --";
    const query = snapshotsPage({
      ...selection,
      market: evil,
      outcomes: [evil, '\\'],
      after: { observedAt: T0, offset: 3 },
      limit: 5,
    });
    expect(query.sql).not.toContain('OR 1=1');
    expect(await lines(query)).toEqual([]);
  });
});

describe('latest books', () => {
  test('the newest by observation time wins, then by offset; an older import appended later does not', async () => {
    const market = 'latest';
    await insertBooks(
      store,
      [book({ market, observedAt: T0 + 5 }), book({ market, observedAt: T0 + 9 })],
      2_000,
    );
    await insertBooks(store, [book({ market, observedAt: T0 + 9, ordinal: 1 })], 2_002);
    await insertBooks(store, [book({ market, observedAt: T0 + 1, provenance: 'imported' })], 2_003);
    const read = async () =>
      (await store.query<{ offset: number }>(latestRows({ generation: 1, venue: 'venueb', market }))).map(
        ({ offset }) => offset,
      );
    expect(await read()).toEqual([2_002]);
    await store.exec('OPTIMIZE TABLE latest_books FINAL');
    expect(await read()).toEqual([2_002]);
  });

  test('every latest row can be loaded as stored', async () => {
    const rows = await store.query<{ market: string; observed_at: number; source_ts: number | null }>(
      latestRows({ generation: 1, venue: 'venueb' }),
    );
    const row = rows.find(({ market }) => market === 'deep')!;
    expect(row).toMatchObject({
      observed_at: T0,
      source_ts: T0 - 1,
      outcome: 'yes',
      offset: 101,
    });
    expect(row).not.toHaveProperty('rank');
  });

  test('another generation is another world', async () => {
    const market = 'generations';
    await insertBooks(store, [book({ market, observedAt: T0 + 9 })], 3_000, 1);
    await insertBooks(store, [book({ market, observedAt: T0 + 1 })], 3_000, 2);
    const timesOf = async (generation: number) =>
      (await store.query<{ observed_at: number }>(latestRows({ generation, venue: 'venueb', market }))).map(
        (row) => row.observed_at,
      );
    expect([await timesOf(1), await timesOf(2), await timesOf(3)]).toEqual([[T0 + 9], [T0 + 1], []]);
  });

  test('a market that had a book since then comes with all its outcomes; a quiet one does not', async () => {
    const of = { venue: 'venuec' as Venue, observedAt: T0 + 1 };
    await insertBooks(
      store,
      [
        book({ ...of, market: 'half-quiet', outcome: 'up', observedAt: T0 + MINUTE }),
        book({ ...of, market: 'half-quiet', outcome: 'down' }),
        book({ ...of, market: 'all-quiet', outcome: 'up' }),
      ],
      4_000,
    );
    const rows = await store.query<{ market: string; outcome: string }>(
      latestRows({ generation: 1, venue: 'venuec', since: T0 + MINUTE }),
    );
    expect(rows.map((row) => [row.market, row.outcome])).toEqual([
      ['half-quiet', 'down'],
      ['half-quiet', 'up'],
    ]);
  });
});

test('a page, the book at an instant and the latest read as many rows of a long history as of a short one', async () => {
  // Blocks are read whole, so there is a floor; past it the length must not matter.
  const lengths = { short: 20_000, long: 100_000 };
  let offset = 100_000;
  for (const [market, length] of Object.entries(lengths)) {
    for (let begin = 0; begin < length; begin += 20_000) {
      const events = Array.from({ length: Math.min(20_000, length - begin) }, (_, at) =>
        book({
          market,
          observedAt: T0 + (begin + at) * 1_000,
          bidPrices: [1],
          bidSizes: [1],
          askPrices: [],
          askSizes: [],
        }),
      );
      await insertBooks(store, events, offset);
      offset += events.length;
    }
  }
  await store.exec('OPTIMIZE TABLE book_snapshots FINAL');
  const readRows = async (query: Query): Promise<number> => {
    const read = async (): Promise<number> =>
      (
        await store.query<{ value: number }>("SELECT value FROM system.events WHERE event = 'SelectedRows'")
      )[0]!.value;
    const before = await read();
    await store.queryRaw(query, 'Null', { settings: { max_threads: 1 } });
    return (await read()) - before;
  };
  const queriesOf = (market: string, length: number): Query[] => {
    const selection = {
      generation: 1,
      venue: 'venueb' as Venue,
      market,
      outcomes: ['yes'],
      identity: null,
      shape: 'arrays' as const,
    };
    const middle = T0 + (length / 2) * 1_000;
    const page = { ...selection, from: T0, to: T0 + MINUTE * 60, limit: 100 };
    return [
      snapshotsPage({ ...page, after: null }),
      snapshotsPage({ ...page, after: { observedAt: middle, offset: 0 } }),
      snapshotsAt({ ...selection, at: middle }),
      latestRows({ generation: 1, venue: 'venueb', market }),
      sampledSnapshotsPage({ ...page, after: null, limit: 5, interval: 100_000 }),
    ];
  };
  const longer = queriesOf('long', lengths.long);
  for (const [at, query] of queriesOf('short', lengths.short).entries()) {
    const [few, many] = [await readRows(query), await readRows(longer[at]!)];
    expect(few).toBeGreaterThan(0);
    expect(many).toBeLessThan(few + 10_000);
    expect(many).toBeLessThan(40_000);
  }
});
