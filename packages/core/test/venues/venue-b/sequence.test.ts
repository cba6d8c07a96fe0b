import { describe, expect, it } from 'vitest';
import type { VenueEvent } from '../../../src/events/events.ts';
import { Capture } from '../../../src/capture/capture.ts';
import type { Finding } from '../../../src/capture/finding.ts';
import { venueB } from '../../../src/venues/venue-b/index.ts';
import type { Fields } from './frames.ts';
import { M, N, asFrame, delta, last, open, sent, snapshot, summary } from './frames.ts';
import { AT, feed, only } from '../frames.ts';

describe('sequence', () => {
  it('takes the first number as it comes and counts acknowledgements', () => {
    const normalizer = open();
    expect(last(normalizer, snapshot(77))).toEqual([`snapshot ${M}`]);
    const ok = { id: 2, sid: 2, seq: 78, type: 'ok', msg: { market_tickers: [M, N] } };
    expect(last(normalizer, ok)).toEqual(['skip ok']);
    expect(last(normalizer, delta(79))).toEqual([`delta ${M}`]);
  });

  it('breaks every market of the sid on a gap, those without a book too, and no other sid', () => {
    const normalizer = open();
    feed(normalizer, snapshot(1));
    feed(normalizer, { id: 2, sid: 2, seq: 2, type: 'ok', msg: { market_tickers: [M, N] } });
    feed(normalizer, snapshot(1, { market_ticker: 'KXOTHER-1' }, 3));
    expect(last(normalizer, delta(4))).toEqual([
      `break ${M} sequence_break connection`,
      `break ${N} sequence_break connection`,
      'skip awaiting_snapshot',
    ]);
    expect(last(normalizer, delta(5))).toEqual(['skip awaiting_snapshot']);
    expect(last(normalizer, delta(2, { market_ticker: 'KXOTHER-1' }, 3))).toEqual(['delta KXOTHER-1']);
    expect(last(normalizer, snapshot(6))).toEqual([`snapshot ${M}`]);
    expect(last(normalizer, delta(7))).toEqual([`delta ${M}`]);
  });

  it('says a second gap of a book that is lost already only once', () => {
    expect(last(open(), snapshot(1), delta(3), delta(5))).toEqual(['skip awaiting_snapshot']);
  });

  it('sets a repeated or older frame aside and keeps the book', () => {
    const normalizer = open();
    expect(last(normalizer, snapshot(1), delta(2), delta(2))).toEqual(['skip old_sequence']);
    expect(last(normalizer, delta(3), delta(2))).toEqual(['skip old_sequence']);
    const [book] = only(feed(normalizer, delta(4)), 'book');
    expect(book!.bidSizes).toEqual([13_000_000]);
  });

  it('breaks when one number comes with two contents', () => {
    expect(last(open(), snapshot(1), delta(2), delta(2, { delta_fp: '9.00' }))).toEqual([
      `break ${M} sequence_break connection`,
      'skip awaiting_snapshot',
    ]);
  });

  it('sees a numbering that begins anew: by its snapshot, or by two old numbers in a row', () => {
    const bySnapshot = open();
    last(bySnapshot, snapshot(1), delta(2), delta(3));
    expect(last(bySnapshot, snapshot(1, { market_ticker: N }))).toEqual([
      `break ${M} sequence_break connection`,
      `snapshot ${N}`,
    ]);
    expect(last(bySnapshot, delta(2, { market_ticker: N }))).toEqual([`delta ${N}`]);
    const byDeltas = open();
    last(byDeltas, snapshot(7), delta(8), delta(9));
    expect(last(byDeltas, delta(3))).toEqual(['skip old_sequence']);
    expect(last(byDeltas, delta(4))).toEqual([
      `break ${M} sequence_break connection`,
      'skip awaiting_snapshot',
    ]);
  });

  it('breaks books without numbers when a frame cannot be read, and leaves numbered ones to their numbers', () => {
    const normalizer = open();
    last(normalizer, snapshot(1), snapshot(null, { market_ticker: N }));
    expect(last(normalizer, '{"type":"orderbook_del')).toEqual([
      'reject not_json_object',
      `break ${N} rejected_frame connection`,
    ]);
    expect(last(normalizer, delta(2))).toEqual([`delta ${M}`]);
  });

  it('follows a market to another sid', () => {
    const normalizer = open();
    last(normalizer, snapshot(1), snapshot(1, {}, 3), delta(2, { market_ticker: N }));
    expect(last(normalizer, delta(9, { market_ticker: N }))).toEqual(['skip awaiting_snapshot']);
    expect(last(normalizer, delta(2, {}, 3))).toEqual([`delta ${M}`]);
  });

  it('reads frames without sid and seq, as older recordings have them', () => {
    expect(last(open(), snapshot(null), delta(null))).toEqual([`delta ${M}`]);
  });

  it('loses trades, not books, in a gap among trades', () => {
    const normalizer = open();
    const trade = (seq: number): Fields => ({
      type: 'trade',
      sid: 3,
      seq,
      msg: { market_ticker: M, yes_price_dollars: '0.5500', count_fp: '1.00' },
    });
    feed(normalizer, snapshot(1));
    feed(normalizer, { type: 'subscribed', id: 1, msg: { channel: 'trade', sid: 3 } });
    feed(normalizer, { id: 1, sid: 3, seq: 1, type: 'ok', msg: { market_tickers: [M, N] } });
    feed(normalizer, trade(2));
    expect(feed(normalizer, trade(5))).toMatchObject([
      { type: 'break', market: M, cause: 'sequence_break', dataset: 'samples', outcome: null },
      { type: 'break', market: N, cause: 'sequence_break', dataset: 'samples', outcome: null },
      { type: 'sample', market: M },
    ]);
    expect(last(normalizer, delta(2))).toEqual([`delta ${M}`]);
  });
});

