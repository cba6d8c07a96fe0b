import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { phaseAt, type SimMarketEvent } from '@ladderlog/core';
import { MarketProcess, type ProcessOptions } from '../src/market/market-process.ts';
import { createRandom } from '../src/market/random.ts';

const START = Date.UTC(2026, 10, 15, 0, 1, 0);

const OPTIONS: ProcessOptions = {
  seed: 7,
  startMs: START,
  scale: 15,
  venues: ['venuea', 'venueb', 'venuec'],
  assets: {},
  windows: ['5m', '15m', '1h'],
  levels: 40,
  updatesPerSecond: 4,
  prelisted: 2,
  history: 4,
};

/** Everything an event says, as text, book included. */
function describeEvent(event: SimMarketEvent): string {
  const { state, ...rest } = event;
  const book = state.book ? [state.book.levels('bid'), state.book.levels('ask')] : null;
  return JSON.stringify([rest, state.market.id, event.kind === 'updated' ? book : null]);
}

function digest(options: ProcessOptions, untilMs: number, cut: () => number): string {
  const process = new MarketProcess(options);
  const hash = createHash('sha256');
  for (let at = options.startMs; at < untilMs;) {
    at = Math.min(untilMs, at + cut());
    process.advance(at, (event) => hash.update(describeEvent(event)));
  }
  return hash.digest('hex');
}

function run(options: ProcessOptions, forMs: number, see: (event: SimMarketEvent) => void): MarketProcess {
  const process = new MarketProcess(options);
  process.advance(options.startMs + forMs, see);
  return process;
}

describe('determinism', () => {
  test('the same seed gives the same bytes, however time is cut', () => {
    const random = createRandom(1);
    const whole = digest(OPTIONS, START + 25_000, () => 25_000);
    expect(digest(OPTIONS, START + 25_000, () => 1 + random.int(900))).toBe(whole);
    expect(digest({ ...OPTIONS, seed: 8 }, START + 25_000, () => 25_000)).not.toBe(whole);
  });

  test('one venue alone is the same as among three', () => {
    const only = (venues: ProcessOptions['venues']): string => {
      const hash = createHash('sha256');
      run({ ...OPTIONS, venues }, 40_000, (event) => {
        if (event.state.market.venue === 'venueb') hash.update(describeEvent(event));
      });
      return hash.digest('hex');
    };
    expect(only(['venueb'])).toBe(only(['venuea', 'venueb', 'venuec']));
  });

  test('a market has the same ids, strike and winner whenever the process begins', () => {
    const early = run(OPTIONS, 120_000, () => {});
    const late = new MarketProcess({ ...OPTIONS, startMs: START + 120_000 });
    const over = late.states('venuec').filter(({ market }) => market.resolveMs <= START + 120_000);
    expect(over.length).toBeGreaterThan(5);
    for (const { market } of over) {
      const same = early.state('venuec', market.id);
      if (!same) continue;
      expect(early.marketsOf('venuec').winner(same.market)).toBe(late.marketsOf('venuec').winner(market));
      expect(early.marketsOf('venuec').strike(same.market)).toBe(late.marketsOf('venuec').strike(market));
    }
  });
});

describe('books', () => {
  test('the changes add up to the book, which is never crossed and has its levels', () => {
    const built = new Map<string, Map<string, number>>();
    let updates = 0;
    let deep = 0;
    const wrong: string[] = [];
    const process = new MarketProcess(OPTIONS);
    const key = (side: string, price: number): string => `${side}:${price}`;
    const start = (id: string, book: NonNullable<SimMarketEvent['state']['book']>): void => {
      const levels = new Map<string, number>();
      for (const side of ['bid', 'ask'] as const)
        for (const [price, size] of book.levels(side)) levels.set(key(side, price), size);
      built.set(id, levels);
    };
    for (const venue of OPTIONS.venues)
      for (const state of process.states(venue)) if (state.book) start(state.market.id, state.book);
    process.advance(START + 30_000, (event) => {
      const { state } = event;
      const { id } = state.market;
      if (event.kind === 'listed') start(id, state.book!);
      if (event.kind === 'change') {
        const levels = built.get(id)!;
        const at = key(event.side, event.price);
        if ((levels.get(at) ?? 0) + event.delta !== event.size) wrong.push(`${id} ${at}`);
        if (event.size === 0) levels.delete(at);
        else levels.set(at, event.size);
      }
      if (event.kind !== 'updated') return;
      updates++;
      const book = state.book!;
      if (book.best('bid') >= 0 && book.best('ask') >= 0 && book.best('bid') >= book.best('ask'))
        wrong.push(`${id} crossed`);
      if (book.levels('bid').length + book.levels('ask').length >= 40) deep++;
      const levels = built.get(id)!;
      if (levels.size !== book.levels('bid').length + book.levels('ask').length) wrong.push(`${id} levels`);
      for (const side of ['bid', 'ask'] as const)
        for (const [price, size] of book.levels(side))
          if (levels.get(key(side, price)) !== size) wrong.push(`${id} ${side} ${price}`);
    });
    expect(wrong).toEqual([]);
    expect(updates).toBeGreaterThan(1_000);
    expect(deep / updates).toBeGreaterThan(0.8);
  });

  test('a crossed book is crossed for as long as asked, by one order that is taken back', () => {
    const process = new MarketProcess(OPTIONS);
    const state = process
      .states('venuec')
      .find(({ market, book }) => phaseAt(market, START) === 'live' && book!.best('ask') >= 0)!;
    const before = state.book!.levels('bid');
    const seen: SimMarketEvent[] = [];
    expect(process.cross(state, 500, (event) => seen.push(event))).toBe(true);
    expect(state.book!.best('bid')).toBeGreaterThanOrEqual(state.book!.best('ask'));
    expect(process.cross(state, 500, () => {})).toBe(false);
    process.advance(START + 500, (event) => {
      if (event.state === state) seen.push(event);
    });
    expect(state.book!.levels('bid')).toEqual(before);
    expect(seen.map(({ kind }) => kind)).toEqual(['change', 'updated', 'change', 'updated']);
  });
});

