import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GapRow, CaptureBeat, LadderEvent, MarketObserved, MetricSampled } from '@ladderlog/core';
import { coverageOf, toIso, UNKNOWN_MARKET } from '@ladderlog/core';
import type { ChdbStore, MarketRecord, MarketsRequest, OverviewRow, LastSeenRow } from '@ladderlog/store';
import {
  coverageRows,
  gapRows,
  gapsPage,
  marketById,
  marketBySlug,
  marketRows,
  marketSeen,
  marketsPage,
  openChdbStore,
  overview,
  lastSeenRows,
  samplesPage,
} from '@ladderlog/store';
import { T0, book, insertEvents, sample as sampled } from '../book-rows.ts';

const path = mkdtempSync(join(tmpdir(), 'ladderlog-catalogue-'));
const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
let store: ChdbStore;

const envelope = {
  venue: 'venuea',
  market: 'm1',
  observedAt: T0,
  sourceTs: null,
  session: 's1',
  ordinal: 0,
  provenance: 'captured',
} as const;

const market = (fields: Partial<MarketObserved>): MarketObserved => ({
  ...envelope,
  type: 'MarketObserved',
  ...UNKNOWN_MARKET,
  asset: 'BTC',
  window: '5m',
  status: 'open',
  opensAt: T0,
  closesAt: T0 + 300 * SECOND,
  ...fields,
});

const sample = (fields: Partial<MetricSampled>): MetricSampled => sampled({ ...envelope, ...fields });

let next = 0;
async function project(events: readonly LadderEvent[]): Promise<void> {
  const first = next;
  next += events.length;
  await insertEvents(store, events, first);
}

beforeAll(async () => {
  store = await openChdbStore({ path });
  await store.migrate();
});
afterAll(async () => {
  await store.close();
  rmSync(path, { recursive: true, force: true });
});

describe('markets', () => {
  // Equal sort keys on purpose.
  const markets = Array.from({ length: 9 }, (_, at) =>
    market({
      market: `list-${at}`,
      asset: at % 2 === 0 ? 'BTC' : 'ETH',
      window: at % 3 === 0 ? '15m' : '5m',
      opensAt: T0 + Math.floor(at / 2) * SECOND,
      closesAt: T0 + (at + 100) * SECOND,
      seriesId: at < 4 ? 'S' : null,
      slug: `slug-${at}`,
    }),
  );
  const request: MarketsRequest = { generation: 1, venue: 'venuea', after: null, limit: 100 };
  const names = async (fields: Partial<MarketsRequest>) =>
    (await store.query<MarketRecord>(marketsPage({ ...request, ...fields }))).map((row) => row.market);

  beforeAll(() =>
    project([
      ...markets,
      market({
        market: 'list-0',
        observedAt: T0 + 5,
        status: 'resolved',
        winningOutcome: 'Up',
        volume: 12_500_000,
        opensAt: T0,
        closesAt: T0 + 100 * SECOND,
        seriesId: 'S',
        slug: 'slug-0',
        window: '15m',
        outcomes: [{ id: '0', label: 'Up', index: 0, tokenId: null, winner: true }],
      }),
      // Backfilled later but seen earlier: does not replace the newer one.
      market({ market: 'list-0', observedAt: T0 - 5, provenance: 'backfilled', status: 'upcoming' }),
    ]),
  );

  const ordered = ['list-8', 'list-7', 'list-6', 'list-5', 'list-4', 'list-3', 'list-2', 'list-1', 'list-0'];

  test('newest first, whatever the page size', async () => {
    for (const limit of [1, 2, 4, 9, 10]) {
      const seen: string[] = [];
      let after: MarketsRequest['after'] = null;
      for (;;) {
        const page: MarketRecord[] = await store.query<MarketRecord>(
          marketsPage({ ...request, after, limit }),
        );
        seen.push(...page.map((row) => row.market));
        if (page.length < limit) break;
        const last: MarketRecord = page.at(-1)!;
        after = { sortAt: last.sort_at, market: last.market };
      }
      expect(seen).toEqual(ordered);
    }
  });

  test('filters', async () => {
    expect(await names({ asset: 'ETH' })).toEqual(['list-7', 'list-5', 'list-3', 'list-1']);
    expect(await names({ window: '15m' })).toEqual(['list-6', 'list-3', 'list-0']);
    expect(await names({ status: 'resolved' })).toEqual(['list-0']);
    expect(await names({ series: 'S', asset: 'BTC' })).toEqual(['list-2', 'list-0']);
    expect(await names({ from: T0 + 107 * SECOND })).toEqual(['list-8', 'list-7']);
    expect(await names({ to: T0 + 1 * SECOND })).toEqual(['list-1', 'list-0']);
    expect(await names({ venue: 'venueb' })).toEqual([]);
  });

  test('by id and by slug: the newest observation, as stored', async () => {
    const [row] = await store.query<MarketRecord>(
      marketById({ generation: 1, venue: 'venuea', market: 'list-0' }),
    );
    expect(row).toMatchObject({
      status: 'resolved',
      observed_at: T0 + 5,
      opens_at: T0,
      sort_at: T0,
      source_ts: null,
      volume: 12_500_000,
      outcome_labels: ['Up'],
      outcome_winners: ['yes'],
      simulated: false,
    });
    expect(row).not.toHaveProperty('rank');
    const bySlug = await store.query<MarketRecord>(
      marketBySlug({ generation: 1, venue: 'venuea', slug: 'slug-3' }),
    );
    expect(bySlug.map((one) => one.market)).toEqual(['list-3']);
    expect((await store.query(marketRows({ generation: 1 }))).length).toBe(9);
  });

  test('what is known of a market', async () => {
    const seen = async (name: string) =>
      (await store.query(marketSeen({ generation: 1, venue: 'venuea', market: name })))[0];
    expect(await seen('list-1')).toEqual({ in_catalogue: 1, has_books: 0, was_watched: 0 });
    expect(await seen('nothing')).toEqual({ in_catalogue: 0, has_books: 0, was_watched: 0 });
  });
});

