// A recording of venue A as its own protocol. Every push is a whole book: nothing to follow, and no first book.

import type { BookObserved } from '../../events/events.ts';
import { complement, formatMicro } from '../../kernel/decimal.ts';
import { isObject, parseJson, textOf } from '../../kernel/exact-json.ts';
import { nativeOf, newestOf, recordedLevels, statedMs } from '../serving/recorded.ts';
import type { DerivedAnswer, Recalled, VenueReplayPart } from '../serving/replay.ts';
import { asJson, type RestRequest } from '../serving/server.ts';
import type { FrameA } from './server-socket.ts';

export const replay: VenueReplayPart<FrameA> = {
  watchedId: (market) => market,
  frames: (_event, text) => framesA(text).map((frame) => ({ frame, id: frame.market })),
  firstBook: () => null,
  relativeChanges: false,
  answer: ({ path, query }, known) =>
    path === '/order-book'
      ? bookAnswer(query, known)
      : path === '/market/detail'
        ? detail(query, known)
        : null,
};

/** The inner text as it was, by its market. */
export function framesA(text: string): FrameA[] {
  const push = parseJson(text);
  if (!isObject(push) || push['type'] !== 'TOPIC' || typeof push['data'] !== 'string') return [];
  const data = parseJson(push['data']);
  const market = isObject(data) ? textOf(data['marketId']) : null;
  return market === null ? [] : [{ market, data: push['data'] }];
}

function bookAnswer(query: RestRequest['query'], known: Recalled): DerivedAnswer | null {
  const market = known.market(query.get('marketId') ?? '');
  const outcome = market?.outcomes.find(({ tokenId }) => tokenId === query.get('tokenId'));
  const book = market && known.book(market.market, '0');
  if (!book || !outcome) return null;
  const answer = restBook(book, outcome.label, outcome.tokenId!, outcome.index === 1);
  return { answer: asJson(200, answer), at: book.observedAt };
}

/** The REST book of one outcome; the second is the mirror of the first, as the venue itself serves it. */
function restBook(book: BookObserved, label: string, tokenId: string, mirrored: boolean): object {
  const side = (of: 'bid' | 'ask'): { price: string; size: string }[] => {
    if (!mirrored) return recordedLevels(book, of).map(([price, size]) => ({ price, size }));
    const from = of === 'bid' ? 'ask' : 'bid';
    const prices = from === 'bid' ? book.bidPrices : book.askPrices;
    return recordedLevels(book, from).map(([, size], at) => ({
      price: formatMicro(complement(prices[at]!), book.priceFormat),
      size,
    }));
  };
  return { outcome: label, tokenId, timestamp: statedMs(book), bids: side('bid'), asks: side('ask') };
}

function detail(query: RestRequest['query'], known: Recalled): DerivedAnswer | null {
  const topic = query.get('marketTopicId');
  const found = [...known.markets()].filter((market) => topic !== null && market.eventId === topic);
  if (found.length === 0) return null;
  const natives = found.map(nativeOf);
  const answer = { ...natives[0]!['topic'], markets: natives.map(({ market }) => market) };
  return { answer: asJson(200, answer), at: newestOf(found) };
}
