// The public recordings of venue B carry no licence and are not in this repository. Where they are at hand (LADDERLOG_RECORDINGS,
// or ../shared/data beside the repository) they must come out whole; elsewhere this file has nothing to do.

import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bookState } from '../../../src/capture/checks.ts';
import { formatMicro, parseDecimal } from '../../../src/kernel/decimal.ts';
import type { BookObserved, VenueEvent } from '../../../src/events/events.ts';
import { Capture } from '../../../src/capture/capture.ts';
import { fromMillis } from '../../../src/kernel/time.ts';
import type { BookFinding, Finding } from '../../../src/capture/finding.ts';
import { venueB } from '../../../src/venues/venue-b/index.ts';
import { RECORDINGS } from '../../../../../test/harness/recordings.ts';
import { AT, feed, only, sourceText } from '../frames.ts';

const path = (name: string): string => `${RECORDINGS}/venue-b/${name}`;
const present = existsSync(path('ws_session_5mkts_jul2026.jsonl'));

type Recorded = { readonly text: string; readonly at: number };
type Sides = Record<string, [string | number, string | number][] | undefined>;
type Ticker = { readonly yes_bid_dollars: string; readonly yes_ask_dollars: string };

const lines = (name: string): string[] => {
  const bytes = readFileSync(path(name));
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').trim().split('\n');
};

function counts(findings: readonly Finding[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const finding of findings) {
    const name =
      finding.type === 'skip'
        ? `skip ${finding.reason}`
        : finding.type === 'book'
          ? finding.kind
          : finding.type;
    found[name] = (found[name] ?? 0) + 1;
  }
  return found;
}

const states = (books: readonly BookFinding[]): Record<string, number> => {
  const found: Record<string, number> = {};
  for (const book of books) found[bookState(book)] = (found[bookState(book)] ?? 0) + 1;
  return found;
};

function run(frames: readonly Recorded[]): Finding[] {
  const normalizer = venueB.capture.createNormalizer();
  return frames.flatMap(({ text, at }) => feed(normalizer, text, 'ws', at));
}

/** The envelope recording back to frames; `sid` and `seq` as the venue would have sent them. */
const envelopes = (): Recorded[] =>
  lines('ws_btc15m_run_20260515T0916.jsonl.gz').flatMap((line) => {
    const row = JSON.parse(line) as Record<string, unknown>;
    const at = Math.floor(Number(row['local_recv_ns']) / 1_000);
    const { event_type: type, payload_json: msg, sequence_number: seq, channel } = row;
    if (type === 'ws_subscribed') return [{ text: JSON.stringify(msg), at }];
    if (channel === 'control') return [];
    return [{ text: JSON.stringify({ type, ...(seq === null ? {} : { sid: 2, seq }), msg }), at }];
  });

