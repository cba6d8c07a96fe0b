// On a real log and the real engine: what the tables have at any cut, also where a range is half inserted, plus the tail of the
// log, is the state that the whole log gives.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Placed, TableName, VenueEvent } from '@ladderlog/core';
import { Markets, PROJECTIONS } from '@ladderlog/core';
import { openSqliteLog } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';
import { createRowEncoder, openChdbStore } from '@ladderlog/store';
import * as fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { T0 } from '../../../test/builders/events.ts';
import { histories } from '../../../test/builders/history.ts';
import { viewsOf } from '../../../test/builders/market-view.ts';
import { openLive } from '../src/index.ts';

const TABLES: readonly TableName[] = ['latest_books', 'markets', 'gaps', 'coverage'];
const YEARS = 3_650;

let folder: string;
let store: Store;
let generation = 1;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ladderlog-live-'));
  store = await openChdbStore({ path: join(folder, 'store') });
  await store.migrate();
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Each run has a generation of its own. */
async function insert(table: TableName, events: readonly Placed<VenueEvent>[]): Promise<void> {
  const projection = PROJECTIONS.find((one) => one.table === table)!;
  const encoder = createRowEncoder(table, generation);
  for (const { event, position } of events)
    if (projection.handles.includes(event.type))
      for (const row of projection.project(event, position)) encoder.add(row as never);
  if (encoder.rows > 0)
    await store.insertRowBinary(table, encoder.columns, encoder.take(), { token: `${table}-${generation}` });
}

async function hydrated(events: readonly VenueEvent[], cut: number, ahead: readonly number[]) {
  generation++;
  const log = await openSqliteLog({ path: join(folder, `log-${generation}.sqlite`), upkeepMs: 0, pollMs: 5 });
  try {
    const positions = events.length === 0 ? [] : await log.append(events);
    const placed = events.map((event, at) => ({ event, position: positions[at]! }));
    for (const [at, table] of TABLES.entries()) await insert(table, placed.slice(0, cut + ahead[at]!));
    const projected = (await log.topics())
      .filter(({ topic }) => topic === 'venueb')
      .flatMap(({ topic, partitions }) =>
        partitions.map(({ partition }) => ({
          topic,
          partition,
          offset: positions.slice(0, cut).filter((one) => one.partition === partition).length,
        })),
      );
    const live = await openLive({
      log,
      store: { ...store, generation: async () => generation },
      logger: pino({ level: 'silent' }),
      clock: () => T0,
      projected: async () => projected,
      days: YEARS,
      silentMs: YEARS * 86_400_000,
    });
    live.follow();
    await live.caughtUp;
    const views = viewsOf(live.markets.states());
    await live.close();
    const whole = new Markets();
    for (const { event, position } of placed) whole.apply(event, position);
    return { views, whole: viewsOf(whole.values()) };
  } finally {
    await log.close();
  }
}

test('the tables at any cut, and the tail, give the state of the whole log', async () => {
  const ahead = fc.array(fc.nat({ max: 20 }), { minLength: TABLES.length, maxLength: TABLES.length });
  await fc.assert(
    fc.asyncProperty(histories(60), fc.nat(), ahead, async (events, anywhere, more) => {
      const { views, whole } = await hydrated(events, anywhere % (events.length + 1), more);
      expect(views).toEqual(whole);
    }),
    { numRuns: 10, endOnFailure: true },
  );
});