describe('samples', () => {
  beforeAll(() =>
    project([
      sample({ observedAt: T0 + 2, value: 530_000, text: '0.53' }),
      sample({ observedAt: T0 + 1, sourceTs: T0 }),
      sample({ observedAt: T0 + 2, metric: 'price' }),
      sample({ observedAt: T0 + 3, metric: 'last_trade', size: 2_500_000, takerSide: 'BUY', exact: false }),
      sample({ observedAt: T0 + 2, outcome: '1', value: 470_000 }),
    ]),
  );
  const page = (metric: 'chance' | 'price' | 'last_trade', outcome: string | null = null) =>
    store.query<{ value: number; timestamp: string; position: string }>(
      samplesPage({
        generation: 1,
        venue: 'venuea',
        market: 'm1',
        metric,
        outcome,
        identity: {
          eventId: 'topic-1',
          seriesId: null,
          conditionId: '0x1',
          outcomes: [{ id: '0', label: 'Up', index: 0, tokenId: '77', winner: null }],
        },
        from: T0,
        to: T0 + SECOND,
        after: null,
        limit: 10,
      }),
    );

  test('one metric a page, oldest first, never another', async () => {
    expect((await page('chance')).map((row) => row.value)).toEqual([0.52, 0.53, 0.47]);
    expect((await page('chance', '1')).map((row) => row.value)).toEqual([0.47]);
    expect((await page('price')).length).toBe(1);
  });

  test('a record holds identity, both clocks, and the venue’s own text', async () => {
    const [row] = await page('last_trade');
    expect(row).toEqual({
      venue: 'venuea',
      market_id: 'm1',
      topic_id: 'topic-1',
      condition_id: '0x1',
      outcome_id: '0',
      outcome_label: 'Up',
      token_id: '77',
      metric: 'last_trade',
      timestamp: toIso(T0 + 3),
      source_timestamp: null,
      received_timestamp: toIso(T0 + 3),
      value: 0.52,
      provenance: 'captured',
      position: expect.stringMatching(/^venuea\/0\/\d+$/) as string,
      native: {
        text: '0.52',
        exact: false,
        size: 2.5,
        taker_side: 'BUY',
        session: 's1',
        ordinal: 0,
        entry: 0,
      },
    });
  });
});

