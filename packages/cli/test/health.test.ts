import type { Venue, VenueHealth } from '@ladderlog/core';
import { expect, test } from 'vitest';

import { venueChecks } from '../src/processes/health.ts';

const found = (state: VenueHealth['state'], more: Partial<VenueHealth> = {}): VenueHealth => ({
  state,
  markets: 2,
  books: 4,
  uncovered: 0,
  gapSince: null,
  evidenceAt: 1_780_000_000_000_000,
  messageAge: null,
  ...more,
});
const of = (known: Partial<Record<Venue, VenueHealth>>) => ({
  health: (venue: Venue): VenueHealth | null => known[venue] ?? null,
});

test('one entry for each venue that is recorded, whoever records it', () => {
  const checks = venueChecks(
    of({
      venuea: found('capturing', { messageAge: 38_400 }),
      venuec: found('degraded', { uncovered: 1, gapSince: 1_780_000_000_000_000 }),
    }),
    [],
  );
  expect(checks).toEqual({
    venuea: {
      ok: true,
      state: 'capturing',
      markets: 2,
      books: 4,
      gaps_open: 0,
      gap_since: null,
      message_age_ms: 38,
    },
    venuec: {
      ok: false,
      state: 'degraded',
      markets: 2,
      books: 4,
      gaps_open: 1,
      gap_since: '2026-05-28T20:26:40.000Z',
    },
  });
});

test('what ended as asked is fine; what should be recorded and is not in the log yet is starting', () => {
  expect(venueChecks(of({ venuea: found('stopped') }), [])).toMatchObject({
    venuea: { ok: true, state: 'stopped' },
  });
  expect(venueChecks(of({ venuea: found('stopped') }), ['venuea', 'venueb'])).toMatchObject({
    venuea: { ok: true, state: 'starting' },
    venueb: { ok: true, state: 'starting' },
  });
  expect(venueChecks(of({ venuea: found('disconnected') }), ['venuea'])).toMatchObject({
    venuea: { ok: false, state: 'disconnected' },
  });
});
