// One tag, one answer: whatever changes what a closed range says gives it another tag, or none.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LadderlogError } from '@ladderlog/core';
import type { Running, World } from './api-harness.ts';
import {
  A_UP,
  B_YES,
  DAY,
  HOUR,
  MINUTE,
  SECOND,
  ask,
  book,
  captureBeat,
  captureStarted,
  gap,
  market,
  openWorld,
  sample,
  sampleCapture,
} from './api-harness.ts';

const T0 = 1_794_700_800_000_000;
const at = (micros: number): string => new Date(micros / 1000).toISOString();
let world: World;
let api: Running;
let key: string;

const TICKER = 'KX-TAGS';
const OF = { ...B_YES, market: TICKER };
const OLD = { ...B_YES, market: 'KX-OLD' };
const SAMPLED = { ...A_UP, market: '77' };
const range = `start_time=${at(T0)}&end_time=${at(T0 + 10 * MINUTE)}`;
const page = `/v3/venueb/${TICKER}/snapshots?${range}`;

beforeAll(async () => {
  world = await openWorld(T0 + HOUR);
  key = await world.key('quant');
  await world.append([
    market('venueb', TICKER, T0),
    captureStarted(OF, T0),
    ...Array.from({ length: 5 }, (_, at) => book(OF, { observedAt: T0 + at * SECOND, ordinal: at })),
    captureBeat(OF, T0 + 9 * MINUTE + 50 * SECOND),
    captureStarted(OLD, T0 - 70 * DAY),
    ...Array.from({ length: 11 }, (_, day) => book(OLD, { observedAt: T0 - (65 - day) * DAY, ordinal: day })),
    captureBeat(OLD, T0 - 40 * DAY),
    market('venuea', SAMPLED.market, T0),
    sampleCapture(SAMPLED, 'CaptureStarted', T0),
    sample(SAMPLED, 'chance', T0 + SECOND, 500_000),
    sampleCapture(SAMPLED, 'CaptureBeat', T0 + 20 * MINUTE),
    captureStarted(SAMPLED, T0),
    book(SAMPLED, { observedAt: T0 + 31 * MINUTE, ordinal: 5 }),
  ]);
  // Whatever is kept is kept for good, unless its version says otherwise.
  api = await world.start({ validateResponses: false, memoMs: HOUR / 1_000 });
});
afterAll(() => world.close());

const get = (path: string, headers: Record<string, string> = {}, who = key) =>
  ask(api.url + path, who, headers);
/** The answer once it has a tag that is not this one. */
async function tagged(path: string, not: string | null = null) {
  let answer = await get(path);
  await expect
    .poll(async () => {
      answer = await get(path);
      return ![null, not].includes(answer.headers.get('etag'));
    })
    .toBe(true);
  return { etag: answer.headers.get('etag')!, body: answer.body };
}

test('a new tag is never put on old coverage', async () => {
  let { etag, body } = await tagged(page);
  for (const second of [10, 20, 30]) {
    const gaps = body.meta.coverage.gaps.length;
    await world.append(gap(OF, T0 + second * SECOND, T0 + (second + 5) * SECOND));
    ({ etag, body } = await tagged(page, etag));
    // Opened and closed may each have had a tag of its own.
    await expect.poll(async () => (await get(page)).headers.get('etag')).not.toBeNull();
    const settled = await get(page);
    expect(settled.body.meta.coverage.gaps).toHaveLength(gaps + 1);
    ({ etag, body } = { etag: settled.headers.get('etag')!, body: settled.body });
    expect((await get(page, { 'If-None-Match': etag })).status).toBe(304);
  }
});

test('none while evidence of the end of the range may still be on its way', async () => {
  const ending = T0 + 10 * MINUTE;
  const causes = (body: { meta: { coverage: { gaps: { cause: string; from: string }[] } } }) =>
    body.meta.coverage.gaps.filter(({ cause }) => cause === 'not_captured').map(({ from }) => from);
  world.now = ending + 10 * SECOND;
  const soon = await get(page);
  expect([soon.headers.get('etag'), causes(soon.body)]).toEqual([null, []]);
  world.now = ending + MINUTE;
  const later = await tagged(page);
  expect(causes(later.body)).toEqual([at(T0 + 9 * MINUTE + 50 * SECOND)]);
  world.now = T0 + HOUR;
  const muchLater = await tagged(page);
  expect(muchLater.etag).toBe(later.etag);
  expect(muchLater.body.meta.coverage).toEqual(later.body.meta.coverage);
});

test('none where the plan decides since when', async () => {
  const path = `/v3/venueb/${OLD.market}/snapshots?end_time=${at(T0 - 50 * DAY)}`;
  const counts: number[] = [];
  for (const days of [0, 2]) {
    world.now = T0 + HOUR + days * DAY;
    const answer = await get(path);
    counts.push(answer.body.pagination.count);
    expect(answer.headers.get('etag')).toBeNull();
  }
  expect(counts[0]).toBeGreaterThan(counts[1]!);
  world.now = T0 + HOUR;
  const desk = await world.key('desk');
  await expect.poll(async () => (await get(path, {}, desk)).headers.get('etag') ?? null).not.toBeNull();
});

test('a beat that covers more of the range changes it, though observations after the range are known', async () => {
  const path = `/v3/venuea-prediction/${SAMPLED.market}/timeseries?metric=chance&start_time=${at(T0)}&end_time=${at(T0 + 30 * MINUTE)}`;
  const before = await tagged(path);
  expect(before.body.meta.coverage.covered_ratio).toBeCloseTo(2 / 3, 6);
  await world.append([sampleCapture(SAMPLED, 'CaptureBeat', T0 + 35 * MINUTE)]);
  const after = await tagged(path, before.etag);
  expect(after.body.meta.coverage.covered_ratio).toBe(1);
});

describe('as HTTP has it', () => {
  test('weak, and compared so; whatever the encoding', async () => {
    const { etag } = await tagged(page);
    expect(etag).toMatch(/^W\/"/);
    for (const sent of [etag, etag.slice(2), `"other", ${etag}`, '*'])
      expect([sent, (await get(page, { 'If-None-Match': sent })).status]).toEqual([sent, 304]);
    expect((await get(page, { 'If-None-Match': '"other"' })).status).toBe(200);
  });
  test('an error carries none', async () => {
    await tagged(page);
    const broken = { ...world.store, queryRaw: () => Promise.reject(new LadderlogError('STORE_BUSY', 'no')) };
    const busy = await world.start({ store: broken, validateResponses: false });
    const { status, headers } = await ask(busy.url + page, key);
    expect([status, headers.get('etag')]).toEqual([503, null]);
    await busy.close();
  });
});