describe('coverage and gaps', () => {
  const track = { venue: 'venueb', market: 'covered', dataset: 'books' } as const;
  const base = { ...envelope, venue: 'venueb', market: 'covered', dataset: 'books', outcome: 'yes' } as const;
  const capture = (type: 'CaptureStarted' | 'CaptureBeat', second: number): LadderEvent => {
    const common = { ...base, observedAt: T0 + second * SECOND, collector: 'c' };
    // The largest delay of a connection is kept, whichever beat tells of it.
    return type === 'CaptureBeat'
      ? { ...common, type, stampDelay: 1_000 * (100 - second) }
      : { ...common, type };
  };
  const gap = { gapId: 'gap-1', cause: 'disconnected', scope: 'connection', from: T0 + 20 * SECOND } as const;

  test('beats collapse, and a gap is opened, then closed, as one row', async () => {
    const at = (second: number) => T0 + second * SECOND;
    await project([capture('CaptureStarted', 0), capture('CaptureBeat', 5), capture('CaptureBeat', 10)]);
    await project([
      capture('CaptureBeat', 20),
      {
        ...base,
        ...gap,
        type: 'GapOpened',
        observedAt: at(21),
        lastBefore: { session: 's1', ordinal: 4, observedAt: at(19) },
        late: [],
        detail: 'code 1006',
      },
    ]);
    const request = { generation: 1, ...track };
    const openGaps = async () =>
      (await store.query<GapRow>(gapRows(request))).filter(({ to_at }) => to_at === null);
    expect(await openGaps()).toMatchObject([
      { gap_id: 'gap-1', to_at: null, detail: 'code 1006', last_before_at: at(19) },
    ]);
    await project([
      {
        ...base,
        ...gap,
        type: 'GapClosed',
        observedAt: at(30),
        to: at(30),
        lastBefore: { session: 's1', ordinal: 4, observedAt: at(19) },
        firstAfter: { session: 's2', ordinal: 0, observedAt: at(30) },
        late: [],
      },
      { ...(capture('CaptureBeat', 40) as object), session: 's2' } as LadderEvent,
    ]);
    for (const optimized of [false, true]) {
      if (optimized)
        for (const table of ['coverage', 'gaps']) await store.exec(`OPTIMIZE TABLE ${table} FINAL`);
      const rows = await store.query<never>(coverageRows(request));
      expect(rows).toMatchObject([
        { kind: 'started', session: 's1', at: at(0) },
        { kind: 'beat', session: 's1', since: at(5), at: at(20), reason: '0000095000' },
        { kind: 'beat', session: 's2', since: at(40), at: at(40) },
      ]);
      const gaps = await store.query<GapRow>(gapRows(request));
      expect(gaps).toMatchObject([
        { gap_id: 'gap-1', from_at: at(20), to_at: at(30), detail: 'code 1006', first_after_session: 's2' },
      ]);
      expect(coverageOf(rows, gaps, { from: at(-10), to: at(50) })).toMatchObject({
        intervals: [
          { from: at(0), to: at(20) },
          { from: at(30), to: at(40) },
        ],
        covered_ratio: 0.5,
      });
    }
    expect(await openGaps()).toEqual([]);
    const listed = await store.query(
      gapsPage({ generation: 1, venue: 'venueb', from: at(25), to: at(26), after: null, limit: 5 }),
    );
    expect(listed.length).toBe(1);
    const past = { fromAt: at(20), gapId: 'gap-1' };
    expect(
      await store.query(gapsPage({ generation: 1, from: at(25), to: at(26), after: past, limit: 5 })),
    ).toEqual([]);
  });
});