describe('use_yes_price', () => {
  const yesPrices = snapshot(1, { no_dollars_fp: [['0.5500', '5.00']] });
  const asks = (findings: readonly Finding[]) =>
    only(findings, 'book').map(({ askPrices, askComplement }) => ({ askPrices, askComplement }));

  it('is what the shell recorded beside the frame', () => {
    const normalizer = open();
    expect(asks(normalizer.normalize(asFrame(yesPrices, { use_yes_price: 'true' })))).toEqual([
      { askPrices: [550_000], askComplement: false },
    ]);
    expect(asks(open().normalize(asFrame(snapshot(1), { use_yes_price: 'false' })))).toEqual([
      { askPrices: [550_000], askComplement: true },
    ]);
  });

  it('else what the subscription of its sid was asked with', () => {
    const normalizer = open();
    const params = (useYesPrice: boolean) => ({
      channels: ['orderbook_delta'],
      market_tickers: [M],
      use_yes_price: useYesPrice,
    });
    sent(normalizer, { id: 1, cmd: 'subscribe', params: params(true) });
    sent(normalizer, { id: 2, cmd: 'subscribe', params: params(false) });
    feed(normalizer, { id: 1, type: 'subscribed', msg: { channel: 'orderbook_delta', sid: 2 } });
    feed(normalizer, { id: 2, type: 'subscribed', msg: { channel: 'orderbook_delta', sid: 3 } });
    expect(asks(feed(normalizer, yesPrices))).toEqual([{ askPrices: [550_000], askComplement: false }]);
    expect(asks(feed(normalizer, snapshot(1, { market_ticker: N }, 3)))).toEqual([
      { askPrices: [550_000], askComplement: true },
    ]);
  });

  it('else what was asked last, for frames whose sid was never introduced', () => {
    const normalizer = open();
    sent(normalizer, {
      id: 1,
      cmd: 'subscribe',
      params: { channels: ['orderbook_delta'], use_yes_price: true },
    });
    expect(asks(feed(normalizer, snapshot(null, { no_dollars_fp: [['0.5500', '5.00']] })))).toEqual([
      { askPrices: [550_000], askComplement: false },
    ]);
  });

  it('else false, and REST always', () => {
    expect(asks(feed(open(), snapshot(1)))).toEqual([{ askPrices: [550_000], askComplement: true }]);
    const normalizer = open();
    const body = { orderbook_fp: { no_dollars: [['0.4500', '5.00']] } };
    const rest = { ...asFrame(body, { use_yes_price: 'true' }), channel: `rest:/markets/${M}/orderbook` };
    expect(asks(normalizer.normalize(rest))).toEqual([{ askPrices: [550_000], askComplement: true }]);
  });

  it('may not change under a book', () => {
    const normalizer = open();
    normalizer.normalize(asFrame(snapshot(1), { use_yes_price: 'false' }));
    expect(summary(normalizer.normalize(asFrame(delta(2), { use_yes_price: 'true' })))).toEqual([
      `break ${M} lost_sync book`,
    ]);
  });
});

