import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/capture/finding.ts';
import { venueB } from '../../../src/venues/venue-b/index.ts';
import { AT, fixtureLines, golden, only, sourceText } from '../frames.ts';

type Line = { readonly channel: string; readonly frame: string; readonly outbound?: true };

const lines = (name: string): Line[] =>
  fixtureLines(`venue-b/${name}.jsonl`).map((line) => JSON.parse(line) as Line);

function findingsOf(name: string): Finding[][] {
  const normalizer = venueB.capture.createNormalizer();
  return lines(name).map(({ channel, frame, outbound }, at) =>
    normalizer.normalize({
      channel,
      direction: outbound ? 'out' : 'in',
      text: frame,
      observedAt: AT + at,
      settings: {},
    }),
  );
}

/** Native JSON is checked apart; in a golden file it would only repeat the fixture. */
const withoutNative = (findings: readonly Finding[]): Finding[] =>
  findings.map((finding) =>
    finding.type === 'market' ? { ...finding, fields: { ...finding.fields, native: '…' } } : finding,
  );

describe('recorded messages of venue B', () => {
  it.each(['ws-session', 'ws-use-yes-price', 'ws-legacy', 'rest-books', 'catalogue'])(
    '%s gives exactly the expected findings',
    (name) => {
      const { actual, expected } = golden(`venue-b/${name}.jsonl`, findingsOf(name).map(withoutNative));
      expect(actual).toBe(expected);
    },
  );

  it('keeps every field of a market in native', () => {
    const market = (JSON.parse(lines('catalogue')[0]!.frame) as { market: object }).market;
    const [finding] = only(findingsOf('catalogue')[0]!, 'market');
    expect(JSON.parse(finding!.fields.native)).toEqual(market);
  });

  it('gives back the text of every REST level', () => {
    const findings = findingsOf('rest-books');
    let books = 0;
    lines('rest-books').forEach(({ channel, frame }, at) => {
      const [book] = only(findings[at]!, 'book');
      if (!book || channel.includes('/orderbooks')) return;
      books++;
      const body = JSON.parse(frame) as Record<string, Record<string, [unknown, unknown][] | null>>;
      const held = body['orderbook_fp'] ?? body['orderbook']!;
      const side = (name: string): string[][] =>
        (held[`${name}_dollars`] ?? held[name] ?? []).map((pair) => pair.map(String)).reverse();
      expect(sourceText(book)).toEqual({ bids: side('yes'), asks: side('no') });
    });
    expect(books).toBe(5);
  });
});