describe('lifecycle', () => {
  test('windows follow each other on the unix grid, listed ahead, resolved after the end by the price', () => {
    const order = new Map<string, string[]>();
    let oneSided = 0;
    const process = run(OPTIONS, 150_000, (event) => {
      const { market, book } = event.state;
      if (
        event.kind === 'updated' &&
        event.at < market.endMs &&
        (book!.best('bid') < 0 || book!.best('ask') < 0)
      )
        oneSided++;
      if (['change', 'trade', 'updated', 'tick'].includes(event.kind)) return;
      order.set(market.id, [...(order.get(market.id) ?? []), event.kind]);
    });
    const whole = [...order.values()].filter((kinds) => kinds[0] === 'listed' && kinds.length > 4);
    expect(whole.length).toBeGreaterThan(10);
    for (const kinds of whole) expect(kinds).toEqual(['listed', 'opened', 'ended', 'stopped', 'resolved']);
    expect(oneSided).toBeGreaterThan(0);
    const markets = process.marketsOf('venuec');
    for (const { market } of process.states('venuec')) {
      expect(market.startMs % 20_000).toBe(0);
      expect(market.slug).toBe(
        `${market.series.asset.toLowerCase()}-updown-${market.series.window}-${market.startMs / 1_000}`,
      );
      expect(market.id).toMatch(/^0x[0-9a-f]{64}$/);
      expect(market.tokens[0]).toMatch(/^\d{70,78}$/);
      const price = (at: number): number => markets.price(market.series.asset, at);
      const won = price(market.endMs) >= price(market.startMs) ? 0 : 1;
      expect(markets.winner(market)).toBe(market.endMs <= process.now() ? won : null);
    }
  });

  test('the catalogue does not grow without bound', () => {
    const process = new MarketProcess({ ...OPTIONS, venues: ['venuea'], updatesPerSecond: 0.5 });
    const before = process.states('venuea').length;
    process.advance(START + 20 * 60_000, () => {});
    expect(process.states('venuea').length).toBeLessThanOrEqual(before + 6);
  });

  test('real windows have the real formats', () => {
    const process = new MarketProcess({ ...OPTIONS, scale: 1 });
    const at = (iso: string): number => Date.parse(iso);
    const live = process.states('venueb').filter(({ market }) => phaseAt(market, START) === 'live');
    const quarter = live.find(({ market }) => market.series.name === 'KXBTC15M')!.market;
    expect([quarter.id, quarter.eventId]).toEqual(['KXBTC15M-26NOV141915-15', 'KXBTC15M-26NOV141915']);
    expect(quarter.endMs).toBe(at('2026-11-15T00:15:00Z'));
    const ladder = live
      .filter(({ market }) => market.series.name === 'KXBTCD')
      .map(({ market }) => market.id);
    expect(ladder).toHaveLength(7);
    for (const id of ladder) expect(id).toMatch(/^KXBTCD-26NOV1420-T\d+\.99$/);
    const five = process.states('venuea').find(({ market }) => phaseAt(market, START) === 'live')!.market;
    expect(five.slug).toBe('btc-updown-5m-1794700800');
    expect(Number.isSafeInteger(Number(five.id))).toBe(true);
  });
});
