// What is said of now: the newest book, whether it is the present one, and that coverage says the same.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Running, World } from './api-harness.ts';
import {
  B_YES,
  C_OF_DOWN,
  C_OF_UP,
  DAY,
  HOUR,
  MINUTE,
  SECOND,
  ask,
  book,
  captureBeat,
  captureStarted,
  captureStopped,
  gap,
  market,
  openWorld,
} from './api-harness.ts';

const T0 = 1_794_700_800_000_000;
const NOW = T0 + 3 * HOUR;
const at = (micros: number): string => new Date(micros / 1000).toISOString();
let world: World;
let api: Running;
let key: string;

const b = (id: string) => ({ ...B_YES, market: id });
const DEAD = b('KX-DEAD');
const STOPPED = b('KX-STOPPED');
const ANCIENT = b('KX-ANCIENT');
const QUIET = b('KX-QUIET');
const idOf = (digit: string) => `0x${digit.repeat(64)}`;
const c = (digit: string) => [C_OF_UP, C_OF_DOWN].map((of) => ({ ...of, market: idOf(digit) }));
const [UP_3, DOWN_3] = c('3') as [typeof C_OF_UP, typeof C_OF_DOWN];
const [UP_4, DOWN_4] = c('4') as [typeof C_OF_UP, typeof C_OF_DOWN];

beforeAll(async () => {
  world = await openWorld(NOW);
  key = await world.key('quant');
  await world.append([
    market('venueb', DEAD.market, T0),
    captureStarted(DEAD, T0),
    book(DEAD, { observedAt: T0 + SECOND }),
    captureBeat(DEAD, T0 + 5 * MINUTE),
    market('venueb', STOPPED.market, T0),
    captureStarted(STOPPED, T0),
    book(STOPPED, { observedAt: T0 + SECOND }),
    captureStopped(STOPPED, NOW - 10 * SECOND),
    market('venueb', ANCIENT.market, T0 - 90 * DAY),
    captureStarted(ANCIENT, T0 - 90 * DAY),
    book(ANCIENT, { observedAt: T0 - 90 * DAY + SECOND }),
    captureStopped(ANCIENT, T0 - 90 * DAY + MINUTE),
    market('venueb', QUIET.market, T0),
    captureStarted(QUIET, T0),
    book(QUIET, { observedAt: T0 + SECOND }),
    captureBeat(QUIET, NOW - 30 * SECOND),
    // One outcome quiet for three days, in a market that goes on.
    market('venuec', idOf('3'), T0 - 5 * DAY, { closesAt: T0 + 30 * DAY }),
    ...[UP_3, DOWN_3].map((of) => captureStarted(of, T0 - 5 * DAY)),
    book(DOWN_3, { observedAt: T0 - 3 * DAY, ordinal: 1 }),
    book(UP_3, { observedAt: T0, ordinal: 2 }),
    ...[UP_3, DOWN_3].map((of) => captureBeat(of, NOW - 10 * SECOND)),
    // Nobody said when it closes, and its metadata has not changed for days.
    market('venuec', idOf('4'), T0 - 5 * DAY, { closesAt: null }),
    ...[UP_4, DOWN_4].map((of) => captureStarted(of, T0 - 5 * DAY)),
    ...[UP_4, DOWN_4].map((of) => book(of, { observedAt: T0, ordinal: 1 })),
    ...[UP_4, DOWN_4].map((of) => captureBeat(of, NOW - 10 * SECOND)),
  ]);
  api = await world.start();
});
afterAll(() => world.close());

const get = (path: string, base = api.url, who = key) => ask(base + path, who);
const latestB = async (id: string, base = api.url) =>
  (await get(`/v3/venueb/${id}/orderbook/latest`, base)).body;
const latestC = async (digit: string, base = api.url) =>
  (await get(`/v3/btc/markets/${idOf(digit)}/orderbook/latest`, base)).body;
const coverage = async (id: string, query: string) =>
  (await get(`/v3/coverage?venue=venueb&market_id=${id}&${query}`)).body.data;

