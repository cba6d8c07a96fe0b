import { describe, expect, test } from 'vitest';

import { backoffMs } from '@ladderlog/core';
import { parseImportLine } from '../src/import/import-line.ts';
import { PollPlan } from '../src/recorder/poll-plan.ts';
import { AdaptiveRate } from '../src/venue/rate.ts';
import { inShard } from '../src/recorder/targets.ts';

describe('an adaptive rate', () => {
  test('spends its burst, then waits for the refill', () => {
    const rate = new AdaptiveRate({ perSecond: 10, burst: 2 }, 0);
    expect([rate.take(0), rate.take(0), rate.take(0)]).toEqual([0, 0, 100]);
    expect(rate.take(100)).toBe(0);
  });

  test('halves and holds on a refusal without Retry-After, and regains slowly', () => {
    const rate = new AdaptiveRate({ perSecond: 10, burst: 1 }, 0);
    rate.refused(0, 0, null);
    expect(rate.perSecond).toBe(5);
    expect(rate.take(0)).toBeGreaterThanOrEqual(500);
    for (let calls = 0; calls < 100; calls++) rate.accepted();
    expect(rate.perSecond).toBe(10);
  });

  test('refusals of calls that were under way count once', () => {
    const rate = new AdaptiveRate({ perSecond: 16, burst: 1 }, 0);
    for (let call = 0; call < 8; call++) rate.refused(0, 0, null);
    expect(rate.perSecond).toBe(8);
  });

  test('obeys a Retry-After', () => {
    const rate = new AdaptiveRate({ perSecond: 10, burst: 5 }, 0);
    rate.refused(0, 0.5, 30_000);
    expect(rate.take(1_000)).toBe(29_000);
  });
});

describe('a poll plan', () => {
  const limits = { minMs: 1_000, maxMs: 8_000, startMs: 2_000 };

  test('asks sooner for what changed and later for what did not', () => {
    const plan = new PollPlan(limits);
    plan.set(['calm', 'busy'], 0);
    plan.succeeded('calm', 0, false);
    plan.succeeded('busy', 0, true);
    expect(plan.next(1_000)).toEqual({ market: 'busy' });
    plan.succeeded('busy', 1_000, true);
    expect(plan.next(1_500)).toEqual({ waitMs: 500 });
  });

  test('names what the quota starved, and why', () => {
    const plan = new PollPlan(limits);
    plan.set(['a', 'b'], 0);
    plan.failed('b', 10, 'venue_error', 'HTTP 500');
    expect(plan.starved(5_000, 10_000)).toEqual([]);
    expect(plan.starved(10_001, 10_000)).toEqual([
      { market: 'a', cause: 'quota', detail: 'no call left for this market' },
      { market: 'b', cause: 'venue_error', detail: 'HTTP 500' },
    ]);
  });

  test('never asks twice at once', () => {
    const plan = new PollPlan(limits);
    plan.set(['a'], 0);
    plan.asked('a', 0);
    expect(plan.next(100)).toEqual({ waitMs: 1_000 });
  });
});

test('backoff grows to its bound, with jitter in its upper half', () => {
  const limits = { baseMs: 100, maxMs: 1_000 };
  expect([0, 1, 2, 10].map((attempt) => backoffMs(attempt, 0, limits))).toEqual([50, 100, 200, 500]);
  expect(backoffMs(10, 1, limits)).toBe(1_000);
});

test('every market belongs to exactly one shard', () => {
  for (const market of ['KXBTC15M-26NOV141915-15', '0xabc', '6815131', 'x']) {
    const owners = [0, 1, 2].filter((index) => inShard(market, { index, count: 3 }));
    expect(owners).toHaveLength(1);
  }
});

describe('an import line', () => {
  const base = { venue: 'venueb', channel: 'ws', received_at: '2026-05-15T09:17:05.873120Z', frame: '{}' };
  const parse = (fields: object) => parseImportLine(JSON.stringify({ ...base, ...fields }));

  test('keeps its receive time to the microsecond, ISO or epoch ms', () => {
    expect(parse({})).toMatchObject({ ok: true, line: { receivedAt: 1778836625873120 } });
    expect(parse({ received_at: 1778836625873 })).toMatchObject({
      ok: true,
      line: { receivedAt: 1778836625873000 },
    });
    expect(parse({ received_at: '1778836625873' })).toMatchObject({
      ok: true,
      line: { receivedAt: 1778836625873000 },
    });
  });

  test.each([
    ['a venue nobody knows', { venue: 'x' }, 'venue'],
    ['a time in nanoseconds', { received_at: 1776490453460692000 }, 'received_at'],
    ['a time that is none', { received_at: 'yesterday' }, 'received_at'],
    ['a frame that is no text', { frame: { a: 1 } }, 'frame'],
    ['a channel that is none', { channel: 'carrier pigeon' }, 'channel'],
    ['outbound that is no text', { outbound: 5 }, 'outbound'],
  ])('with %s is refused and says why', (_name, fields, word) => {
    const parsed = parse(fields);
    expect(parsed.ok).toBe(false);
    expect(!parsed.ok && parsed.reason).toContain(word);
  });

  test('takes what the recorder had sent: as this frame, or before it', () => {
    expect(parse({ outbound: true, frame: 'hello' })).toMatchObject({
      ok: true,
      line: { outbound: ['hello'], frame: null },
    });
    expect(parse({ outbound: 'hello' })).toMatchObject({
      ok: true,
      line: { outbound: ['hello'], frame: '{}' },
    });
    expect(parse({ outbound: [{ cmd: 'subscribe' }, 'x'] })).toMatchObject({
      ok: true,
      line: { outbound: ['{"cmd":"subscribe"}', 'x'] },
    });
  });

  test('that is not JSON is refused', () => {
    expect(parseImportLine('{')).toMatchObject({ ok: false, venue: null });
  });
});
