// A recording of venue C as its own protocol: each message by itself, in the text it was recorded with.

import type { BookObserved } from '../../events/events.ts';
import { formatMicro, type Micro } from '../../kernel/decimal.ts';
import { isObject, parseJson, textOf } from '../../kernel/exact-json.ts';
import { MICROS_PER_SECOND } from '../../kernel/time.ts';
import { nativeOf, newestOf, recordedLevels, statedMs } from '../serving/recorded.ts';
import type { DerivedAnswer, Recalled, VenueReplayPart } from '../serving/replay.ts';
import { asJson, type RestRequest, type ServerPrimitives } from '../serving/server.ts';
import {
  tokenAnswer,
  tokensAsked,
  withBookHash,
  type BookSummary,
  type TokenFacts,
  type WireLevel,
} from './server.ts';
import { withoutTokens, type FrameC } from './server-socket.ts';

export const replay: VenueReplayPart<FrameC> = {
  watchedId: (_market, outcome) => outcome,
  frames: (event, text, followed) =>
    framesC(text).flatMap(({ kind, ...frame }) => {
      if (kind === 'book') for (const token of frame.tokens) followed.set(token, event.session);
      const others = frame.tokens.filter((token) => {
        const follows = followed.get(token);
        return (kind === 'change' ? follows : (follows ?? event.session)) !== event.session;
      });
      const left = withoutTokens(frame, new Set(others));
      return left ? [{ frame: left, id: left.tokens[0] ?? '' }] : [];
    }),
  firstBook(token, known) {
    const book = known.bookOfToken(token);
    return book && { frame: bookFrame(book), book };
  },
  relativeChanges: false,
  answer: (request, known, primitives) =>
    request.service === 'gamma' ? gamma(request, known) : clob(request, known, primitives),
};

/** Sent only to clients that asked for custom features. */
const CUSTOM: ReadonlySet<unknown> = new Set(['best_bid_ask', 'new_market', 'market_resolved']);

/** What a message does to books. */
type Kind = 'book' | 'change' | 'other';

const idOf = (value: unknown): string => textOf(value) ?? '';

export function framesC(text: string): (FrameC & { readonly kind: Kind })[] {
  const parsed = parseJson(text);
  const messages = Array.isArray(parsed) ? parsed : [parsed];
  const texts = Array.isArray(parsed) ? elementsOf(text) : [text];
  return messages.flatMap((message: unknown, at) => {
    if (!isObject(message)) return [];
    const type = message['event_type'];
    const isBook = type === 'book' || (type === undefined && ('bids' in message || 'buys' in message));
    const isChange = type === 'price_change' || 'price_changes' in message || 'changes' in message;
    return [
      {
        // A notice of a new market concerns everyone.
        tokens: type === 'new_market' ? [] : tokensOf(message),
        market: typeof message['market'] === 'string' ? message['market'] : '',
        text: texts[at]!,
        custom: CUSTOM.has(type),
        kind: isBook ? 'book' : isChange ? 'change' : 'other',
      },
    ];
  });
}

function tokensOf(message: Readonly<Record<string, unknown>>): string[] {
  const changes = message['price_changes'];
  if (Array.isArray(changes))
    return [...new Set(changes.map((entry: unknown) => (isObject(entry) ? idOf(entry['asset_id']) : '')))];
  if (Array.isArray(message['assets_ids'])) return message['assets_ids'].map(idOf);
  return message['asset_id'] === undefined ? [] : [idOf(message['asset_id'])];
}

