import { describe, expect, it } from 'vitest';
import { UNKNOWN_MARKET } from '../../../src/events/market-fields.ts';
import { venueC } from '../../../src/venues/venue-c/index.ts';
import { AT } from '../frames.ts';
import { ask, planOf, walked } from '../plans.ts';

describe('discovery of venue C', () => {
  it('asks for the series of the grid, and for hours and days by slug', () => {
    const plan = planOf(venueC, { assets: ['btc'], windows: ['5m', '1h'] });
    expect(ask(plan.discover(AT))).toEqual([
      '/events?series_slug=btc-up-or-down-5m&closed=false&order=endDate&ascending=true&limit=20',
      '/events?slug=bitcoin-up-or-down-november-14-7pm-et',
      '/events?slug=bitcoin-up-or-down-november-14-2026-7pm-et',
    ]);
  });

  it('asks for resolutions of twenty markets at a time', () => {
    const markets = Array.from({ length: 41 }, (_, at) => [`0x${at}`, UNKNOWN_MARKET] as const);
    const asked = ask(planOf(venueC).resolve(markets));
    expect(asked.map((path) => path.match(/condition_ids=/g)!.length)).toEqual([20, 20, 1]);
  });
});

describe('backfill of venue C', () => {
  const day = 86_400_000_000;
  const question = { of: ['BTC'], windows: ['4h'], since: AT, until: AT + day + 1, resume: null };

  it('asks for every window, the one that closes as the range begins too', () => {
    const steps = walked(venueC.collect.backfill.walk(question));
    expect(steps[0]!.path).toBe('/events?slug=btc-updown-4h-1794686400&closed=true');
    expect(steps).toHaveLength(8);
    expect(steps.map(({ resume }) => resume)).toEqual([
      ...Array<string>(7).fill(String(AT)),
      String(AT + day),
    ]);
  });

  it('goes on at the day where it ended', () => {
    expect(walked(venueC.collect.backfill.walk({ ...question, resume: String(AT + day) }))).toHaveLength(1);
  });
});