describe('commands and errors', () => {
  const error = (code: number, more: Fields = {}): Fields => ({
    id: 7,
    type: 'error',
    ...more,
    msg: { code, msg: 'why' },
  });

  it.each([10, 25])('code %d ends the subscription: all its markets, and its numbers', (code) => {
    const normalizer = open();
    last(normalizer, snapshot(1), snapshot(2, { market_ticker: N }));
    feed(normalizer, snapshot(1, { market_ticker: 'KXOTHER-1' }, 3));
    expect(last(normalizer, error(code, { sid: 2 }))).toEqual([
      'skip venue_error',
      `break ${M} venue_error connection`,
      `break ${N} venue_error connection`,
    ]);
    expect(last(normalizer, delta(2, { market_ticker: 'KXOTHER-1' }, 3))).toEqual(['delta KXOTHER-1']);
    expect(last(normalizer, snapshot(1))).toEqual([`snapshot ${M}`]);
  });

  it('without a sid it ends them all', () => {
    const normalizer = open();
    last(normalizer, snapshot(1), snapshot(1, { market_ticker: N }, 3));
    expect(last(normalizer, error(25))).toHaveLength(3);
  });

  it.each([9, 26, 27])('code %d refuses a command: what it named is not streamed', (code) => {
    const normalizer = open();
    feed(normalizer, snapshot(1));
    sent(normalizer, {
      id: 7,
      cmd: 'update_subscription',
      params: { sids: [2], action: 'add_markets', market_tickers: [M, N] },
    });
    const findings = feed(normalizer, error(code));
    expect(summary(findings)).toEqual(['skip venue_error', `break ${N} venue_error book`]);
    expect(only(findings, 'break')).toMatchObject([{ outcome: null }]);
    expect(last(normalizer, delta(2))).toEqual([`delta ${M}`]);
  });

  it('an error about nothing we know is only skipped', () => {
    expect(last(open(), error(8))).toEqual(['skip venue_error']);
  });

  it('lets go of what was unsubscribed', () => {
    const normalizer = open();
    last(normalizer, snapshot(1), snapshot(2, { market_ticker: N }));
    sent(normalizer, {
      id: 3,
      cmd: 'update_subscription',
      params: { sids: [2], action: 'delete_markets', market_tickers: [N] },
    });
    const findings = feed(normalizer, { id: 3, sid: 2, seq: 3, type: 'ok', msg: { market_tickers: [M] } });
    // No outcome: only who still watches is in a gap; nobody starts to.
    expect(only(findings, 'break')).toMatchObject([{ market: N, outcome: null, cause: 'disconnected' }]);
    expect(last(normalizer, delta(4))).toEqual([`delta ${M}`]);
    const all = feed(normalizer, { id: 4, sid: 2, seq: 5, type: 'unsubscribed' });
    expect(only(all, 'break')).toMatchObject([{ market: M, outcome: null }]);
    expect(last(normalizer, delta(6))).toEqual([`break ${M} awaiting_snapshot book`]);
  });

  it.each(['get_snapshot', 'add_markets'])(
    'keeps all books when the ok of %s names its markets only',
    (action) => {
      const normalizer = open();
      last(normalizer, snapshot(1), snapshot(2, { market_ticker: N }));
      sent(normalizer, {
        id: 3,
        cmd: 'update_subscription',
        params: { sids: [2], action, market_tickers: [N] },
      });
      expect(last(normalizer, { id: 3, sid: 2, seq: 3, type: 'ok', msg: { market_tickers: [N] } })).toEqual([
        'skip ok',
      ]);
      expect(last(normalizer, delta(4))).toEqual([`delta ${M}`]);
    },
  );
});

describe('an ok without its command, as recordings have it', () => {
  const ok = (seq: number, ...markets: string[]): Fields => ({
    id: 3,
    sid: 2,
    seq,
    type: 'ok',
    msg: { market_tickers: markets },
  });

  it('names all that is streamed: what it lacks is let go, of its own sid', () => {
    const normalizer = open();
    last(normalizer, snapshot(1), snapshot(2, { market_ticker: N }));
    last(normalizer, snapshot(1, { market_ticker: 'KXOTHER-1' }, 3));
    const findings = feed(normalizer, ok(3, N));
    expect(summary(findings)).toEqual(['skip ok', `break ${M} disconnected book`]);
    expect(only(findings, 'break')).toMatchObject([{ outcome: null }]);
    expect(last(normalizer, delta(4, { market_ticker: N }))).toEqual([`delta ${N}`]);
    expect(last(normalizer, delta(2, { market_ticker: 'KXOTHER-1' }, 3))).toEqual(['delta KXOTHER-1']);
    expect(last(normalizer, snapshot(5))).toEqual([`snapshot ${M}`]);
  });

  it('lets nothing go with an addition', () => {
    const normalizer = open();
    feed(normalizer, snapshot(1));
    expect(last(normalizer, ok(2, N))).toEqual(['skip ok']);
    expect(last(normalizer, delta(3))).toEqual([`delta ${M}`]);
  });

  it('says nothing of markets where it names none', () => {
    const normalizer = open();
    feed(normalizer, snapshot(1));
    expect(last(normalizer, { id: 3, sid: 2, seq: 2, type: 'ok', msg: {} })).toEqual(['skip ok']);
    expect(last(normalizer, delta(3))).toEqual([`delta ${M}`]);
  });
});

