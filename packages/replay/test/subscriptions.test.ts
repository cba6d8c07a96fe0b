import type { StreamFilter, Venue } from '@ladderlog/core';
import { expect, test } from 'vitest';
import { ReplaySubscriptions } from '../src/stream/subscriptions.ts';

const VENUES: readonly Venue[] = ['venuea', 'venueb'];
const filter = (venue: Venue | null): StreamFilter => ({ venue, market: null, asset: null, window: null });
const facts = { venue: 'venueb' as Venue, market: 'm', asset: null, window: null };

test('nothing is wanted before a subscription is open', () => {
  const subscriptions = new ReplaySubscriptions();
  const wanted = filter('venueb');
  subscriptions.add('one', wanted, VENUES);
  expect([subscriptions.want(facts), subscriptions.openFilters()]).toEqual([false, []]);
  expect(subscriptions.open('one', wanted)).toBe(true);
  expect([subscriptions.want(facts), subscriptions.openFilters()]).toEqual([true, [wanted]]);
  expect(subscriptions.want({ ...facts, venue: 'venuea' })).toBe(false);
});

test('one that was ended, or replaced under its name, is not opened', () => {
  const subscriptions = new ReplaySubscriptions();
  const first = filter('venueb');
  subscriptions.add('one', first, VENUES);
  expect(subscriptions.delete('one')).toBe(true);
  expect(subscriptions.open('one', first)).toBe(false);
  subscriptions.add('one', filter(null), VENUES);
  expect(subscriptions.open('one', first)).toBe(false);
  expect(subscriptions.delete('other')).toBe(false);
});

test('refuses a name twice, and a venue that the replay does not have', () => {
  const subscriptions = new ReplaySubscriptions();
  subscriptions.add('one', filter(null), VENUES);
  expect(() => subscriptions.add('one', filter(null), VENUES)).toThrow(
    "There is a subscription 'one' already.",
  );
  expect(() => subscriptions.add('two', filter('venuec'), VENUES)).toThrow('This replay has venuea, venueb.');
  expect(subscriptions.delete('two')).toBe(false);
});
