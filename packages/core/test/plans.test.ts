import { describe, expect, test } from 'vitest';
import { PLAN_TERMS, oldestAllowed, planAllows, planFor, planReaching } from '@ladderlog/core';

const NOW = 1_794_700_800_000_000;
const DAY = 86_400_000_000;

describe('plans', () => {
  test('venue A begins with quant; explorer has venues B and C', () => {
    expect(planAllows('explorer', 'venuea')).toBe(false);
    expect(planAllows('quant', 'venuea')).toBe(true);
    expect(planAllows('explorer', 'venueb') && planAllows('explorer', 'venuec')).toBe(true);
    expect(planFor('venuea')).toBe('quant');
    expect(planFor('venueb')).toBe('explorer');
  });
  test('history reaches 31 days, 60 days, and all the way', () => {
    expect(oldestAllowed('explorer', NOW)).toBe(NOW - 31 * DAY);
    expect(oldestAllowed('quant', NOW)).toBe(NOW - 60 * DAY);
    expect(oldestAllowed('desk', NOW)).toBeNull();
  });
  test('the limit stands still for a UTC day', () => {
    expect(oldestAllowed('explorer', NOW + DAY - 1)).toBe(NOW - 31 * DAY);
    expect(oldestAllowed('explorer', NOW + DAY)).toBe(NOW - 30 * DAY);
  });
  test('the plan that reaches a moment is the smallest one that may read the venue', () => {
    expect(planReaching(NOW - 31 * DAY, NOW, 'venueb')).toBe('explorer');
    expect(planReaching(NOW - 31 * DAY - 1, NOW, 'venueb')).toBe('quant');
    expect(planReaching(NOW - DAY, NOW, 'venuea')).toBe('quant');
    expect(planReaching(NOW - 61 * DAY, NOW, 'venuea')).toBe('desk');
  });
  test('limits are those of the design', () => {
    expect(PLAN_TERMS.explorer.rates[0]).toEqual({ requests: 1, seconds: 1 });
    expect(PLAN_TERMS.quant.rates).toEqual([
      { requests: 25, seconds: 1 },
      { requests: 1_000, seconds: 60 },
    ]);
    expect(PLAN_TERMS.desk.rates[0]).toEqual({ requests: 100, seconds: 1 });
  });
});