/** The exact texts of the elements of a JSON array that is known to be well formed. */
export function elementsOf(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let inText = false;
  let start = -1;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (inText) {
      if (sign === '\\') at++;
      else if (sign === '"') inText = false;
      continue;
    }
    if (sign === '"') inText = true;
    if (sign === '[' || sign === '{') {
      if (depth === 0) start = at + 1;
      depth++;
    } else if (sign === ']' || sign === '}') {
      depth--;
      if (depth === 0 && text.slice(start, at).trim() !== '') found.push(text.slice(start, at).trim());
    } else if (sign === ',' && depth === 1) {
      found.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return found;
}

/** Worst first. */
const wireLevels = (book: BookObserved, side: 'bid' | 'ask'): WireLevel[] =>
  recordedLevels(book, side)
    .map(([price, size]) => ({ price, size }))
    .reverse();

const bookFrame = (book: BookObserved): FrameC => ({
  tokens: [book.outcome],
  market: book.market,
  text: JSON.stringify({
    market: book.market,
    asset_id: book.outcome,
    timestamp: String(statedMs(book)),
    // The venue's own hash where the recorded message stated one.
    hash: book.hash ?? '',
    bids: wireLevels(book, 'bid'),
    asks: wireLevels(book, 'ask'),
    event_type: 'book',
  }),
  custom: false,
});

/** What the recording does not know is null, and empty text in the book. */
function factsOf(book: BookObserved, known: Recalled, primitives: ServerPrimitives): TokenFacts {
  const market = known.market(book.market);
  const lastTrade = known.lastTrade(book.market, book.outcome);
  const negRisk = /"negRisk":true/.test(market?.native ?? '');
  const text = (value: Micro | null | undefined): string => (value == null ? '' : formatMicro(value));
  const summary = (): BookSummary => ({
    market: book.market,
    asset_id: book.outcome,
    timestamp: String(statedMs(book)),
    hash: '',
    bids: wireLevels(book, 'bid'),
    asks: wireLevels(book, 'ask'),
    min_order_size: text(market?.minSize),
    tick_size: text(market?.tickSize),
    neg_risk: negRisk,
    last_trade_price: lastTrade ?? '',
  });
  return {
    bid: book.bidPrices[0] ?? null,
    ask: book.askPrices[0] ?? null,
    tickSize: market?.tickSize ?? null,
    negRisk,
    lastTrade: lastTrade === null ? null : { price: lastTrade, side: '' },
    summary: () => withBookHash(summary(), primitives),
  };
}

function clob(
  { path, query, method, body }: RestRequest,
  known: Recalled,
  primitives: ServerPrimitives,
): DerivedAnswer | null {
  if (path === '/time')
    return { answer: asJson(200, Math.floor(known.now / MICROS_PER_SECOND)), at: known.now };
  if (path === '/books' && method === 'POST') {
    const books = tokensAsked(body)?.flatMap((token) => known.bookOfToken(token) ?? []);
    const summaries = books?.map((book) => factsOf(book, known, primitives).summary());
    return summaries ? { answer: asJson(200, summaries), at: known.now } : null;
  }
  const book = known.bookOfToken(query.get('token_id') ?? '');
  const value = book && tokenAnswer(path, query, factsOf(book, known, primitives));
  return value ? { answer: asJson(200, value), at: book.observedAt } : null;
}

type GammaNative = {
  readonly gamma_market?: Record<string, unknown>;
  readonly gamma_event?: Record<string, unknown>;
};

/** Look-ups by id only: a listing is answered as it was recorded, or not at all. */
function gamma({ path, query }: RestRequest, known: Recalled): DerivedAnswer | null {
  const bySlug = /^\/(?:markets|events)\/slug\/([^/]+)$/.exec(path);
  const byId = /^\/markets\/([^/]+)$/.exec(path)?.[1] ?? null;
  const slug = bySlug?.[1] ?? query.get('slug');
  const conditions = query.list('condition_ids');
  const tokens = query.list('clob_token_ids');
  const found = [...known.markets()].filter(
    ({ native, ...market }) =>
      (slug !== null && market.slug === slug) ||
      conditions.includes(market.market) ||
      tokens.some((token) => market.outcomes.some(({ id }) => id === token)) ||
      (byId !== null && native.includes(`"id":"${byId}"`)),
  );
  const natives = found
    .map((market) => ({ market, native: nativeOf(market) as GammaNative }))
    .filter(
      ({ native: { gamma_market } }) => gamma_market && (byId ?? gamma_market['id']) === gamma_market['id'],
    );
  const [first] = natives;
  if (!first) return null;
  const at = newestOf(natives.map(({ market }) => market));
  if (path.startsWith('/events')) {
    if (!first.native.gamma_event) return null;
    const markets = natives.map(({ native }) => native.gamma_market);
    const event = { ...first.native.gamma_event, markets };
    return { answer: asJson(200, bySlug ? event : [event]), at };
  }
  const markets = natives.map(({ native: { gamma_market, gamma_event } }) =>
    gamma_event ? { ...gamma_market, events: [gamma_event] } : gamma_market,
  );
  return { answer: asJson(200, bySlug || byId !== null ? markets[0] : markets), at };
}
