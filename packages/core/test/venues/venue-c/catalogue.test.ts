import { describe, expect, it } from 'vitest';
import { venueC } from '../../../src/venues/venue-c/index.ts';
import { AT, feed, fixture, only } from '../frames.ts';

describe('the catalogue of venue C', () => {
  const event = (JSON.parse(fixture('venue-c/gamma-event-updown.json')) as Record<string, unknown>[])[0]!;
  const market = (event['markets'] as Record<string, unknown>[])[0]!;
  const fieldsOf = (answer: unknown, channel: string, at = AT) =>
    only(feed(venueC.capture.createNormalizer(), answer, channel, at), 'market').map(({ fields }) => fields);

  it.each([
    ['gamma:/events?slug=x', [event]],
    ['gamma:/events/slug/hype-updown-5m-1782287400', event],
    ['gamma:/events/625005', event],
    ['gamma:/events/keyset', { events: [event], next_cursor: 'x' }],
    ['gamma:/markets', [market]],
    ['gamma:/markets/2649639', market],
    ['gamma:/markets/keyset?limit=100', { markets: [market], next_cursor: 'abc' }],
  ])('reads the answer of %s', (channel, answer) => {
    expect(fieldsOf(answer, channel)).toMatchObject([
      { slug: 'hype-updown-5m-1782287400', asset: 'HYPE', window: '5m', status: 'open' },
    ]);
  });

  const variant = (over: Record<string, unknown>, at = AT) =>
    fieldsOf({ ...market, ...over }, 'gamma:/markets/1', at)[0]!;
  const done = { closed: true, acceptingOrders: false, umaResolutionStatus: 'resolved' };

  it('names the winner, the split, and neither', () => {
    const up = variant({ ...done, outcomePrices: '["1", "0"]', closedTime: '2026-03-19 23:20:15+00' });
    expect(up).toMatchObject({
      status: 'resolved',
      resolution: 'Up',
      settlementValue: 1_000_000,
      resolvedAt: 1_773_962_415_000_000,
    });
    expect(up.winningOutcome).toBe(up.outcomes[0]!.id);
    const split = variant({ ...done, outcomePrices: '["0.5", "0.5"]' });
    expect(split).toMatchObject({ status: 'resolved', resolution: 'split', winningOutcome: null });
    expect(variant({ closed: true, outcomePrices: '["1", "0"]' })).toMatchObject({
      status: 'closed',
      winningOutcome: null,
      settlementValue: null,
    });
  });

  it('maps the trading status by what the venue states', () => {
    expect(variant({ acceptingOrders: false }, 1_782_287_000_000_000).status).toBe('upcoming');
    expect(variant({ acceptingOrders: false }, 1_782_287_700_000_000).status).toBe('closed');
    expect(variant({ active: undefined }).status).toBe('unknown');
    expect(variant({ archived: true }).status).toBe('closed');
  });

  it('takes the window from its own start, never from the listing', () => {
    expect(variant({ eventStartTime: undefined }).opensAt).toBe(1_782_287_400_000_000);
    expect(variant({ eventStartTime: undefined, slug: 'fed-decision' })).toMatchObject({
      opensAt: null,
      asset: null,
      window: null,
    });
  });

  it('marks simulated markets and keeps every native digit', () => {
    const text = JSON.stringify({ ...market, ladderlog_simulated: true }).replace(
      '"orderMinSize":5',
      '"orderMinSize":5.000,"big":12345678901234567890123',
    );
    const [fields] = fieldsOf(text, 'gamma:/markets/1');
    expect(fields).toMatchObject({ simulated: true, minSize: 5_000_000 });
    expect(fields!.native).toContain('"orderMinSize":5.000,"big":12345678901234567890123');
  });

  it('reads the winner of a CLOB market and keeps what Gamma said', () => {
    const normalizer = venueC.capture.createNormalizer();
    feed(normalizer, market, 'gamma:/markets/1');
    const conditionId = market['conditionId'] as string;
    const tokens = (JSON.parse(market['clobTokenIds'] as string) as string[]).map((token_id, index) => ({
      token_id,
      outcome: index === 0 ? 'Up' : 'Down',
      price: index,
      winner: index === 1,
    }));
    const clob = { condition_id: conditionId, closed: true, tokens, minimum_tick_size: 0.001 };
    const [found] = only(feed(normalizer, clob, `clob:/markets/${conditionId}`), 'market');
    expect(found!.fields).toMatchObject({
      status: 'resolved',
      resolution: 'Down',
      winningOutcome: tokens[1]!.token_id,
      slug: 'hype-updown-5m-1782287400',
      tickSize: 1_000,
    });
  });

  it('rejects an object that is no market and counts the others', () => {
    expect(feed(venueC.capture.createNormalizer(), [{ id: '1' }, market], 'gamma:/markets')).toMatchObject([
      { type: 'reject', reason: 'bad_market' },
      { type: 'market' },
    ]);
  });
});
