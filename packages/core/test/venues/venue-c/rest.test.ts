import { describe, expect, it } from 'vitest';
import { venueC } from '../../../src/venues/venue-c/index.ts';
import { MARKET, UP, bookMessage, change, changes, started } from './messages.ts';
import { feed, only } from '../frames.ts';

describe('REST answers of venue C', () => {
  const answer = JSON.stringify({
    ...bookMessage({ event_type: undefined }),
    tick_size: '0.01',
    neg_risk: false,
  });
  const channel = `clob:/book?token_id=${UP}`;

  it('is an observation where no socket book is held, each time', () => {
    const normalizer = venueC.capture.createNormalizer();
    expect(feed(normalizer, answer, channel)).toMatchObject([{ type: 'book', kind: 'snapshot' }]);
    expect(feed(normalizer, answer, channel)).toMatchObject([{ type: 'book', kind: 'snapshot' }]);
  });

  it('is only compared beside a socket book', () => {
    const normalizer = started();
    expect(feed(normalizer, answer, channel)).toMatchObject([
      { type: 'compare', method: 'rest', levelsDiffering: 0 },
    ]);
    feed(normalizer, changes(change()));
    expect(feed(normalizer, `[${answer}]`, 'clob:/books')).toMatchObject([
      { type: 'compare', method: 'rest', levelsDiffering: 1, sizeDrift: 75e6 },
    ]);
    expect(only(feed(normalizer, changes(change({ size: '76' }))), 'book')[0]!.bidSizes[0]).toBe(76e6);
  });

  it('seeds a book that later changes build on, older ones left out', () => {
    const normalizer = venueC.capture.createNormalizer();
    feed(normalizer, answer, channel);
    const old = { ...changes(change()), timestamp: '1794700801299' };
    expect(feed(normalizer, old)).toEqual([{ type: 'skip', reason: 'before_snapshot' }]);
    expect(only(feed(normalizer, changes(change())), 'book')[0]!.bidPrices[0]).toBe(520_000);
    expect(feed(normalizer, bookMessage()).map(({ type }) => type)).toEqual(['compare', 'book']);
  });

  it.each([
    [
      '{"error":"No orderbook exists for the requested token id"}',
      channel,
      { type: 'skip', reason: 'no_orderbook' },
    ],
    ['{"error":"market not found"}', `clob:/markets/${MARKET}`, { type: 'reject', reason: 'venue_error' }],
    [
      '{"type":"not found error","error":"id not found"}',
      'gamma:/events/1',
      { type: 'reject', reason: 'venue_error' },
    ],
    ['<html>', 'gamma:/events/1', { type: 'reject', reason: 'not_json' }],
    ['[]', 'gamma:/events?slug=x', { type: 'skip', reason: 'empty_answer' }],
    ['{"markets":[],"next_cursor":""}', 'gamma:/markets/keyset', { type: 'skip', reason: 'empty_answer' }],
    ['{"minimum_tick_size":0.01}', 'clob:/tick-size?token_id=1', { type: 'skip', reason: 'not_recorded' }],
    ['{}', 'ftp', { type: 'reject', reason: 'unknown_channel' }],
    ['{}', 'clob:/nothing', { type: 'reject', reason: 'unknown_channel' }],
  ])('answers %s of %s', (text, from, expected) => {
    expect(feed(venueC.capture.createNormalizer(), text, from)).toMatchObject([expected]);
  });
});
