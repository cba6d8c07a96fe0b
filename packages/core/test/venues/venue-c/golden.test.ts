import { describe, expect, it } from 'vitest';
import { formatMicro } from '../../../src/kernel/decimal.ts';
import type { BookObserved, VenueEvent } from '../../../src/events/events.ts';
import { Capture } from '../../../src/capture/capture.ts';
import type { Finding } from '../../../src/capture/finding.ts';
import { venueC } from '../../../src/venues/venue-c/index.ts';
import { AT, feed, fixture, fixtureLines, frame, golden, only, sourceText } from '../frames.ts';

const CASES: Record<string, readonly { channel: string; text: string }[]> = {
  'ws-eth15m': fixtureLines('venue-c/ws-eth15m.jsonl').map((text) => ({ channel: 'ws', text })),
  'ws-change-and-book': fixtureLines('venue-c/ws-change-and-book.jsonl').map((text) => ({
    channel: 'ws',
    text,
  })),
  'ws-books': fixtureLines('venue-c/ws-books.jsonl').map((text) => ({ channel: 'ws', text })),
  'ws-trades': fixtureLines('venue-c/ws-trades.jsonl').map((text) => ({ channel: 'ws', text })),
  'rest-and-catalogue': [
    { channel: 'clob:/books', text: fixture('venue-c/rest-books-large.json') },
    { channel: 'clob:/book?token_id=x', text: fixture('venue-c/rest-book-empty-bids.json') },
    { channel: 'gamma:/markets/1669969', text: fixture('venue-c/gamma-market.json') },
    { channel: 'clob:/book?token_id=y', text: fixture('venue-c/rest-book.json') },
    {
      channel: 'gamma:/events?slug=hype-updown-5m-1782287400',
      text: fixture('venue-c/gamma-event-updown.json'),
    },
  ],
};

/** Native JSON is checked apart; in a golden file it would only repeat the fixture. */
const withoutNative = (findings: readonly Finding[]): Finding[] =>
  findings.map((finding) =>
    finding.type === 'market' ? { ...finding, fields: { ...finding.fields, native: '…' } } : finding,
  );

describe('recorded messages of venue C', () => {
  it.each(Object.keys(CASES))('%s gives exactly the expected findings', (name) => {
    const normalizer = venueC.capture.createNormalizer();
    const findings = CASES[name]!.map(({ channel, text }) => withoutNative(feed(normalizer, text, channel)));
    const { actual, expected } = golden(`venue-c/${name}.jsonl`, findings);
    expect(actual).toBe(expected);
  });

  it('rebuilds the token that had a book, and leaves the other in one gap', () => {
    const capture = new Capture({ adapter: venueC, collector: 'test', provenance: 'imported' });
    const session = capture.openSession('s');
    const events: VenueEvent[] = [];
    let stated = 0;
    CASES['ws-eth15m']!.forEach(({ text }, at) => {
      const result = session.frame(frame(text, 'ws', AT + at), new TextEncoder().encode(text));
      events.push(...result.events);
      const message = JSON.parse(text) as { price_changes?: Record<string, string>[] };
      // The venue states best bid and ask after each change: an oracle that the normalizer does not read.
      for (const book of result.events.filter(
        (event): event is BookObserved => event.type === 'BookObserved',
      )) {
        for (const entry of message.price_changes ?? []) {
          if (entry['asset_id'] !== book.outcome) continue;
          stated++;
          expect(formatMicro(book.bidPrices[0]!)).toBe(entry['best_bid']);
          expect(formatMicro(book.askPrices[0]!)).toBe(entry['best_ask']);
        }
      }
    });
    expect(stated).toBe(67);
    const count = (type: VenueEvent['type']) => events.filter((event) => event.type === type).length;
    expect(count('FrameCaptured')).toBe(68);
    expect(count('BookObserved')).toBe(68);
    expect(count('FrameRejected')).toBe(0);
    const gaps = events.filter((event) => event.type === 'GapOpened');
    expect(gaps).toMatchObject([{ cause: 'awaiting_snapshot', scope: 'book' }]);
    expect(count('GapClosed')).toBe(0);
    const observed = new Set(
      events.flatMap((event) => (event.type === 'BookObserved' ? [event.outcome] : [])),
    );
    expect(observed.has(gaps[0]!.outcome!)).toBe(false);
  });

  it.each(['venue-c/ws-books.jsonl', 'venue-c/rest-books-large.json', 'venue-c/rest-book-empty-bids.json'])(
    'gives back every level text of %s',
    (name) => {
      const messages = name.endsWith('.jsonl')
        ? fixtureLines(name).map((line) => JSON.parse(line) as Wire)
        : [JSON.parse(fixture(name)) as Wire | Wire[]].flat();
      for (const message of messages) {
        const [book] = only(feed(venueC.capture.createNormalizer(), [message]), 'book');
        const reversed = (levels: Wire['bids']) => levels.map(({ price, size }) => [price, size]).reverse();
        expect(sourceText(book!)).toEqual({ bids: reversed(message.bids), asks: reversed(message.asks) });
      }
    },
  );

  it('holds what a change set, as the venue book one millisecond later does', () => {
    const [change, book] = CASES['ws-change-and-book']!;
    const { bids, asks, ...rest } = JSON.parse(book!.text) as Wire;
    const normalizer = venueC.capture.createNormalizer();
    // The book before the change: that of the recording without the level that it set.
    feed(normalizer, { ...rest, bids: bids.filter(({ price }) => price !== '0.57'), asks });
    const rebuilt = only(feed(normalizer, change!.text), 'book');
    expect(rebuilt).toHaveLength(1);
    expect(feed(normalizer, book!.text)[0]).toMatchObject({
      type: 'compare',
      levelsDiffering: 0,
      sizeDrift: 0,
    });
  });

  it('keeps the catalogue object whole', () => {
    const [found] = only(
      feed(venueC.capture.createNormalizer(), fixture('venue-c/gamma-market.json'), 'gamma:/markets/1'),
      'market',
    );
    const source = JSON.parse(fixture('venue-c/gamma-market.json')) as Record<string, unknown>;
    const { events, ...market } = source;
    expect(JSON.parse(found!.fields.native)).toEqual({
      gamma_market: market,
      gamma_event: (events as unknown[])[0],
    });
  });
});

type Wire = { bids: { price: string; size: string }[]; asks: { price: string; size: string }[] };