describe.skipIf(!present)('real recordings of venue B', () => {
  it('July 2026: five markets, continuous when acknowledgements are counted', () => {
    const findings = run(lines('ws_session_5mkts_jul2026.jsonl').map((text, at) => ({ text, at: AT + at })));
    expect(counts(findings)).toEqual({ 'skip subscribed': 2, 'skip ok': 4, snapshot: 5, delta: 2_885 });
    expect(states(only(findings, 'book'))).toEqual({ two_sided: 2_890 });
  });

  it('April 2026: changes without ts_ms take their time from ts', () => {
    const recorded = lines('ws_frames_kxbtc_apr2026.jsonl').map((line) => {
      const { recv_ts_ns: at, raw } = JSON.parse(line) as { recv_ts_ns: number; raw: string };
      return { text: raw, at: Math.floor(at / 1_000) };
    });
    const findings = run(recorded);
    expect(counts(findings)).toEqual({
      'skip subscribed': 2,
      'skip venue_error': 3,
      snapshot: 8,
      delta: 61,
    });
    const books = only(findings, 'book');
    expect(states(books)).toEqual({ two_sided: 65, ask_only: 4 });
    expect(books.filter(({ kind, sourceTs }) => kind === 'delta' && sourceTs === null)).toEqual([]);
  });

  it('May 2026: 88,130 books of two markets, the crossed and one-sided ones as they were', () => {
    const frames = envelopes();
    const findings = run(frames);
    expect(counts(findings)).toEqual({
      'skip subscribed': 4,
      'skip ticker': 841,
      snapshot: 3,
      delta: 88_127,
      compare: 1,
      break: 1,
    });
    const books = only(findings, 'book');
    expect(states(books)).toEqual({ two_sided: 88_042, ask_only: 79, crossed: 8, empty: 1 });
    // Seven crossed, one locked.
    expect(books.filter((book) => book.bidPrices[0]! > book.askPrices[0]!)).toHaveLength(7);
    // The venue cleared the book at the close: the drift is the whole book.
    expect(only(findings, 'compare')).toMatchObject([
      { levelsOurs: 190, levelsTheirs: 0, levelsDiffering: 190 },
    ]);
    // Two connections in one recording: the numbers began anew.
    expect(only(findings, 'break')).toMatchObject([{ cause: 'sequence_break', detail: 'seq 77715 then 1' }]);
    let backwards = 0;
    books.forEach(({ sourceTs }, index) => {
      const before = books[index - 1]?.sourceTs ?? null;
      if (sourceTs !== null && before !== null && sourceTs < before) backwards++;
    });
    // 44 go backwards as text, since the venue trims trailing zeros; none does as a time.
    expect(backwards).toBe(0);
  });

  it('May 2026: the rebuilt best prices are those the venue states in its tickers', () => {
    const normalizer = venueB.capture.createNormalizer();
    let best: (string | null)[] = [];
    const recent: string[] = [];
    let agreed = 0;
    let stated = 0;
    for (const { text, at } of envelopes()) {
      const [book] = only(feed(normalizer, text, 'ws', at), 'book');
      if (book) {
        best = [book.bidPrices[0], book.askPrices[0]].map((price) =>
          price === undefined ? null : formatMicro(price, '4'),
        );
        recent.push(best.join());
        if (recent.length > 60) recent.shift();
      }
      const { type, msg } = JSON.parse(text) as { type: string; msg: Ticker };
      if (type !== 'ticker') continue;
      stated++;
      // Another channel, so a few changes apart.
      if (recent.includes([msg.yes_bid_dollars, msg.yes_ask_dollars].join())) agreed++;
    }
    expect(stated).toBe(841);
    expect(agreed).toBe(835);
  });

  it('one REST book in three dialects is one book', () => {
    const body = JSON.parse(readFileSync(path('rest_orderbook_cents.json'), 'utf8')) as Record<string, Sides>;
    const { yes, no, yes_dollars, no_dollars } = body['orderbook']!;
    const dialects = [
      { orderbook_fp: body['orderbook_fp'] },
      { orderbook: { yes_dollars, no_dollars } },
      { orderbook: { yes, no } },
    ].map((message: Record<string, Sides | undefined>) => {
      const [book] = only(
        feed(venueB.capture.createNormalizer(), message, 'rest:/markets/KXUCL-1/orderbook'),
        'book',
      );
      const key = Object.values(message)[0]!;
      const native = (key['yes_dollars'] ?? key['yes'])!.map((pair) => pair.map(String)).reverse();
      expect(sourceText(book!).bids).toEqual(native);
      return { bids: [book!.bidPrices, book!.bidSizes], asks: [book!.askPrices, book!.askSizes] };
    });
    expect(dialects[1]).toEqual(dialects[0]);
    expect(dialects[2]).toEqual(dialects[0]);
    expect(dialects[0]!.bids[0]![0]).toBe(parseDecimal('0.70')!.value);
  });

  it('through a session every recorded frame is on the tape and nothing is rejected', () => {
    const capture = new Capture({ adapter: venueB, collector: 'test', provenance: 'imported' });
    const session = capture.openSession('may');
    const found: Record<string, number> = {};
    const gaps: VenueEvent[] = [];
    let newest: BookObserved | null = null;
    for (const { text, at } of envelopes()) {
      const frame = { channel: 'ws', direction: 'in' as const, text, observedAt: at, settings: {} };
      for (const event of session.frame(frame, new TextEncoder().encode(text)).events) {
        found[event.type] = (found[event.type] ?? 0) + 1;
        if (event.type === 'GapOpened') gaps.push(event);
        if (event.type === 'BookObserved') newest = event;
      }
    }
    expect(found).toMatchObject({
      FrameCaptured: 88_975,
      BookObserved: 88_130,
      BookCompared: 1,
      GapOpened: 1,
    });
    expect(found['FrameRejected']).toBeUndefined();
    expect(gaps).toMatchObject([{ cause: 'sequence_break', market: 'KXBTC15M-26MAY150530-30' }]);
    expect(newest!.observedAt).toBeGreaterThan(fromMillis(1_778_836_625_000));
  });

  it.each([
    ['rest_market_cents.json', 'rest:/markets/x', 1],
    ['rest_soccer_markets_mar2026.json', 'rest:/markets', 50],
    ['cockpit_events_sports_nested.json', 'rest:/events', null],
    ['golden_markets_list.json', 'rest:/markets', 5],
  ])('reads every market of %s', (name, channel, expected) => {
    const recorded = JSON.parse(readFileSync(path(name), 'utf8')) as Record<string, unknown> | unknown[];
    // Some recorders kept the list only, or wrapped the answer.
    const body = Array.isArray(recorded)
      ? { events: recorded }
      : (recorded['response'] ??
        (recorded['soccer_markets_sample'] ? { markets: recorded['soccer_markets_sample'] } : recorded));
    const findings = feed(venueB.capture.createNormalizer(), body, channel);
    const markets = only(findings, 'market');
    expect(only(findings, 'reject')).toEqual([]);
    expect(markets.length).toBe(expected ?? markets.length);
    expect(markets.length).toBeGreaterThan(0);
    for (const { fields } of markets) {
      expect(fields.status).not.toBe('unknown');
      expect(fields.closesAt).not.toBeNull();
      expect(fields.eventId).not.toBeNull();
    }
  });
});
