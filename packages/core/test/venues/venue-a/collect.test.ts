import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../src/capture/collect.ts';
import { MICROS_PER_SECOND } from '../../../src/kernel/time.ts';
import { venueA } from '../../../src/venues/venue-a/index.ts';
import { AT } from '../frames.ts';
import { answered, ask, marketFinding, planOf, walked } from '../plans.ts';

const KEY = { apiKey: 'key', apiSecret: 'secret' };
const ROUND = 300 * MICROS_PER_SECOND;

/** A list of rounds of five minutes, next to end first: the one that ends at AT has index `ended`. */
const listOf =
  (count: number, ended: number, bare: ReadonlySet<number> = new Set()) =>
  (path: string): Answer => {
    const detail = /marketTopicId=(\d+)/.exec(path)?.[1];
    const offset = Number(/offset=(\d+)/.exec(path)?.[1] ?? detail);
    const findings = Array.from(
      { length: Math.min(detail ? 1 : 100, Math.max(0, count - offset)) },
      (_, at) => {
        const index = offset + at;
        const closesAt = AT + (index - ended) * ROUND;
        const isBare = bare.has(index) && !detail;
        const outcomes = isBare ? [] : [{ id: '0', label: 'Up', index: 0, tokenId: '1', winner: null }];
        return marketFinding(String(index), {
          eventId: String(index),
          opensAt: closesAt - ROUND,
          closesAt,
          outcomes,
        });
      },
    );
    return answered(findings);
  };

const offsets = (paths: readonly string[]): number[] =>
  paths.flatMap((path) => [...path.matchAll(/offset=(\d+)/g)].map(([, offset]) => Number(offset)));

describe('discovery of venue A', () => {
  it('reads one page where the live rounds are on it', () => {
    expect(offsets(ask(planOf(venueA, KEY).discover(AT), listOf(30, 3)))).toEqual([0]);
  });

  it.each([
    [1_000, 640],
    [1_000, 998],
    [130, 99],
    [5_000, 1_234],
  ])(
    'of %i rounds, %i of them ended: finds the live ones, and begins there the next time',
    (count, ended) => {
      const plan = planOf(venueA, KEY);
      const list = listOf(count, ended);
      const seen = (paths: readonly string[]): boolean =>
        offsets(paths).some((offset) => offset <= ended + 1 && ended + 1 < offset + 100);
      const first = ask(plan.discover(AT), list);
      const second = ask(plan.discover(AT), list);
      expect(first.length).toBeLessThanOrEqual(8);
      expect(seen([...first, ...second])).toBe(true);
      const third = ask(plan.discover(AT), list);
      expect(third).toHaveLength(1);
      expect(seen(third)).toBe(true);
    },
  );

  it('goes back when ended rounds have left the list', () => {
    const plan = planOf(venueA, KEY);
    for (let round = 0; round < 2; round++) ask(plan.discover(AT), listOf(1_000, 640));
    const asked = offsets(ask(plan.discover(AT), listOf(400, 40)));
    expect(asked.at(-1)).toBeLessThanOrEqual(41);
    expect(asked.at(-1)).toBeGreaterThan(41 - 100);
  });

  it('ends at the end of a list on which nothing is live', () => {
    expect(offsets(ask(planOf(venueA, KEY).discover(AT), listOf(150, 900)))).toEqual([0, 100]);
  });

  it('asks for the detail of topics that the list names without their markets, once', () => {
    const plan = planOf(venueA, KEY);
    const list = listOf(30, 3, new Set([1, 4, 20]));
    // 1 has ended, 20 opens after the time we look ahead.
    expect(ask(plan.discover(AT), list).slice(1)).toEqual(['/market/detail?marketTopicId=4']);
    expect(ask(plan.discover(AT), list)).toHaveLength(1);
  });

  it('ends with a list that gives no answer', () => {
    expect(ask(planOf(venueA, KEY).discover(AT), () => ({ ok: false }))).toHaveLength(1);
  });
});

describe('samples and resolutions of venue A', () => {
  const markets = Array.from({ length: 6 }, (_, at) => {
    const finding = marketFinding(String(at), { eventId: `t${at}` });
    if (finding.type !== 'market') throw new Error();
    return [finding.market, finding.fields] as const;
  });

  it('takes last trades in turn', () => {
    const plan = planOf(venueA, KEY);
    const turn = (): string[] => ask(plan.sample!(markets)).map((path) => path.slice(-1));
    expect([turn(), turn(), turn()]).toEqual([
      ['0', '1', '2', '3'],
      ['4', '5', '0', '1'],
      ['2', '3', '4', '5'],
    ]);
    expect(ask(plan.sample!([]))).toEqual([]);
  });

  it('asks for the topics of a few markets at a time', () => {
    expect(ask(planOf(venueA, KEY).resolve(markets))).toHaveLength(5);
  });

  it('is left out without a key', () => {
    const { collect } = venueA;
    expect(() => planOf(venueA)).toThrow('missing apiKey,apiSecret');
    expect(collect.timing).toEqual({ discoverMs: 20_000 });
  });
});

describe('backfill of venue A', () => {
  const question = {
    of: ['BTC'],
    windows: ['5m'],
    since: AT - 100 * ROUND,
    until: AT - 50 * ROUND,
    resume: null,
  };

  it('passes over what lies before, reads the range, and ends behind it', () => {
    const steps = walked(venueA.collect.backfill.walk(question), listOf(3_000, 2_000));
    const pages = offsets(steps.map(({ path }) => path));
    // 1,900 to 1,950 are in the range.
    expect(pages.slice(0, 5)).toEqual([0, 200, 600, 1_400, 3_000]);
    expect(pages).toContain(1_900);
    expect(pages.length).toBeLessThan(12);
    expect(steps.at(-1)!.resume).toBe('1900');
  });

  it('goes on where it ended', () => {
    const walk = venueA.collect.backfill.walk({ ...question, resume: '1900' });
    expect(offsets(walked(walk, listOf(3_000, 2_000)).map(({ path }) => path))).toEqual([1_900]);
  });

  it('asks for the details of the range', () => {
    const list = listOf(3_000, 2_000, new Set([1_890, 1_910, 1_960]));
    const steps = walked(venueA.collect.backfill.walk({ ...question, resume: '1900' }), list);
    expect(steps.filter(({ isDetail }) => isDetail).map(({ path }) => path)).toEqual([
      '/market/detail?marketTopicId=1910',
    ]);
  });
});