test('when each book was last seen, and whether that was its end', async () => {
  const base = { ...envelope, venue: 'venuec', dataset: 'books', collector: 'c' } as const;
  const sign = (market: string, outcome: string, type: 'CaptureStarted' | 'CaptureBeat', second: number) =>
    ({
      ...base,
      market,
      outcome,
      type,
      observedAt: T0 + second * SECOND,
      stampDelay: null,
    }) as LadderEvent & CaptureBeat;
  await project([
    sign('signs', 'up', 'CaptureStarted', 0),
    sign('signs', 'up', 'CaptureBeat', 10),
    sign('signs', 'down', 'CaptureBeat', 10),
    { ...sign('signs', 'down', 'CaptureBeat', 10), type: 'CaptureStopped', reason: 'ended' },
    { ...sign('signs', 'up', 'CaptureBeat', 30), dataset: 'samples' },
    book({ venue: 'venuec', market: 'signs', outcome: 'up', observedAt: T0 + 20 * SECOND }),
    sign('signs-quiet', 'up', 'CaptureBeat', 30),
    book({ venue: 'venuec', market: 'signs-quiet', outcome: 'up', observedAt: T0 }),
  ]);
  const signs = async (request: { market?: string; since?: number }) =>
    (await store.query<LastSeenRow>(lastSeenRows({ generation: 1, venue: 'venuec', ...request }))).sort(
      (a, b) => (a.outcome < b.outcome ? -1 : 1),
    );
  const wanted = [
    { market: 'signs', outcome: 'down', newest_at: T0 + 10 * SECOND, ended: 1 },
    { market: 'signs', outcome: 'up', newest_at: T0 + 10 * SECOND, ended: 0 },
  ];
  expect(await signs({ market: 'signs' })).toEqual(wanted);
  // Of markets that had a book since then, all.
  expect(await signs({ since: T0 + 15 * SECOND })).toEqual(wanted);
  expect(await signs({ market: 'signs-quiet' })).toHaveLength(1);
});

test('an end that nobody told: what goes on is listed, what was seen ended is not', async () => {
  const open = { venue: 'venueb', opensAt: T0, closesAt: null, resolvedAt: null } as const;
  await project([
    market({ ...open, market: 'goes-on', status: 'open' }),
    market({ ...open, market: 'over', status: 'closed' }),
    market({ ...open, market: 'resolved', status: 'open', resolvedAt: T0 + SECOND }),
  ]);
  const names = async (from: number) =>
    (
      await store.query<MarketRecord>(
        marketsPage({ generation: 1, venue: 'venueb', from, after: null, limit: 100 }),
      )
    ).map((row) => row.market);
  expect(await names(T0)).toEqual(['resolved', 'over', 'goes-on']);
  expect(await names(T0 + MINUTE)).toEqual(['goes-on']);
});

test('the overview says since when each dataset is there', async () => {
  const watched = { ...envelope, venue: 'venuea', market: 'list-1', outcome: '0', collector: 'c' } as const;
  const year = 365 * 86_400 * SECOND;
  await project([
    { ...watched, type: 'CaptureStarted', dataset: 'books', observedAt: T0 + 50, provenance: 'imported' },
    {
      ...watched,
      type: 'CaptureBeat',
      dataset: 'books',
      observedAt: T0 + 100,
      session: 's2',
      stampDelay: null,
    },
    { ...watched, type: 'CaptureStarted', dataset: 'samples', observedAt: T0 + 70, outcome: null },
    // Learnt of today, about a year ago; and what is yet to begin.
    market({ market: 'backfilled', provenance: 'backfilled', opensAt: T0 - year, asset: 'BNB' }),
    market({ market: 'upcoming', status: 'upcoming', opensAt: T0 + year, asset: 'XRP' }),
  ]);
  const rows = await store.query<OverviewRow>(overview({ generation: 1 }));
  const of = (dataset: string, asset: string) =>
    rows.filter((row) => row.venue === 'venuea' && row.dataset === dataset && row.asset === asset);
  expect(of('books', 'ETH')).toEqual([
    {
      venue: 'venuea',
      asset: 'ETH',
      window: '5m',
      dataset: 'books',
      since: T0 + 50,
      until: T0 + 100,
      markets: 1,
      provenances: ['captured', 'imported'],
    },
  ]);
  expect(of('samples', 'ETH')).toMatchObject([{ since: T0 + 70, until: T0 + 70, markets: 1 }]);
  expect(of('catalogue', 'BNB')).toMatchObject([
    { since: T0 - year, until: T0, provenances: ['backfilled'] },
  ]);
  expect(of('catalogue', 'XRP')).toMatchObject([{ since: T0, until: T0 }]);
});
