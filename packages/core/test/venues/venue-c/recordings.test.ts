// Recordings that may not be committed: run where they are (LADDERLOG_RECORDINGS, or ../shared/data beside the repository).

import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/capture/finding.ts';
import { venueA } from '../../../src/venues/venue-a/index.ts';
import { venueC } from '../../../src/venues/venue-c/index.ts';
import { RECORDINGS } from '../../../../../test/harness/recordings.ts';
import { feed, only, sourceText } from '../frames.ts';

const read = (name: string): string => {
  const bytes = readFileSync(`${RECORDINGS}/${name}`);
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
};
/** Nothing where the file is missing: a skipped suite's body still runs. */
const lines = (name: string): string[] =>
  (existsSync(`${RECORDINGS}/${name}`) ? read(name) : '').split('\n').filter((line) => line !== '');
const missing = (name: string): boolean => !existsSync(`${RECORDINGS}/${name}`);

const tally = (findings: readonly Finding[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const finding of findings) {
    const reason = finding.type === 'break' ? finding.cause : 'reason' in finding ? finding.reason : '';
    const name = reason === '' ? finding.type : `${finding.type} ${reason}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

/** Rows of a CSV with doubled quotes. */
const fields = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );

const LEGACY = 'venue-c/ws_price_change_legacy_jan2025.csv';
describe.skipIf(missing(LEGACY))('3,829 messages of the shape before September 2025', () => {
  const messages = lines(LEGACY)
    .slice(1)
    .map((line) => {
      const [, asset_id = '', market = '', time = '', hash = '', changes = ''] = fields(line);
      const timestamp = String(Date.parse(time.replace(' +0100', '+01:00').replace(' ', 'T')));
      return {
        event_type: 'price_change',
        asset_id,
        market,
        timestamp,
        hash,
        changes: JSON.parse(changes) as unknown,
      };
    });
  const tokens = [...new Map(messages.map(({ asset_id, market }) => [asset_id, market]))];

  it('gives one break per token and no observation, since no book was recorded', () => {
    const normalizer = venueC.capture.createNormalizer();
    const counts = tally(messages.flatMap((message) => feed(normalizer, message)));
    expect(messages).toHaveLength(3829);
    expect(counts).toEqual({
      'break awaiting_snapshot': tokens.length,
      'skip awaiting_snapshot': messages.length,
    });
  });

  it('applies every change to a book that starts empty, exactly as a plain map does', () => {
    const normalizer = venueC.capture.createNormalizer();
    for (const [asset_id, market] of tokens)
      feed(normalizer, { event_type: 'book', market, asset_id, bids: [], asks: [] });
    const plain = new Map<string, Map<string, string>>();
    for (const message of messages) {
      const [book] = only(feed(normalizer, message), 'book');
      const held = plain.get(message.asset_id) ?? new Map<string, string>();
      plain.set(message.asset_id, held);
      for (const { side, price, size } of message.changes as Record<'side' | 'price' | 'size', string>[]) {
        if (Number(size) === 0) held.delete(`${side} ${Number(price)}`);
        else held.set(`${side} ${Number(price)}`, `${price} ${size}`);
      }
      const text = sourceText(book!);
      const ours = [
        ...text.bids.map((level) => ['BUY', ...level]),
        ...text.asks.map((level) => ['SELL', ...level]),
      ];
      expect(
        new Map(ours.map(([side, price, size]) => [`${side} ${Number(price)}`, `${price} ${size}`])),
      ).toEqual(held);
    }
  });
});

const FLAT = 'venue-c/ws_price_change_flat_sports_jun2026_part1.csv.gz';
describe.skipIf(missing(FLAT))('changes without their books', () => {
  it('gives one break per token and no observation', () => {
    const normalizer = venueC.capture.createNormalizer();
    const tokens = new Set<string>();
    const counts: Record<string, number> = {};
    const rows = lines(FLAT).slice(1, 20_001);
    for (const row of rows) {
      const [timestamp, asset_id = '', , side, price, size, best_bid, best_ask] = row.split(',');
      tokens.add(asset_id);
      const entry = { asset_id, price, size, side: side === 'BID' ? 'BUY' : 'SELL', best_bid, best_ask };
      const message = {
        event_type: 'price_change',
        market: `0x${'00'.repeat(32)}`,
        timestamp,
        price_changes: [entry],
      };
      for (const [name, count] of Object.entries(tally(feed(normalizer, message))))
        counts[name] = (counts[name] ?? 0) + count;
    }
    expect(counts).toEqual({ 'break awaiting_snapshot': tokens.size, 'skip awaiting_snapshot': rows.length });
  });
});

const MARKETS = 'venue-c/markets_btc5m_20260724.jsonl.gz';
describe.skipIf(missing(MARKETS))('292 resolved five-minute markets', () => {
  it('agrees with the recorder on window, times and winner of each', () => {
    const markets = lines(MARKETS).map((line) => JSON.parse(line) as Recorded);
    expect(markets).toHaveLength(292);
    for (const market of markets) {
      const [found] = only(
        feed(venueC.capture.createNormalizer(), [market.raw], 'gamma:/markets?slug=x'),
        'market',
      );
      const winner = market.outcome_prices.indexOf('1');
      expect(found).toMatchObject({
        market: market.condition_id,
        fields: {
          slug: market.slug,
          asset: 'BTC',
          window: '5m',
          status: 'resolved',
          opensAt: market.start_sec * 1e6,
          closesAt: market.end_sec * 1e6,
          winningOutcome: market.token_ids[winner],
          resolution: winner === 0 ? 'Up' : 'Down',
        },
      });
    }
  });
});
type Recorded = {
  slug: string;
  condition_id: string;
  token_ids: string[];
  start_sec: number;
  end_sec: number;
  outcome_prices: string[];
  raw: unknown;
};

const PREDICT = 'venue-a/predictfun-rest-books.jsonl';
describe.skipIf(missing(PREDICT))('predict.fun books at expiry', () => {
  it('is one-sided, best first, dust flagged and every text kept', () => {
    const states = lines(PREDICT).map((line) => {
      const id = /"market_id": (\d+)/.exec(line)![1]!;
      const data = line.slice(line.indexOf('"orderbook": ') + 13, -1);
      const channel = `predictfun:/v1/markets/${id}/orderbook`;
      const [book] = only(
        feed(venueA.capture.createNormalizer(), `{"success":true,"data":${data}}`, channel),
        'book',
      );
      const written = /"bids": \[(.*?)\](?:\]|, ")/.exec(data)![1]!;
      const bids = [...written.matchAll(/\[([^,\]]+), ([^\]]+)\]?/g)].map(([, price, size]) => [price, size]);
      expect(sourceText(book!).bids).toEqual(bids);
      return [book!.market, book!.bidPrices.length, book!.askPrices.length, book!.flags];
    });
    expect(states).toEqual([
      ['1015947', 21, 0, ['inexact']],
      ['1015955', 0, 26, ['inexact']],
      ['1017951', 0, 21, []],
    ]);
  });
});
