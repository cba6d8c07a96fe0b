import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BARE_EVENTS, FULL_EVENTS, bookAt } from '../../../test/harness/log-events.ts';
import { streamContract } from '../../../test/harness/stream-contract.ts';
import type { BookObserved, LadderEvent, StreamEvent, StreamFilter } from '../src/index.ts';
import {
  Markets,
  STREAM_ERRORS,
  Statuses,
  filterKey,
  filterMatches,
  microText,
  parseStreamRequest,
  recordText,
  streamText,
  toRecord,
} from '../src/index.ts';

const contract = streamContract();
const position = { topic: 'venueb', partition: 2, offset: 41 };
const ANY: StreamFilter = { venue: null, asset: null, window: null, market: null };

describe('messages', () => {
  const events: StreamEvent[] = [FULL_EVENTS, BARE_EVENTS].flatMap((each) => [
    each.BookObserved,
    each.MarketObserved,
    each.GapOpened,
    each.GapClosed,
  ]);
  test.each(events.map((event) => [event.type, event] as const))(
    '%s is what the contract says',
    (_type, event) => {
      for (const flags of [{}, { replay: true as const }]) {
        const text = streamText(
          event,
          position,
          event.type === 'BookObserved' ? FULL_EVENTS.MarketObserved : null,
          flags,
        );
        expect(contract.problem(JSON.parse(text))).toBeNull();
      }
    },
  );

  test('prices print as the decimals that were recorded', () => {
    const text = streamText({ ...bookAt(0), bidPrices: [123_457], bidSizes: [70_000_001] }, position, null);
    expect(text).toContain('"bid_prices":[0.123457],"bid_sizes":[70.000001]');
    expect(text).toMatch(/^\{"type":"book","seq":"venueb\/2\/41","data":/);
  });

  test('a record as text is the record, whatever the ladders', () => {
    const micro = fc.oneof(
      fc.integer({ min: 0, max: 1_000_000 }),
      fc.integer({ min: 0, max: 9_007_199_254_740_991 }),
    );
    const side = fc.array(micro, { maxLength: 130 });
    fc.assert(
      fc.property(fc.constantFrom('venuea', 'venueb', 'venuec'), side, side, (venue, prices, sizes) => {
        const book = {
          ...FULL_EVENTS.BookObserved,
          venue: venue as 'venuea',
          bidPrices: prices,
          bidSizes: sizes,
          askPrices: sizes.map((size) => size % 1_000_001),
          askSizes: prices,
        };
        expect(JSON.parse(recordText(book, position, FULL_EVENTS.MarketObserved))).toEqual(
          JSON.parse(JSON.stringify(toRecord(book, position, FULL_EVENTS.MarketObserved))),
        );
      }),
    );
    for (const value of [0, 1, 10, 999_999, 1_000_000, 100_000, 12_345_678_901_234])
      expect(microText(value)).toBe(JSON.stringify(value / 1_000_000));
    // Beyond fifteen digits the text is the decimal itself, which a double may not print.
    expect(microText(9_007_199_254_740_991)).toBe('9007199254.740991');
  });

  test('the contract knows every error code', () => {
    for (const code of STREAM_ERRORS)
      expect(contract.problem({ type: 'error', code, message: 'x', details: {}, id: null })).toBeNull();
  });
});

describe('requests', () => {
  const good: [string, unknown][] = [
    ['{"type":"auth","key":"ll_a_b"}', { type: 'auth', key: 'll_a_b' }],
    ['{"type":"ping"}', { type: 'ping', id: null }],
    ['{"type":"subscribe"}', { type: 'subscribe', id: null, filter: ANY, from: null }],
    [
      '{"type":"subscribe","id":"a","venue":"venueb","asset":"BTC","window":"15m","market":"KX-1"}',
      {
        type: 'subscribe',
        id: 'a',
        filter: { venue: 'venueb', asset: 'btc', window: '15m', market: 'KX-1' },
        from: null,
      },
    ],
    [
      '{"type":"subscribe","from":{"position":["venueb/0/-1","venueb/1/7"]}}',
      {
        type: 'subscribe',
        id: null,
        filter: ANY,
        from: {
          positions: [
            { topic: 'venueb', partition: 0, offset: -1 },
            { topic: 'venueb', partition: 1, offset: 7 },
          ],
        },
      },
    ],
    [
      '{"type":"subscribe","from":{"time":"2026-11-15T00:00:00Z"}}',
      { type: 'subscribe', id: null, filter: ANY, from: { time: 1_794_700_800_000_000 } },
    ],
    ['{"type":"speed","speed":"max"}', { type: 'speed', speed: 'max' }],
    ['{"type":"seek","time":1794700800000}', { type: 'seek', time: 1_794_700_800_000_000 }],
  ];
  test.each(good)('%s', (text, request) => {
    expect(parseStreamRequest(text)).toEqual({ ok: true, request });
    expect(contract.problem(JSON.parse(text))).toBeNull();
  });

  const bad: [string, string | null][] = [
    ['', null],
    ['[]', null],
    ['null', null],
    ['{"type":"toString"}', null],
    ['{"type":"subscribe","venue":"venuez"}', 'venue'],
    ['{"type":"subscribe","market":"KX-1"}', 'venue'],
    ['{"type":"subscribe","coin":"btc"}', 'coin'],
    ['{"type":"subscribe","asset":7}', 'asset'],
    ['{"type":"subscribe","from":{}}', 'from'],
    ['{"type":"subscribe","from":{"position":"venueb/0/1","time":1}}', 'from'],
    ['{"type":"subscribe","from":{"position":[]}}', 'from.position'],
    ['{"type":"subscribe","from":{"position":["venueb/0/1","venueb/0/2"]}}', 'from.position'],
    ['{"type":"subscribe","from":{"position":"../../etc"}}', 'from.position'],
    ['{"type":"subscribe","from":{"time":"yesterday"}}', 'time'],
    ['{"type":"unsubscribe"}', 'id'],
    ['{"type":"speed","speed":0}', 'speed'],
    ['{"type":"auth"}', 'key'],
  ];
  test.each(bad)('%s is refused', (text, parameter) => {
    expect(parseStreamRequest(text)).toMatchObject({ ok: false, parameter });
  });

  test('filters', () => {
    const facts = { venue: 'venueb', market: 'M', asset: 'BTC', window: '5m' } as const;
    expect(filterMatches(ANY, facts)).toBe(true);
    expect(filterMatches({ ...ANY, asset: 'btc', window: '5m' }, facts)).toBe(true);
    expect(filterMatches({ ...ANY, asset: 'eth' }, facts)).toBe(false);
    expect(filterMatches({ ...ANY, asset: 'btc' }, { ...facts, asset: null })).toBe(false);
    expect(filterKey({ ...ANY, asset: 'x' })).not.toBe(filterKey({ ...ANY, window: 'x' }));
  });
});

describe('the state of a venue', () => {
  const at = (seconds: number): number => 1_780_000_000_000_000 + seconds * 1_000_000;
  const event = (given: LadderEvent, seconds: number, market = 'M'): LadderEvent =>
    ({ ...given, market, observedAt: at(seconds), provenance: 'captured', outcome: 'yes' }) as LadderEvent;

  /** Statuses of a log that these events are appended to. */
  const watching = (clock: () => number) => {
    const markets = new Markets();
    const statuses = new Statuses(clock, 45_000);
    let offset = 0;
    const apply = (given: LadderEvent): void => {
      const change = markets.apply(given, { topic: 'venueb', partition: 0, offset: offset++ });
      statuses.update(change!.before, change!.after);
    };
    return { statuses, apply };
  };

  test('healthy, degraded, disconnected, silent', () => {
    let now = at(0);
    const { statuses, apply } = watching(() => now);
    const state = (): string => {
      statuses.changed();
      return statuses.status('venueb').state;
    };
    expect(state()).toBe('disconnected');
    apply(event(FULL_EVENTS.BookObserved, 0));
    apply(event(FULL_EVENTS.CaptureBeat, 1, 'N'));
    expect(state()).toBe('healthy');
    apply(event(FULL_EVENTS.GapOpened, 2));
    expect(state()).toBe('degraded');
    apply(event(FULL_EVENTS.GapOpened, 2, 'N'));
    expect(state()).toBe('disconnected');
    apply(event(FULL_EVENTS.GapClosed, 3));
    expect(state()).toBe('degraded');
    apply(event(FULL_EVENTS.CaptureStopped, 4, 'N'));
    expect(state()).toBe('healthy');
    expect(statuses.status('venueb')).toMatchObject({ books: 1, gaps_open: 0 });
    now = at(49);
    expect(state()).toBe('disconnected');
    apply({ ...FULL_EVENTS.BookObserved, observedAt: now, provenance: 'imported' });
    expect(state()).toBe('disconnected');
  });

  test('health: since when the first uncovered book is not covered, and what was stopped on purpose', () => {
    const { statuses, apply } = watching(() => at(20));
    expect(statuses.health('venueb')).toBeNull();
    apply(event(FULL_EVENTS.CaptureBeat, 10));
    apply(event(FULL_EVENTS.BookObserved, 11, 'N'));
    expect(statuses.health('venueb')).toEqual({
      state: 'capturing',
      markets: 2,
      books: 2,
      uncovered: 0,
      gapSince: null,
      evidenceAt: at(11),
      messageAge: null,
    });
    const gap = event(FULL_EVENTS.GapOpened, 13);
    apply({ ...gap, from: at(12) } as LadderEvent);
    apply({ ...gap, from: at(12) } as LadderEvent);
    expect(statuses.health('venueb')).toMatchObject({ state: 'degraded', uncovered: 1, gapSince: at(12) });
    apply({ ...gap, market: 'N', from: at(11) } as LadderEvent);
    expect(statuses.health('venueb')).toMatchObject({
      state: 'disconnected',
      uncovered: 2,
      gapSince: at(11),
    });
    for (const market of ['M', 'N']) apply(event(FULL_EVENTS.CaptureStopped, 15, market));
    expect(statuses.health('venueb')).toMatchObject({
      state: 'stopped',
      books: 0,
      uncovered: 0,
      gapSince: null,
    });
  });

  test('one of two collectors falls silent: its books are not covered since its last sign', () => {
    let now = at(0);
    const { statuses, apply } = watching(() => now);
    const beat = (market: string, collector: string, seconds: number): void =>
      apply({ ...event(FULL_EVENTS.CaptureBeat, seconds, market), collector } as LadderEvent);
    beat('M', 'first', 0);
    beat('N', 'second', 0);
    now = at(50);
    beat('M', 'first', 50);
    expect(statuses.health('venueb')).toMatchObject({ state: 'degraded', uncovered: 1, gapSince: at(0) });
    expect(statuses.changed()).toMatchObject([{ venue: 'venueb', state: 'degraded' }]);
    // Its market is taken over.
    beat('N', 'first', 50);
    expect(statuses.health('venueb')).toMatchObject({ state: 'capturing', books: 2, uncovered: 0 });
    now = at(100);
    expect(statuses.health('venueb')).toMatchObject({
      state: 'disconnected',
      uncovered: 2,
      gapSince: at(50),
    });
    // A gap that opens and closes again leaves its one collector alive.
    apply(event(FULL_EVENTS.CaptureStopped, 100, 'N'));
    apply(event(FULL_EVENTS.GapOpened, 100));
    apply(event(FULL_EVENTS.GapClosed, 100));
    expect(statuses.health('venueb')).toMatchObject({ state: 'capturing', books: 1, uncovered: 0 });
  });

  test('a recorder that does not answer covers nothing since it was last seen, until it answers again', () => {
    const { statuses, apply } = watching(() => at(11));
    for (const market of ['M', 'N']) apply(event(FULL_EVENTS.CaptureBeat, 10, market));
    expect(statuses.changed()).toMatchObject([{ venue: 'venueb', state: 'healthy' }]);
    statuses.unheard(at(11));
    expect(statuses.health('venueb')).toMatchObject({
      state: 'disconnected',
      uncovered: 2,
      gapSince: at(10),
    });
    expect(statuses.changed()).toMatchObject([{ venue: 'venueb', state: 'disconnected' }]);
    statuses.unheard(null);
    expect(statuses.health('venueb')).toMatchObject({ state: 'capturing', uncovered: 0, gapSince: null });
    expect(statuses.changed()).toMatchObject([{ venue: 'venueb', state: 'healthy' }]);
  });

  test('the age of messages is the median of the newest minute, of what is captured and has a time', () => {
    let now = at(0);
    const { statuses, apply } = watching(() => now);
    apply(event(FULL_EVENTS.CaptureBeat, 0));
    const seen = (seconds: number, ageMs: number, more: Partial<BookObserved> = {}): void =>
      statuses.observed({
        ...FULL_EVENTS.BookObserved,
        observedAt: at(seconds),
        sourceTs: at(seconds) - ageMs * 1_000,
        provenance: 'captured',
        ...more,
      });
    expect(statuses.health('venueb')).toMatchObject({ messageAge: null });
    for (const ageMs of [30, 9_000, 40]) seen(1, ageMs);
    seen(1, 5_000, { provenance: 'imported' });
    seen(1, 5_000, { sourceTs: null });
    now = at(2);
    expect(statuses.health('venueb')).toMatchObject({ messageAge: 40_000 });
    now = at(62);
    expect(statuses.health('venueb')).toMatchObject({ messageAge: null });
  });
});
