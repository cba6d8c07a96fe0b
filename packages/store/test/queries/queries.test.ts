// The text of the queries: what is bound, what is chosen first, what never appears.

import { describe, expect, test } from 'vitest';
import type { Query } from '@ladderlog/store';
import {
  coverageRows,
  gapRows,
  gapsPage,
  lastSeenRows,
  latestRows,
  marketById,
  marketBySlug,
  marketRows,
  marketsPage,
  openGapRows,
  overview,
  samplesPage,
  sampledSnapshotsPage,
  snapshotsAt,
  snapshotsPage,
} from '@ladderlog/store';

const evil = `x'"\\; DROP TABLE gaps --`;
const selection = {
  generation: 7,
  venue: 'venueb',
  market: evil,
  outcomes: [evil, 'no'],
  identity: { eventId: evil, seriesId: evil, conditionId: evil, outcomes: [] },
  shape: 'arrays',
} as const;
const page = { ...selection, from: 10, to: 20, after: { observedAt: 12, offset: 3 }, limit: 101 };
const sampled = { ...page, after: { bucketAt: 10, outcome: evil }, interval: 5 };
const track = { generation: 7, venue: 'venueb', market: evil, dataset: 'books' } as const;

const queries: Record<string, Query> = {
  snapshotsPage: snapshotsPage(page),
  sampledSnapshotsPage: sampledSnapshotsPage(sampled),
  snapshotsAt: snapshotsAt({ ...selection, at: 15 }),
  latestRows: latestRows({ generation: 7, venue: 'venueb', since: 1 }),
  'latestRows of one market': latestRows({ generation: 7, venue: 'venueb', market: evil }),
  marketRows: marketRows({ generation: 7, since: 1 }),
  lastSeenRows: lastSeenRows({ generation: 7, venue: 'venueb', since: 1 }),
  'lastSeenRows of one market': lastSeenRows({ generation: 7, venue: 'venueb', market: evil }),
  openGapRows: openGapRows({ generation: 7 }),
  'openGapRows of one market': openGapRows({ generation: 7, venue: 'venueb', market: evil }),
  samplesPage: samplesPage({ ...page, metric: 'chance', outcome: evil }),
  marketsPage: marketsPage({
    generation: 7,
    venue: 'venueb',
    asset: evil,
    series: evil,
    event: evil,
    window: evil,
    status: 'open',
    from: 1,
    to: 2,
    after: { sortAt: 3, market: evil },
    limit: 5,
  }),
  marketById: marketById({ generation: 7, venue: 'venueb', market: evil }),
  marketBySlug: marketBySlug({ generation: 7, venue: 'venueb', slug: evil }),
  coverageRows: coverageRows(track),
  gapRows: gapRows(track),
  gapsPage: gapsPage({
    generation: 7,
    venue: 'venueb',
    market: evil,
    from: 1,
    to: 2,
    after: { fromAt: 1, gapId: evil },
    limit: 5,
  }),
  overview: overview({ generation: 7 }),
};

describe.each(Object.entries(queries))('%s', (_, { sql, params }) => {
  test('binds every value and no other', () => {
    const named = [...new Set([...sql.matchAll(/\{(\w+):[A-Z]/g)].map(([, name]) => name!))].sort();
    expect(named).toEqual(
      Object.keys(params)
        .filter((name) => named.includes(name))
        .sort(),
    );
    expect(sql).not.toContain('DROP');
    expect(sql).not.toMatch(/undefined|null\b|NaN|\[object/);
  });

  test('reads one generation', () => {
    const tables = [
      ...sql.matchAll(
        /FROM (book_snapshots|latest_books|metric_samples|markets|market_history|coverage|gaps|rejects)\b/g,
      ),
    ];
    const conditions = [...sql.matchAll(/generation = \{generation:UInt32\}/g)];
    expect(tables.length).toBeGreaterThan(0);
    expect(conditions.length).toBe(tables.length);
  });

  test('never fills', () => {
    expect(sql).not.toMatch(/WITH FILL|INTERPOLATE/i);
  });
});

test('rows are chosen from narrow columns, an outcome at a time, before ladders are read', () => {
  const { sql, params } = snapshotsPage(page);
  const [ladders, narrow] = sql.split(' IN (SELECT outcome, observed_at, offset FROM (');
  expect(ladders).toContain('bid_prices');
  expect(narrow).not.toContain('bid_prices');
  expect(narrow!.match(/LIMIT \{limit:UInt32\}/g)!.length).toBe(3);
  expect(params).toMatchObject({
    outcome_0: evil,
    outcome_1: 'no',
    after_at: 12,
    after_offset: 3,
    from: 12,
    to: 20,
  });
});

test('without ladders none are read', () => {
  expect(snapshotsPage({ ...page, shape: null }).sql).not.toContain('bid_prices');
});

test('a sampled page begins at the bucket of its cursor', () => {
  expect(sampledSnapshotsPage(sampled).params).toMatchObject({ from: 10, after_bucket: 2 });
  expect(sampledSnapshotsPage({ ...sampled, after: { bucketAt: 15, outcome: 'no' } }).params).toMatchObject({
    from: 15,
    after_bucket: 3,
    after_outcome: 'no',
  });
});

test('the overview reads no table of observations', () => {
  expect(overview({ generation: 7 }).sql).not.toMatch(/book_snapshots|metric_samples|market_history/);
});