describe('the last book of a capture that is no more', () => {
  test('a dead collector leaves no farewell: after a minute the book is not the present one', async () => {
    const { data, meta } = await latestB(DEAD.market);
    expect(data.timestamp).toBe(at(T0 + SECOND));
    expect(meta.gap).toEqual({
      from: at(T0 + 5 * MINUTE),
      to: null,
      cause: 'not_captured',
      scope: 'market',
      dataset: 'books',
      outcome_id: 'yes',
      last_before: at(T0 + SECOND),
      first_after: null,
    });
    // Coverage says the same, from the same moment, also of the last half minute alone.
    const said = await coverage(DEAD.market, `start_time=${at(T0)}&end_time=${at(NOW)}`);
    expect(said.coverage.gaps).toMatchObject([{ cause: 'not_captured', from: at(T0 + 5 * MINUTE) }]);
    const lately = await coverage(DEAD.market, `start_time=${at(NOW - 30 * SECOND)}`);
    expect(lately.coverage.gaps).toMatchObject([{ cause: 'not_captured', from: at(NOW - 30 * SECOND) }]);
  });
  test('a capture that ended on purpose said so, and at once', async () => {
    expect((await latestB(STOPPED.market)).meta.gap).toMatchObject({
      cause: 'not_captured',
      from: at(NOW - 10 * SECOND),
      to: null,
    });
    const said = await coverage(STOPPED.market, `start_time=${at(T0)}&end_time=${at(NOW)}`);
    expect(said.coverage.gaps).toMatchObject([{ cause: 'not_captured', from: at(NOW - 10 * SECOND) }]);
  });
  test('a quiet market that is watched has its present book', async () => {
    expect((await latestB(QUIET.market)).meta.gap).toBeNull();
  });
  test('signs are followed from the log: death, return and farewell', async () => {
    const of = b('KX-FOLLOWED');
    const from = async () => (await latestB(of.market)).meta?.gap?.from ?? null;
    await world.append([
      market('venueb', of.market, T0),
      captureStarted(of, T0),
      book(of, { observedAt: NOW - 5 * SECOND }),
    ]);
    await expect.poll(async () => (await latestB(of.market)).data?.timestamp).toBe(at(NOW - 5 * SECOND));
    expect(await from()).toBeNull();
    world.now = NOW + 2 * MINUTE;
    expect(await from()).toBe(at(NOW - 5 * SECOND));
    await world.append([captureBeat(of, NOW + 2 * MINUTE)]);
    await expect.poll(from).toBeNull();
    const [opened, closed] = gap(of, NOW + 2 * MINUTE, NOW + 5 * MINUTE);
    await world.append([opened!]);
    await expect.poll(async () => (await latestB(of.market)).meta.gap?.cause).toBe('disconnected');
    world.now = NOW + 5 * MINUTE + SECOND;
    await world.append([closed!]);
    await expect.poll(from).toBeNull();
    await world.append([captureStopped(of, world.now)]);
    await expect.poll(from).toBe(at(NOW + 5 * MINUTE + SECOND));
    world.now = NOW;
  });
  test('a recorder that does not answer covers nothing since it was last seen', async () => {
    const range = `start_time=${at(NOW - MINUTE)}&end_time=${at(NOW)}`;
    expect((await coverage(QUIET.market, range)).coverage.gaps).toEqual([]);
    api.live.unheard(NOW - SECOND);
    expect((await latestB(QUIET.market)).meta.gap).toMatchObject({
      cause: 'not_captured',
      from: at(NOW - 30 * SECOND),
      to: null,
    });
    expect((await coverage(QUIET.market, range)).coverage.gaps).toMatchObject([
      { cause: 'not_captured', from: at(NOW - 30 * SECOND), to: at(NOW) },
    ]);
    api.live.unheard(null);
    expect((await latestB(QUIET.market)).meta.gap).toBeNull();
  });
  test('a book that memory is ahead with does not cover a gap that the tables lack', async () => {
    const of = b('KX-AHEAD');
    await world.append([
      market('venueb', of.market, T0),
      captureStarted(of, T0),
      book(of, { observedAt: T0 + SECOND }),
    ]);
    const [opened, closed] = gap(of, T0 + 2 * SECOND, T0 + MINUTE);
    await world.append([opened!, closed!, book(of, { observedAt: T0 + MINUTE })], false);
    await expect.poll(async () => (await latestB(of.market)).data?.timestamp).toBe(at(T0 + MINUTE));
    const range = `start_time=${at(T0)}&end_time=${at(T0 + MINUTE)}`;
    expect((await coverage(of.market, range)).coverage.covered_ratio).toBeLessThan(0.1);
    await world.project();
    await expect
      .poll(async () => (await coverage(of.market, range)).coverage.gaps[0]?.cause)
      .toBe('disconnected');
    expect((await coverage(of.market, range)).coverage.covered_ratio).toBeLessThan(0.1);
  });
  test('coverage states the largest delay of a stamp, where beats tell it', async () => {
    const of = b('KX-DELAYED');
    await world.append([
      market('venueb', of.market, T0),
      captureStarted(of, T0),
      book(of, { observedAt: T0 + SECOND }),
      ...[1_500, 250_000, 2_000].map((stampDelay, minute) => ({
        ...captureBeat(of, T0 + (minute + 1) * MINUTE),
        stampDelay,
      })),
    ]);
    const said = await coverage(of.market, `start_time=${at(T0)}&end_time=${at(T0 + 3 * MINUTE)}`);
    expect(said.coverage.stamp_precision_ms).toBe(250);
    expect((await coverage(QUIET.market, '')).coverage).not.toHaveProperty('stamp_precision_ms');
  });
  test('slower beats, a longer limit', async () => {
    const patient = await world.start({ silentMs: (4 * HOUR) / 1_000 });
    expect((await latestB(DEAD.market, patient.url)).meta.gap).toBeNull();
    await patient.close();
  });
  test('a plan limits the times that may be asked for; latest asks for now, and says how old the book is', async () => {
    const explorer = await world.key('explorer');
    const path = `/v3/venueb/${ANCIENT.market}`;
    await expect.poll(async () => (await get('/v3/whoami', api.url, explorer)).status).toBe(200);
    const latest = await get(`${path}/orderbook/latest`, api.url, explorer);
    expect(latest.body.data.timestamp).toBe(at(T0 - 90 * DAY + SECOND));
    expect(latest.body.meta.gap).toMatchObject({
      cause: 'not_captured',
      from: at(T0 - 90 * DAY + MINUTE),
    });
    const then = `${path}/snapshots/at/${at(T0 - 90 * DAY + 2 * SECOND)}`;
    expect((await get(then, api.url, explorer)).body.error.code).toBe('HISTORY_LIMIT_EXCEEDED');
  });
});

