// Every query of docs/sql.md runs through the read-only front and gives rows from data that fits it.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LadderEvent, MarketObserved } from '@ladderlog/core';
import { UNKNOWN_MARKET } from '@ladderlog/core';
import type { ChdbStore, SqlFront } from '@ladderlog/store';
import { openChdbStore, startSqlFront } from '@ladderlog/store';
import { T0, book, insertEvents, sample } from '../book-rows.ts';

const document = readFileSync(new URL('../../../../docs/sql.md', import.meta.url), 'utf8');
const queries = [...document.matchAll(/^### (.+)\n[^]*?```sql\n([^]*?)```/gm)].map(([, title, sql]) => ({
  title: title!,
  sql: sql!,
}));

const path = mkdtempSync(join(tmpdir(), 'ladderlog-sql-docs-'));
let store: ChdbStore;
let front: SqlFront;

const base = { sourceTs: null, session: 's', ordinal: 0, provenance: 'captured' } as const;
const resolved: MarketObserved = {
  ...base,
  type: 'MarketObserved',
  venue: 'venuec',
  market: '0x1',
  observedAt: T0,
  ...UNKNOWN_MARKET,
  conditionId: '0x1',
  status: 'resolved',
  outcomes: [{ id: '11', label: 'Up', index: 0, tokenId: '11', winner: true }],
  opensAt: T0,
  closesAt: T0 + 60_000_000,
  resolution: 'Up',
  winningOutcome: 'Up',
  simulated: true,
};

const events: LadderEvent[] = [
  book({ flags: ['crossed'] }),
  book({ observedAt: T0 + 70_000_000 }),
  book({ venue: 'venuea', market: 'm', outcome: '0' }),
  book({ venue: 'venuec', market: '0x1', outcome: '11' }),
  resolved,
  sample({ ...base, venue: 'venuea', market: 'm', observedAt: T0 + 5 }),
  {
    ...base,
    type: 'GapClosed',
    venue: 'venueb',
    market: 'KXBTC15M-26NOV150015-15',
    observedAt: T0 + 40_000_000,
    gapId: 'g',
    dataset: 'books',
    outcome: 'yes',
    cause: 'silence',
    scope: 'book',
    from: T0 + 20_000_000,
    to: T0 + 40_000_000,
    lastBefore: null,
    firstAfter: null,
    late: [],
  },
  {
    ...base,
    type: 'BookCompared',
    venue: 'venueb',
    market: 'KXBTC15M-26NOV150015-15',
    observedAt: T0 + 50_000_000,
    outcome: 'yes',
    method: 'rest',
    equal: false,
    levelsOurs: 4,
    levelsTheirs: 3,
    levelsDiffering: 1,
    sizeDrift: 2_500_000,
    detail: null,
  },
];

beforeAll(async () => {
  store = await openChdbStore({ path });
  await store.migrate();
  await insertEvents(store, events);
  front = await startSqlFront({ store, port: 0 });
});
afterAll(async () => {
  await front.close();
  await store.close();
  rmSync(path, { recursive: true, force: true });
});

const ask = async (sql: string): Promise<Record<string, unknown>[]> => {
  const answer = await fetch(`${front.url}/?default_format=JSON`, { method: 'POST', body: sql });
  const text = await answer.text();
  expect([answer.status, answer.status === 200 ? '' : text]).toEqual([200, '']);
  return (JSON.parse(text) as { data: Record<string, unknown>[] }).data;
};

test('there are eleven', () => {
  expect(queries.length).toBe(11);
});

test.each(queries)('$title', async ({ sql }) => {
  expect((await ask(sql)).length).toBeGreaterThan(0);
});

test('they say what they promise', async () => {
  const byNumber = (number: number) => ask(queries.find(({ title }) => title.startsWith(`${number}.`))!.sql);
  expect(await byNumber(2)).toMatchObject([{ spread: 0.02 }, { spread: 0.02 }]);
  expect(await byNumber(5)).toMatchObject([{ resting: 0.53 * 212.5 + 0.52 }, {}]);
  expect((await byNumber(6))[0]).toMatchObject({ taken: [3, 97], filled: 100 });
  expect(await byNumber(7)).toMatchObject([{ chance: 0.52, mid: 0.54 }]);
  expect(await byNumber(8)).toMatchObject([{ cause: 'silence', gaps: 1, hours: 0.006, still_open: 0 }]);
  expect(await byNumber(10)).toMatchObject([{ market: '0x1', winner: 'Up', seconds_left: 60, mid: 0.54 }]);
  expect(await byNumber(11)).toEqual([
    { venue: 'venueb', method: 'rest', compared: 1, same: 0, worst: 1, drift: 2.5 },
  ]);
});

test('every view of the page exists, and every view is on the page', async () => {
  const views = await ask(
    "SELECT name FROM system.tables WHERE database = 'ladderlog' AND engine = 'View' ORDER BY name",
  );
  const named = [...document.matchAll(/^\| `(v_\w+)` \|/gm)].map(([, name]) => name!).sort();
  expect(views.map(({ name }) => name)).toEqual(named);
});
