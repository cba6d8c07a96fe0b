import { describe, expect, it } from 'vitest';
import { venueA } from '../../../src/venues/venue-a/index.ts';
import type { Over } from './messages.ts';
import { DETAIL, MARKET, fieldsOf, market, topic } from './messages.ts';
import { AT, feed, only } from '../frames.ts';

describe('the catalogue of venue A', () => {
  it('states the market of a topic, and chance and price apart', () => {
    const findings = feed(
      venueA.capture.createNormalizer(),
      { marketTopics: [topic()], total: 1 },
      'rest:/market/list',
    );
    expect(only(findings, 'market')[0]).toMatchObject({
      market: MARKET,
      fields: {
        slug: 'btc-updown-5m-1794700800',
        asset: 'BTC',
        window: '5m',
        status: 'open',
        nativeStatus: 'REGISTERED/REGISTERED/OPEN',
        eventId: '4455880',
        conditionId: '0x8f',
        opensAt: AT,
        closesAt: AT + 300_000_000,
        listedAt: 1_794_614_420_780_000,
        volume: 15_823_450_000,
        liquidity: 4_500_000_000,
        participantCount: 342,
        chain: '56',
        exchangeContract: null,
        collateral: 'USDT',
        feeBps: 200,
        tickSize: 10_000,
        simulated: false,
      },
    });
    expect(only(findings, 'sample').map(({ outcome, metric, text }) => [outcome, metric, text])).toEqual([
      ['0', 'chance', '0.52'],
      ['0', 'price', '0.53'],
      ['1', 'chance', '0.48'],
      ['1', 'price', '0.49'],
    ]);
  });

  it.each([
    ['rest:/market/search?query=btc', [topic()]],
    ['rest:/market/detail?marketTopicId=4455880', topic()],
    ['rest:/market/list', { marketTopics: [topic()] }],
  ])('reads %s', (channel, answer) => {
    expect(fieldsOf(answer, channel)).toHaveLength(1);
  });

  it('names a topic that comes without its markets, and learns outcomes from the answer that has them', () => {
    const normalizer = venueA.capture.createNormalizer();
    expect(feed(normalizer, [topic({ markets: [] })], 'rest:/market/search')).toEqual([
      {
        type: 'skip',
        reason: 'topic_without_markets',
        listed: { eventId: '4455880', opensAt: 1_794_700_800_000_000, closesAt: 1_794_701_100_000_000 },
      },
    ]);
    feed(normalizer, topic(), DETAIL);
    const [bare] = only(feed(normalizer, topic({}, { outcomes: [] }), DETAIL), 'market');
    expect(bare!.fields.outcomes.map(({ label }) => label)).toEqual(['Up', 'Down']);
  });

  it('keeps every digit of native ids', () => {
    const text = JSON.stringify(topic())
      .replace('4455880', '9007199254740993001')
      .replace('6815131', '9007199254740993002');
    const [found] = only(feed(venueA.capture.createNormalizer(), text, DETAIL), 'market');
    expect(found!.market).toBe('9007199254740993002');
    expect(found!.fields.eventId).toBe('9007199254740993001');
    expect(found!.fields.native).toContain('"marketTopicId":9007199254740993001');
  });

  const before = 1_794_700_000_000_000;
  it.each([
    [{ tradingStatus: 'OPEN' }, before, 'open'],
    [{ tradingStatus: 'CLOSED' }, before, 'upcoming'],
    [{ tradingStatus: 'CLOSED' }, AT + 400_000_000, 'closed'],
    [{ tradingStatus: undefined }, before, 'upcoming'],
    [{ tradingStatus: undefined }, AT, 'open'],
    [{ tradingStatus: undefined }, AT + 300_000_000, 'closed'],
    [{ status: 'RESOLVED', tradingStatus: 'CLOSED' }, AT, 'resolved'],
    [{ status: 'CANCELLED' }, AT, 'voided'],
  ])('maps %j at %d to %s', (over, at, status) => {
    expect(fieldsOf(topic({}, over), DETAIL, at)[0]!.status).toBe(status);
  });

  const resolved = (prices: [string, string], over: Over = {}) =>
    topic(
      { status: 'RESOLVED', variantData: { startPrice: '91263.65', endPrice: '91270.10' } },
      {
        status: 'RESOLVED',
        tradingStatus: 'CLOSED',
        outcomes: market().outcomes.map((outcome, at) => ({ ...outcome, price: prices[at] })),
        ...over,
      },
    );

  it('names a winner only where the venue does', () => {
    expect(fieldsOf(resolved(['1', '0']))[0]).toMatchObject({
      winningOutcome: '0',
      resolution: 'Up',
      strike: '91263.65',
      outcomes: [{ winner: true }, { winner: false }],
    });
    expect(fieldsOf(resolved(['0.99', '0.01']))[0]).toMatchObject({ winningOutcome: null, resolution: null });
    expect(fieldsOf(resolved(['0.99', '0.01'], { resolution: 'Down' }))[0]).toMatchObject({
      winningOutcome: '1',
      resolution: 'Down',
    });
    expect(fieldsOf(resolved(['0.5', '0.5'], { resolution: '50-50' }))[0]).toMatchObject({
      winningOutcome: null,
      resolution: '50-50',
    });
  });

  it('ends a market that was seen before it was resolved, and samples no more', () => {
    const normalizer = venueA.capture.createNormalizer();
    feed(normalizer, topic(), DETAIL);
    expect(feed(normalizer, resolved(['1', '0']), DETAIL)).toMatchObject([
      { type: 'market' },
      { type: 'end', market: MARKET, reason: 'resolved' },
    ]);
    expect(feed(normalizer, resolved(['1', '0']), DETAIL).map(({ type }) => type)).toEqual(['market']);
    // A list that lags does not reopen it.
    expect(feed(normalizer, topic(), DETAIL)).toMatchObject([
      { type: 'market', fields: { status: 'resolved' } },
    ]);
  });
});

describe('what venue A remembers', () => {
  it('lets markets that ended go in time, and keeps the others', () => {
    const normalizer = venueA.capture.createNormalizer();
    const text = (id: number, over: Over = {}) => {
      const outcomes = [{ name: 'Up', index: 0, tokenId: `${id}0` }];
      return topic({ marketTopicId: id }, { marketId: id, externalId: `x${id}`, outcomes, ...over });
    };
    const asked = (id: number) =>
      feed(normalizer, { outcome: '?', bids: [], asks: [] }, `rest:/order-book?tokenId=${id}0`)[0]!.type;
    feed(normalizer, text(1), DETAIL);
    const ended = { status: 'RESOLVED', tradingStatus: 'CLOSED' };
    for (let id = 2; id <= 1_003; id++) feed(normalizer, text(id, ended), DETAIL);
    expect([asked(1), asked(2), asked(3), asked(4), asked(1_003)]).toEqual([
      'book',
      'reject',
      'reject',
      'book',
      'book',
    ]);
  });
});