describe('in a session', () => {
  it('lost trades open a gap of the samples, closed by the next one', () => {
    const capture = new Capture({ adapter: venueB, collector: 'test', provenance: 'captured' });
    const session = capture.openSession('s');
    const trade = (seq: number): Fields => ({
      type: 'trade',
      sid: 3,
      seq,
      msg: { market_ticker: M, yes_price_dollars: '0.5500', count_fp: '1.00' },
    });
    const events = [snapshot(1), trade(1), trade(3), delta(2)].flatMap((message, at) => {
      const frame = { ...asFrame(message), observedAt: AT + at };
      return session.frame(frame, new TextEncoder().encode(frame.text)).events;
    });
    const gaps = events.filter((event) => event.type === 'GapOpened' || event.type === 'GapClosed');
    expect(gaps).toMatchObject([
      { type: 'GapOpened', dataset: 'samples', cause: 'sequence_break', from: AT + 1 },
      { type: 'GapClosed', dataset: 'samples', to: AT + 2 },
    ]);
    expect(events.filter((event) => event.type === 'BookObserved')).toHaveLength(2);
  });

  it('a lost number begins its gap at the last one that came, whatever else the connection said since', () => {
    const capture = new Capture({ adapter: venueB, collector: 'test', provenance: 'captured' });
    const session = capture.openSession('s');
    const at = (seconds: number, message: Fields): VenueEvent[] => {
      const frame = { ...asFrame(message), observedAt: AT + seconds };
      return session.frame(frame, new TextEncoder().encode(frame.text)).events;
    };
    at(0, snapshot(1));
    at(1, snapshot(1, { market_ticker: N }, 3));
    at(2, delta(2));
    at(3, { type: 'ticker', sid: 4, msg: { market_ticker: M } });
    at(4, delta(2, { market_ticker: N }, 3));
    session.noteActivity(AT + 8);
    session.beat();
    const opened = at(9, delta(4)).filter((event) => event.type === 'GapOpened');
    expect(opened).toMatchObject([{ market: M, from: AT + 2, lastBefore: { observedAt: AT + 2 } }]);
    const ended = { id: 7, type: 'error', sid: 3, msg: { code: 25, msg: 'overflow' } };
    expect(at(12, ended).filter((event) => event.type === 'GapOpened')).toMatchObject([
      { market: N, cause: 'venue_error', from: AT + 4 },
    ]);
  });

  it('a market whose first book was lost is in a gap since it was asked for, not since the number before', () => {
    const capture = new Capture({ adapter: venueB, collector: 'test', provenance: 'captured' });
    const session = capture.openSession('s');
    const at = (seconds: number, message: Fields): VenueEvent[] => {
      const frame = { ...asFrame(message), observedAt: AT + seconds };
      return session.frame(frame, new TextEncoder().encode(frame.text)).events;
    };
    at(0, snapshot(1));
    session.watch(N, 'yes', AT + 5);
    at(6, { id: 3, sid: 2, type: 'ok', msg: { market_tickers: [M, N] } });
    const opened = at(9, delta(4)).filter((event) => event.type === 'GapOpened');
    expect(opened).toMatchObject([
      { market: M, from: AT },
      { market: N, from: AT + 5 },
    ]);
  });

  it('one lost number gives one gap a book, closed by its own snapshot, and no observation inside', () => {
    const capture = new Capture({ adapter: venueB, collector: 'test', provenance: 'captured' });
    const session = capture.openSession('s');
    const messages = [
      snapshot(1),
      snapshot(2, { market_ticker: N }),
      delta(3),
      delta(5),
      delta(6, { market_ticker: N }),
      snapshot(7),
      delta(8),
      snapshot(9, { market_ticker: N }),
    ];
    const events: VenueEvent[] = [];
    messages.forEach((message, at) => {
      const frame = { ...asFrame(message), observedAt: AT + at };
      events.push(...session.frame(frame, new TextEncoder().encode(frame.text)).events);
    });
    const told = events.flatMap((event) =>
      event.type === 'FrameCaptured' || event.type === 'CaptureStarted'
        ? []
        : [`${event.observedAt - AT} ${event.type} ${event.market}`],
    );
    expect(told).toEqual([
      `0 BookObserved ${M}`,
      `1 BookObserved ${N}`,
      `2 BookObserved ${M}`,
      `3 GapOpened ${M}`,
      `3 GapOpened ${N}`,
      `5 GapClosed ${M}`,
      `5 BookObserved ${M}`,
      `6 BookObserved ${M}`,
      `7 GapClosed ${N}`,
      `7 BookObserved ${N}`,
    ]);
    const closed = events.filter((event) => event.type === 'GapClosed');
    expect(closed).toMatchObject([
      { cause: 'sequence_break', scope: 'connection', from: AT + 2, to: AT + 5 },
      { cause: 'sequence_break', scope: 'connection', from: AT + 2, to: AT + 7 },
    ]);
  });
});
