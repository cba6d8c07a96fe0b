import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EARLIEST_MICROS,
  LATEST_MICROS,
  fromMillis,
  parseClientTime,
  parseIso,
  toIso,
  toMillis,
} from '../src/kernel/time.ts';

const instant = fc.integer({ min: EARLIEST_MICROS, max: LATEST_MICROS });

describe('parseIso', () => {
  it.each([
    ['2026-11-15T00:00:02.113Z', 1_794_700_802_113_000],
    ['2026-11-15T00:00:02.113456Z', 1_794_700_802_113_456],
    ['2026-11-15T00:00:02.1134569Z', 1_794_700_802_113_456],
    // Trailing zeros are often trimmed by the venues.
    ['2026-11-15T00:00:02.11Z', 1_794_700_802_110_000],
    ['2026-11-15T00:00:02Z', 1_794_700_802_000_000],
    ['2026-11-15T00:00Z', 1_794_700_800_000_000],
    ['2026-11-15', 1_794_700_800_000_000],
    ['2026-11-15 00:00:02+00', 1_794_700_802_000_000],
    ['2026-11-14T19:00:02-05:00', 1_794_700_802_000_000],
    ['2026-11-15T05:30:02+0530', 1_794_700_802_000_000],
    ['2026-11-15T00:00:02', 1_794_700_802_000_000],
    [' 2026-11-15T00:00:02z ', 1_794_700_802_000_000],
    ['2024-02-29', 1_709_164_800_000_000],
  ])('reads %s', (text, micros) => {
    expect(parseIso(text)).toBe(micros);
  });

  it.each([
    '',
    'now',
    '2026-13-01',
    '2026-02-30',
    '2025-02-29T00:00:00Z',
    '2026-11-15T25:00:00Z',
    '2026-11-15T00:61:00Z',
    '2026-11-15T00:00:00+99:99',
    '2026-11-15T00:00:00Zx',
    '1794700802',
    // Where microseconds would leave the safe integers; venue B's zero value is one of them.
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
  ])('refuses %s', (text) => {
    expect(parseIso(text)).toBeNull();
  });

  it('reads back what toIso writes, to the microsecond', () => {
    fc.assert(
      fc.property(instant, (at) => {
        expect(parseIso(toIso(at))).toBe(at);
      }),
    );
  });

  it('never throws and gives safe integers only', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const at = parseIso(text);
        expect(at === null || Number.isSafeInteger(at)).toBe(true);
      }),
    );
  });
});

describe('toIso', () => {
  it('shows microseconds only where there are some', () => {
    expect(toIso(1_794_700_802_113_000)).toBe('2026-11-15T00:00:02.113Z');
    expect(toIso(1_794_700_802_113_045)).toBe('2026-11-15T00:00:02.113045Z');
    expect(toIso(-1)).toBe('1969-12-31T23:59:59.999999Z');
  });

  it('keeps the order of instants that have microseconds', () => {
    const uneven = instant.filter((at) => at % 1_000 !== 0);
    fc.assert(
      fc.property(uneven, uneven, (a, b) => {
        expect(toIso(a) < toIso(b)).toBe(a < b);
      }),
    );
  });
});

describe('parseClientTime', () => {
  it('takes ISO 8601 and epoch milliseconds', () => {
    expect(parseClientTime('2026-11-15T00:00:02.113Z')).toBe(1_794_700_802_113_000);
    expect(parseClientTime('1794700802113')).toBe(1_794_700_802_113_000);
  });

  it.each([
    '1794700802',
    '1794700802113000',
    '-1',
    '1e12',
    '',
    '1999-12-31T23:59:59Z',
    '2200-01-01T00:00:01Z',
  ])('refuses %s: another unit, or no time', (text) => {
    expect(parseClientTime(text)).toBeNull();
  });
});

it('converts milliseconds both ways', () => {
  expect(fromMillis(1_794_700_802_113)).toBe(1_794_700_802_113_000);
  expect(fromMillis(1_794_700_802_113.456)).toBe(1_794_700_802_113_456);
  expect(toMillis(1_794_700_802_113_999)).toBe(1_794_700_802_113);
});
