import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';

import { followProjected } from '../src/projected.ts';

const logger = pino({ level: 'silent' });
const at = (offset: number) => [{ topic: 'venuea', partition: 1, offset }];

afterEach(() => vi.useRealTimers());

test('tables that another process fills are asked about from time to time', async () => {
  vi.useFakeTimers();
  let offset = 5;
  const tables = await followProjected(async () => at(offset), logger);
  expect(tables.next('venuea', 1)).toBe(5);
  expect(tables.next('venuea', 0)).toBeNull();
  offset = 9;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(tables.next('venuea', 1)).toBe(9);
  tables.stop();
});

test('tables that this process fills are told of, and nobody is asked any more', async () => {
  vi.useFakeTimers();
  let asked = 0;
  const tables = await followProjected(async () => {
    asked++;
    return at(5);
  }, logger);
  tables.reached(at(20));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tables.next('venuea', 1)).toBe(20);
  expect(asked).toBe(1);
  // Another generation may be behind.
  tables.reached(at(12));
  expect(tables.next('venuea', 1)).toBe(12);
});