describe('memory holds what the store holds', () => {
  const outcomes = (body: { data: { outcome_label: string; timestamp: string }[] }) =>
    body.data.map(({ outcome_label, timestamp }) => [outcome_label, timestamp]);

  test('a market comes with all its outcomes and its identity, however quiet one of them is', async () => {
    const both = [
      ['Down', at(T0 - 3 * DAY)],
      ['Up', at(T0)],
    ];
    expect(outcomes(await latestC('3'))).toEqual(both);
    const then = await get(`/v3/btc/markets/${idOf('3')}/snapshots/at/${at(T0 + MINUTE)}`);
    expect(outcomes(then.body)).toEqual(both);
    expect((await latestC('4')).data[0]).toMatchObject({ event_id: '51772', outcome_label: 'Down' });
  });
  test('a market that was dropped, or quiet for too long, is read from the store when it is asked for', async () => {
    for (const options of [{ maxMarkets: 1 }, { days: 0 }]) {
      const small = await world.start(options);
      await world.append([book(UP_3, { observedAt: T0 + MINUTE, ordinal: 3 })]);
      await expect
        .poll(async () => outcomes(await latestC('3', small.url)))
        .toEqual([
          ['Down', at(T0 - 3 * DAY)],
          ['Up', at(T0 + MINUTE)],
        ]);
      // The same records as from the memory of the other, once that has seen the new book too.
      const records = async (base: string) => JSON.stringify((await latestC('3', base)).data);
      await expect.poll(async () => (await records(small.url)) === (await records(api.url))).toBe(true);
      expect((await latestC('3', small.url)).meta.gap).toBeNull();
      expect((await latestB(DEAD.market, small.url)).meta.gap).toMatchObject({ from: at(T0 + 5 * MINUTE) });
      await small.close();
    }
  });
  test('an open gap is known of a market that was dropped, and its end too while the tables are behind', async () => {
    const small = await world.start({ maxMarkets: 1 });
    const of = b('KX-GAP');
    const [opened, closed] = gap(of, NOW - 5 * MINUTE, NOW - SECOND);
    await world.append([
      market('venueb', of.market, T0),
      captureStarted(of, T0),
      book(of, { observedAt: NOW - 5 * MINUTE }),
      opened!,
    ]);
    const cause = async () => (await latestB(of.market, small.url)).meta?.gap?.cause ?? null;
    await expect.poll(cause).toBe('disconnected');
    // Another market takes its place; then its gap ends, and the tables do not know yet.
    expect((await latestB(DEAD.market, small.url)).data).toBeTruthy();
    await world.append([book(of, { observedAt: NOW - SECOND, ordinal: 9 }), closed!], false);
    await expect.poll(cause).toBeNull();
    await world.project();
    expect(await cause()).toBeNull();
    await small.close();
  });
});

describe('coverage up to now', () => {
  test('asked about the time after the last evidence, it answers about that time', async () => {
    const { coverage: said, condition } = await coverage(DEAD.market, `start_time=${at(T0 + HOUR)}`);
    expect(condition).toBe('missing');
    expect(said).toMatchObject({
      from: at(T0 + HOUR),
      to: at(NOW),
      covered_ratio: 0,
      gaps: [{ cause: 'not_captured', from: at(T0 + HOUR), to: at(NOW) }],
    });
    // Without a start it is about the time that was watched.
    expect((await coverage(DEAD.market, '')).coverage).toMatchObject({
      from: at(T0),
      to: at(T0 + 5 * MINUTE),
      covered_ratio: 1,
    });
  });
  test('the instant after the newest beat of a running capture is not a gap, and not covered yet', async () => {
    const instant = (id: string, when: number) => get(`/v3/venueb/${id}/snapshots/at/${at(when)}`);
    const { status, body } = await instant(QUIET.market, NOW - SECOND);
    expect([status, body.data?.timestamp]).toEqual([200, at(T0 + SECOND)]);
    expect(body.meta.coverage).toMatchObject({ covered_ratio: 0, gaps: [] });
    for (const id of [DEAD.market, STOPPED.market]) {
      const refused = await instant(id, NOW - SECOND);
      expect([id, refused.status]).toEqual([id, 404]);
      expect(refused.body.error).toMatchObject({
        code: 'DATA_GAP',
        details: { gap: { cause: 'not_captured' } },
      });
    }
  });
});
