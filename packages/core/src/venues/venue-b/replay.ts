// A recording of venue B as its own protocol: snapshots and changes without the numbers of the recorded connection.

import type { BookObserved, MarketObserved } from '../../events/events.ts';
import { complement, decimal } from '../../kernel/decimal.ts';
import { isObject, parseJson } from '../../kernel/exact-json.ts';
import { nativeOf, newestOf, recordedLevels, type Pair } from '../serving/recorded.ts';
import type { DerivedAnswer, Recalled, VenueReplayPart } from '../serving/replay.ts';
import { asJson, type RestRequest } from '../serving/server.ts';
import { contracts, dollars, type FrameB } from './server-socket.ts';

/** The one outcome that has a book. */
const OUTCOME = 'yes';

export const replay: VenueReplayPart<FrameB> = {
  watchedId: (market) => market,
  frames(event, text, followed, known) {
    const stated = event.settings['use_yes_price'];
    const yesPrices = (market: string): boolean => {
      if (stated !== undefined) return stated === 'true';
      const book = known.book(market, OUTCOME);
      return book !== null && book.session === event.session && !book.askComplement;
    };
    return framesB(text, yesPrices).flatMap((frame) => {
      if (frame.type === 'orderbook_snapshot') followed.set(frame.market, event.session);
      const follows = followed.get(frame.market);
      // A change only builds on the snapshot of its own connection; other messages may come before any book.
      const fits = frame.type === 'orderbook_delta' ? follows : (follows ?? event.session);
      return fits === event.session ? [{ frame, id: frame.market }] : [];
    });
  },
  firstBook(ticker, known) {
    const book = known.book(ticker, OUTCOME);
    return book && { frame: snapshot(book), book };
  },
  relativeChanges: true,
  answer,
};

const CHANNEL_OF_TYPE: Readonly<Record<FrameB['type'], FrameB['channel']>> = {
  orderbook_snapshot: 'orderbook_delta',
  orderbook_delta: 'orderbook_delta',
  trade: 'trade',
  ticker: 'ticker',
  market_lifecycle_v2: 'market_lifecycle_v2',
  event_lifecycle: 'market_lifecycle_v2',
};

export function framesB(text: string, yesPrices: (market: string) => boolean): FrameB[] {
  const message = parseJson(text);
  if (!isObject(message) || !isObject(message['msg'])) return [];
  const type = message['type'] as FrameB['type'];
  if (!Object.hasOwn(CHANNEL_OF_TYPE, type)) return [];
  const { msg } = message;
  const market = typeof msg['market_ticker'] === 'string' ? msg['market_ticker'] : '';
  if (market === '' && type !== 'event_lifecycle') return [];
  return [{ channel: CHANNEL_OF_TYPE[type], type, market, msg, yesPrices: yesPrices(market) }];
}

/** YES and NO bids, lowest first, in fixed point whatever dialect was recorded. */
function bidsOf(book: BookObserved): { yes: Pair[]; no: Pair[] } {
  const isFixed = book.priceFormat === '4' && book.sizeFormat === '2';
  const text = (side: 'bid' | 'ask'): Pair[] => {
    if (isFixed) return recordedLevels(book, side);
    const [prices, sizes] =
      side === 'bid' ? [book.bidPrices, book.bidSizes] : [book.askPrices, book.askSizes];
    const turned = side === 'ask' && book.askComplement;
    return prices.map((price, at) => [dollars(turned ? complement(price) : price), contracts(sizes[at]!)]);
  };
  const asks = text('ask');
  return { yes: text('bid').reverse(), no: book.askComplement ? asks.reverse() : asks };
}

function snapshot(book: BookObserved): FrameB {
  const { yes, no } = bidsOf(book);
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

function answer({ path, query }: RestRequest, known: Recalled): DerivedAnswer | null {
  const [, ticker, orderbook] = /^\/markets\/([^/]+)(\/orderbook)?$/.exec(path) ?? [];
  if (ticker === undefined || ticker === 'orderbooks') return path === '/markets' ? list(query, known) : null;
  const id = decodeURIComponent(ticker);
  if (orderbook) {
    const book = known.book(id, OUTCOME);
    const depth = Number(query.get('depth') ?? 0);
    return book && { answer: asJson(200, restBook(book, depth)), at: book.observedAt };
  }
  const market = known.market(id);
  return market && { answer: asJson(200, { market: nativeOf(market) }), at: market.observedAt };
}

/** The REST book states NO prices, always. */
function restBook(book: BookObserved, depth: number): object {
  const { yes, no } = bidsOf(book);
  const turned = book.askComplement
    ? no
    : no.map(([price, size]): Pair => [dollars(complement(decimal(price).value)), size]).reverse();
  const best = (side: Pair[]): Pair[] => (depth > 0 ? side.slice(-depth) : side);
  return { orderbook_fp: { yes_dollars: best(yes), no_dollars: best(turned) } };
}

const STATUS_OF_FILTER: Readonly<Record<string, MarketObserved['status']>> = {
  unopened: 'upcoming',
  open: 'open',
  closed: 'closed',
  settled: 'resolved',
};

/** Of a series, an event or some tickers, and on one page only: other lists are answered as recorded, or not at all. */
function list(query: RestRequest['query'], known: Recalled): DerivedAnswer | null {
  const series = query.get('series_ticker');
  const event = query.get('event_ticker');
  const tickers = query.get('tickers')?.split(',') ?? null;
  const status = query.get('status');
  if (query.get('cursor') || (series === null && event === null && tickers === null)) return null;
  const found = [...known.markets()].filter(
    (market) =>
      (series === null || market.seriesId === series) &&
      (event === null || market.eventId === event) &&
      (tickers === null || tickers.includes(market.market)) &&
      (status === null || STATUS_OF_FILTER[status] === market.status),
  );
  if (found.length === 0) return null;
  return { answer: asJson(200, { markets: found.map(nativeOf), cursor: '' }), at: newestOf(found) };
}
