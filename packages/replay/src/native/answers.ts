// REST at the replay's moment: the newest recorded answer to the same question; books and single markets from what was recorded
// of them, where that is newer or the question was never asked while recording.

import type { BookObserved, MarketObserved, Micros } from '@ladderlog/core';
import { MICRO, formatMicro } from '@ladderlog/core';
import type { RestAnswer, RestRequest } from '@ladderlog/simulators';
import { tokensAsked } from '@ladderlog/simulators';
import { restBookA, restBookB, summaryC } from './books.ts';

/** Bodies kept; the longest unused go first. */
const MAX_BYTES = 64 * 1024 * 1024;

const AUTHENTICATES = new Set(['signature', 'timestamp', 'recvWindow']);

/** The question, with parameters in one order. */
function questionOf(service: string, path: string, query: URLSearchParams): string {
  const pairs = [...query]
    .filter(([name]) => !AUTHENTICATES.has(name))
    .map(([name, value]) => `${name}=${value}`);
  return `${service}:${path}?${pairs.sort().join('&')}`;
}

export class RecordedAnswers {
  private readonly byQuestion = new Map<string, { readonly body: string; readonly at: Micros }>();
  private bytes = 0;

  /** `channel` as recorded: `rest:/path?query`. */
  note(channel: string, body: string, at: Micros): void {
    const match = /^([a-z]+):([^?]*)(?:\?(.*))?$/s.exec(channel);
    if (!match) return;
    const question = questionOf(match[1]!, match[2]!, new URLSearchParams(match[3] ?? ''));
    this.bytes += body.length - (this.byQuestion.get(question)?.body.length ?? 0);
    this.byQuestion.delete(question);
    this.byQuestion.set(question, { body, at });
    for (const [oldest, { body: dropped }] of this.byQuestion) {
      if (this.bytes <= MAX_BYTES || oldest === question) break;
      this.byQuestion.delete(oldest);
      this.bytes -= dropped.length;
    }
  }

  find(request: RestRequest): { readonly body: string; readonly at: Micros } | null {
    return this.byQuestion.get(questionOf(request.service, request.path, request.query)) ?? null;
  }

  copy(): RecordedAnswers {
    const copy = new RecordedAnswers();
    for (const [question, answer] of this.byQuestion) copy.byQuestion.set(question, answer);
    copy.bytes = this.bytes;
    return copy;
  }
}

/** What is known at the replay's moment. */
export type Recalled = {
  book(market: string, outcome: string): BookObserved | null;
  bookOfToken(token: string): BookObserved | null;
  market(market: string): MarketObserved | null;
  markets(): Iterable<MarketObserved>;
  lastTrade(market: string, outcome: string): string | null;
  readonly now: Micros;
};

type Derived = { readonly answer: RestAnswer; readonly at: Micros };

const json = (value: unknown, status = 200): RestAnswer => ({ status, body: JSON.stringify(value) });

export function answerOf(
  request: RestRequest,
  recorded: RecordedAnswers,
  known: Recalled,
): RestAnswer | null {
  const taped = recorded.find(request);
  const derived = derive(request, known);
  if (derived && (!taped || derived.at > taped.at)) return derived.answer;
  return taped ? { status: 200, body: taped.body } : null;
}

function derive(request: RestRequest, known: Recalled): Derived | null {
  const { service, path } = request;
  if (service === 'clob') return clob(request, known);
  if (service === 'gamma') return gamma(request, known);
  return path.startsWith('/order-book') || path.startsWith('/market/')
    ? venueA(request, known)
    : venueB(request, known);
}

function clob({ path, query, method, body }: RestRequest, known: Recalled): Derived | null {
  if (path === '/time') return { answer: json(Math.floor(known.now / MICRO)), at: known.now };
  const summary = (token: string) => {
    const book = known.bookOfToken(token);
    return book ? summaryC(book, known.market(book.market), known.lastTrade(book.market, token)) : null;
  };
  if (path === '/books' && method === 'POST') {
    const asked = tokensAsked(body);
    return asked && { answer: json(asked.map(summary).filter((one) => one !== null)), at: known.now };
  }
  const token = query.get('token_id');
  const book = token === null ? null : known.bookOfToken(token);
  if (!book || token === null) return null;
  const at = book.observedAt;
  const [bid, ask] = [book.bidPrices[0] ?? null, book.askPrices[0] ?? null];
  const market = known.market(book.market);
  switch (path) {
    case '/book':
      return { answer: json(summary(token)), at };
    case '/price': {
      const price = query.get('side')?.toUpperCase() === 'SELL' ? ask : bid;
      return price === null ? null : { answer: json({ price: formatMicro(price) }), at };
    }
    case '/midpoint':
      return bid === null || ask === null
        ? null
        : { answer: json({ mid: formatMicro(Math.floor((bid + ask) / 2)) }), at };
    case '/spread':
      return bid === null || ask === null ? null : { answer: json({ spread: formatMicro(ask - bid) }), at };
    case '/tick-size':
      return market?.tickSize == null
        ? null
        : { answer: json({ minimum_tick_size: market.tickSize / MICRO }), at };
    case '/neg-risk':
      return { answer: json({ neg_risk: /"negRisk":true/.test(market?.native ?? '') }), at };
    case '/last-trade-price': {
      const price = known.lastTrade(book.market, token);
      return price === null ? null : { answer: json({ price, side: '' }), at };
    }
    default:
      return null;
  }
}

