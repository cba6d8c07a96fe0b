import { describe, expect, it } from 'vitest';
import { parseIso } from '../../../src/kernel/time.ts';
import { parseChannel } from '../../../src/venues/shared/channel.ts';
import { parseUpDownSlug, upDownSlugs } from '../../../src/venues/shared/up-down.ts';
import * as requests from '../../../src/venues/venue-c/requests.ts';
import { AT } from '../frames.ts';

describe('what is sent to venue C', () => {
  it('subscribes by token ids under the key the venue takes', () => {
    expect(JSON.parse(requests.subscribeMessage(['1', '2']))).toEqual({
      assets_ids: ['1', '2'],
      type: 'market',
      custom_feature_enabled: true,
      initial_dump: true,
    });
    expect(JSON.parse(requests.addTokensMessage(['3']))).toMatchObject({ operation: 'subscribe' });
    expect(JSON.parse(requests.removeTokensMessage(['3']))).toEqual({
      assets_ids: ['3'],
      operation: 'unsubscribe',
    });
  });

  it('builds each call with the channel its answer is kept under', () => {
    expect(requests.bookRequest('7')).toEqual({
      source: 'clob',
      method: 'GET',
      path: '/book?token_id=7',
      body: null,
      channel: 'clob:/book?token_id=7',
    });
    expect(requests.seriesRequest('btc-up-or-down-5m').path).toBe(
      '/events?series_slug=btc-up-or-down-5m&closed=false&order=endDate&ascending=true&limit=100',
    );
    expect(requests.eventBySlugRequest('a b', true).channel).toBe('gamma:/events?slug=a%20b&closed=true');
    expect(requests.marketsByConditionRequest(['0x1', '0x2'], true).path).toBe(
      '/markets?condition_ids=0x1&condition_ids=0x2&closed=true',
    );
    expect(parseChannel(requests.eventBySlugRequest('a b').channel)).toMatchObject({
      source: 'gamma',
      path: '/events',
      query: { slug: 'a b' },
    });
  });

  it('names the series of the numbered grid only', () => {
    expect(requests.seriesSlug('BTC', '5m')).toBe('btc-up-or-down-5m');
    expect(requests.seriesSlug('BTC', '1h')).toBeNull();
  });
});

describe('slugs of short-dated contracts', () => {
  it('covers every window that overlaps the range', () => {
    expect(requests.shortDatedSlugs(['BTC', 'ETH'], ['5m'], AT + 1, AT + 300_000_001)).toEqual([
      'btc-updown-5m-1794700800',
      'eth-updown-5m-1794700800',
      'btc-updown-5m-1794701100',
      'eth-updown-5m-1794701100',
    ]);
  });

  it.each([
    ['2026-06-19T12:00:00Z', '8am', 'june-19'],
    ['2026-11-15T00:00:00Z', '7pm', 'november-14'],
    ['2026-03-08T06:00:00Z', '1am', 'march-8'],
    ['2026-03-08T07:00:00Z', '3am', 'march-8'],
    ['2026-11-01T05:00:00Z', '1am', 'november-1'],
    ['2026-11-01T06:00:00Z', '1am', 'november-1'],
    ['2026-01-01T05:00:00Z', '12am', 'january-1'],
    ['2026-07-04T16:00:00Z', '12pm', 'july-4'],
  ])('%s is %s Eastern of %s, with and without the year', (at, hour, day) => {
    const slugs = upDownSlugs('BTC', '1h', parseIso(at)!);
    expect(slugs).toEqual([
      `bitcoin-up-or-down-${day}-${hour}-et`,
      `bitcoin-up-or-down-${day}-2026-${hour}-et`,
    ]);
    for (const slug of slugs)
      expect(parseUpDownSlug(slug)).toEqual({ asset: 'BTC', window: '1h', opensAt: null });
  });

  it('names a day by its own date', () => {
    expect(upDownSlugs('ETH', '1d', parseIso('2026-06-19T00:00:00Z')!)).toEqual([
      'ethereum-up-or-down-on-june-19',
      'ethereum-up-or-down-on-june-19-2026',
    ]);
    expect(upDownSlugs('NOPE', '1d', AT)).toEqual([]);
  });

  it('agrees with the time-zone database over two years of hours', () => {
    const zone = new Intl.DateTimeFormat('en-US', {
      timeZone: 'America/New_York',
      month: 'long',
      day: 'numeric',
      year: 'numeric',
      hour: 'numeric',
    });
    for (let at = Date.UTC(2025, 11, 30); at < Date.UTC(2028, 0, 3); at += 3_600_000) {
      const parts = Object.fromEntries(zone.formatToParts(at).map(({ type, value }) => [type, value]));
      const day = `${parts['month']!.toLowerCase()}-${parts['day']}-${parts['year']}`;
      const want = `solana-up-or-down-${day}-${parts['hour']}${parts['dayPeriod']!.toLowerCase()}-et`;
      expect(upDownSlugs('SOL', '1h', at * 1_000)[1]).toBe(want);
    }
  });

  it.each([
    ['btc-updown-5m-1773307200', { asset: 'BTC', window: '5m', opensAt: 1_773_307_200_000_000 }],
    ['hype-updown-4h-1782287400', { asset: 'HYPE', window: '4h', opensAt: 1_782_287_400_000_000 }],
    ['ethereum-up-or-down-on-june-19-2026', { asset: 'ETH', window: '1d', opensAt: null }],
    ['dogecoin-up-or-down-on-june-19', { asset: 'DOGE', window: '1d', opensAt: null }],
    ['tesla-up-or-down-on-june-19', null],
    ['btc-updown-7m-1773307200', null],
    ['will-btc-updown-5m-1773307200', null],
  ])('reads %s', (slug, expected) => {
    expect(parseUpDownSlug(slug)).toEqual(expected);
  });
});
