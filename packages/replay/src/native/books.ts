// A recorded book in the venue's own words: what a client gets first, and what REST answers. Levels have the text they were
// recorded with.

import type { BookObserved, MarketObserved } from '@ladderlog/core';
import { MICROS_PER_MS, complement, formatMicro, sourceLevels } from '@ladderlog/core';
import type { BookSummary, FrameB, FrameC } from '@ladderlog/simulators';
import { bookHash } from '@ladderlog/simulators';

type Pair = [price: string, size: string];

const levels = (book: BookObserved, side: 'bid' | 'ask'): Pair[] => sourceLevels(book, side, formatMicro);
const millis = (book: BookObserved): number => Math.floor((book.sourceTs ?? book.observedAt) / MICROS_PER_MS);

/** Venue B: YES and NO bids, lowest first, in fixed point whatever the recording spoke. */
function sidesB(book: BookObserved): { yes: Pair[]; no: Pair[] } {
  const fixed = book.priceFormat === '4' && book.sizeFormat === '2';
  const text = (side: 'bid' | 'ask'): Pair[] => {
    if (fixed) return levels(book, side);
    const [prices, sizes] =
      side === 'bid' ? [book.bidPrices, book.bidSizes] : [book.askPrices, book.askSizes];
    const turned = side === 'ask' && book.askComplement;
    return prices.map((price, at) => [
      formatMicro(turned ? complement(price) : price, '4'),
      formatMicro(sizes[at]!, '2'),
    ]);
  };
  const asks = text('ask');
  return { yes: text('bid').reverse(), no: book.askComplement ? asks.reverse() : asks };
}

export function snapshotB(book: BookObserved): FrameB {
  const { yes, no } = sidesB(book);
  const uuid = book.nativeIds['market_uuid'] ?? book.nativeIds['market_id'];
  return {
    channel: 'orderbook_delta',
    type: 'orderbook_snapshot',
    market: book.market,
    msg: {
      market_ticker: book.market,
      ...(uuid === undefined ? {} : { market_id: uuid }),
      ...(yes.length > 0 ? { yes_dollars_fp: yes } : {}),
      ...(no.length > 0 ? { no_dollars_fp: no } : {}),
    },
    yesPrices: !book.askComplement,
  };
}

/** The REST book states NO prices, always. */
export function restBookB(book: BookObserved, depth: number): object {
  const { yes, no } = sidesB(book);
  const turned = book.askComplement
    ? no
    : no
        .map(([price, size]): Pair => [formatMicro(1_000_000 - Math.round(Number(price) * 1e6), '4'), size])
        .reverse();
  const best = (side: Pair[]): Pair[] => (depth > 0 ? side.slice(-depth) : side);
  return { orderbook_fp: { yes_dollars: best(yes), no_dollars: best(turned) } };
}

const wire = (pairs: Pair[]): { price: string; size: string }[] =>
  pairs.map(([price, size]) => ({ price, size })).reverse();

export function bookC(book: BookObserved): FrameC {
  return {
    tokens: [book.outcome],
    market: book.market,
    text: JSON.stringify({
      market: book.market,
      asset_id: book.outcome,
      timestamp: String(millis(book)),
      // The venue's own hash where the recorded message stated one.
      hash: book.hash ?? '',
      bids: wire(levels(book, 'bid')),
      asks: wire(levels(book, 'ask')),
      event_type: 'book',
    }),
    custom: false,
  };
}

/** The CLOB's REST book. What the recording does not know of it is empty text. */
export function summaryC(
  book: BookObserved,
  market: MarketObserved | null,
  lastTrade: string | null,
): BookSummary {
  const summary: BookSummary = {
    market: book.market,
    asset_id: book.outcome,
    timestamp: String(millis(book)),
    hash: '',
    bids: wire(levels(book, 'bid')),
    asks: wire(levels(book, 'ask')),
    min_order_size: market?.minSize == null ? '' : formatMicro(market.minSize),
    tick_size: market?.tickSize == null ? '' : formatMicro(market.tickSize),
    neg_risk: /"negRisk":true/.test(market?.native ?? ''),
    last_trade_price: lastTrade ?? '',
  };
  return { ...summary, hash: bookHash(summary) };
}

/** Venue A's REST book of one outcome; the second is the mirror of the first, as the venue itself serves it. */
export function restBookA(book: BookObserved, label: string, tokenId: string, mirrored: boolean): object {
  const side = (of: 'bid' | 'ask'): { price: string; size: string }[] => {
    if (!mirrored) return levels(book, of).map(([price, size]) => ({ price, size }));
    const from = of === 'bid' ? 'ask' : 'bid';
    const prices = from === 'bid' ? book.bidPrices : book.askPrices;
    return levels(book, from).map(([, size], at) => ({
      price: formatMicro(complement(prices[at]!), book.priceFormat),
      size,
    }));
  };
  return { outcome: label, tokenId, timestamp: millis(book), bids: side('bid'), asks: side('ask') };
}