type GammaNative = {
  readonly gamma_market?: Record<string, unknown>;
  readonly gamma_event?: Record<string, unknown>;
};

const nativeOf = (market: MarketObserved): Record<string, Record<string, unknown>> =>
  JSON.parse(market.native) as Record<string, Record<string, unknown>>;

/** Look-ups by id only: a listing is answered as it was recorded, or not at all. */
function gamma({ path, query }: RestRequest, known: Recalled): Derived | null {
  const bySlug = /^\/(markets|events)\/slug\/([^/]+)$/.exec(path);
  const byId = /^\/markets\/([^/]+)$/.exec(path)?.[1] ?? null;
  const slug = bySlug?.[2] ?? query.get('slug');
  const conditions = query.getAll('condition_ids');
  const tokens = query.getAll('clob_token_ids');
  const found: { market: MarketObserved; native: GammaNative }[] = [];
  for (const market of known.markets()) {
    const wanted =
      (slug !== null && market.slug === slug) ||
      conditions.includes(market.market) ||
      tokens.some((token) => market.outcomes.some(({ id }) => id === token)) ||
      (byId !== null && market.native.includes(`"id":"${byId}"`));
    if (!wanted) continue;
    const native: GammaNative = nativeOf(market);
    if (byId !== null && native.gamma_market?.['id'] !== byId) continue;
    if (native.gamma_market) found.push({ market, native });
  }
  if (found.length === 0) return null;
  const at = Math.max(...found.map(({ market }) => market.observedAt));
  const whole = ({ native }: (typeof found)[number]): object =>
    native.gamma_event
      ? { ...native.gamma_market, events: [native.gamma_event] }
      : { ...native.gamma_market };
  if (path.startsWith('/events')) {
    const [first] = found;
    if (!first?.native.gamma_event) return null;
    const event = { ...first.native.gamma_event, markets: found.map(({ native }) => native.gamma_market) };
    return { answer: json(bySlug ? event : [event]), at };
  }
  const markets = found.map(whole);
  return { answer: json(bySlug || byId !== null ? markets[0] : markets), at };
}

function venueB({ path, query }: RestRequest, known: Recalled): Derived | null {
  const [, ticker, rest] = /^\/markets\/([^/]+)(\/orderbook)?$/.exec(path) ?? [];
  if (ticker !== undefined && ticker !== 'orderbooks') {
    const id = decodeURIComponent(ticker);
    if (rest) {
      const book = known.book(id, 'yes');
      const depth = Number(query.get('depth') ?? 0);
      return book && { answer: json(restBookB(book, depth)), at: book.observedAt };
    }
    const market = known.market(id);
    return market && { answer: json({ market: nativeOf(market) }), at: market.observedAt };
  }
  if (path !== '/markets' || query.get('cursor')) return null;
  const series = query.get('series_ticker');
  const event = query.get('event_ticker');
  const tickers = query.get('tickers')?.split(',') ?? null;
  const status = query.get('status');
  if (series === null && event === null && tickers === null) return null;
  const found = [...known.markets()].filter(
    (market) =>
      (series === null || market.seriesId === series) &&
      (event === null || market.eventId === event) &&
      (tickers === null || tickers.includes(market.market)) &&
      (status === null || isStatus(market, status)),
  );
  if (found.length === 0) return null;
  return {
    answer: json({ markets: found.map((market) => nativeOf(market)), cursor: '' }),
    at: Math.max(...found.map(({ observedAt }) => observedAt)),
  };
}

const isStatus = ({ status }: MarketObserved, asked: string): boolean =>
  ({ unopened: 'upcoming', open: 'open', closed: 'closed', settled: 'resolved' })[asked] === status;

function venueA({ path, query }: RestRequest, known: Recalled): Derived | null {
  if (path === '/order-book') {
    const market = known.market(query.get('marketId') ?? '');
    const outcome = market?.outcomes.find(({ tokenId }) => tokenId === query.get('tokenId'));
    const book = market && known.book(market.market, '0');
    if (!book || !outcome) return null;
    const answer = restBookA(book, outcome.label, outcome.tokenId!, outcome.index === 1);
    return { answer: json(answer), at: book.observedAt };
  }
  if (path !== '/market/detail') return null;
  const topic = query.get('marketTopicId');
  const found = [...known.markets()].filter((market) => market.eventId === topic && topic !== null);
  if (found.length === 0) return null;
  const natives = found.map(nativeOf);
  return {
    answer: json({ ...natives[0]!['topic'], markets: natives.map(({ market }) => market) }),
    at: Math.max(...found.map(({ observedAt }) => observedAt)),
  };
}
