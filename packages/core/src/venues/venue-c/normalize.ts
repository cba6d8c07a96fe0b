// Venue C (Polymarket's dialect): frames to findings. A full book starts a token's book, a price_change sets levels of it; a
// change for a token whose book is not known gives no observation. See docs/normalization-venue-c.md.

import type { JsonObject } from '../../kernel/exact-json.ts';
import { isObject, parseExact, parseJson, textOf } from '../../kernel/exact-json.ts';
import { parseDecimal } from '../../kernel/decimal.ts';
import type { Micro } from '../../kernel/decimal.ts';
import type { Finding, Frame, MarketFields, Normalizer } from '../../capture/finding.ts';
import { parseChannel } from '../shared/channel.ts';
import type { Channel } from '../shared/channel.ts';
import { KnownMarkets, isEnded } from '../shared/known-markets.ts';
import { mergeMarket } from '../shared/merge-market.ts';
import { compared, reject, rejectIntact, sample, skip } from '../shared/findings.ts';
import { microOf } from '../shared/source-decimal.ts';
import { millisOf } from '../shared/source-time.ts';
import { readLevel } from '../shared/wire-levels.ts';
import { TokenBook } from './books.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { fromClobMarket, fromGamma, fromNewMarket, fromResolved, gammaItems } from './catalogue.ts';
import type { LossCause } from './continuity.ts';
import { Losses, isBefore } from './continuity.ts';
import { readingOf } from './rest.ts';
import type { MessageKind } from './wire.ts';
import { bookShapeOf, changeShapeOf, kindOf, plainText, readSide, sideOf } from './wire.ts';

type Rest = Extract<Channel, { kind: 'rest' }>;

export class VenueCNormalizer implements Normalizer {
  private readonly books = new Map<string, TokenBook>();
  private readonly losses = new Losses();
  private readonly ticks = new Map<string, Micro>();
  private readonly known = new KnownMarkets((_market, { outcomes }) => {
    for (const { id } of outcomes) {
      this.books.delete(id);
      this.losses.found(id);
      this.ticks.delete(id);
      this.marketOfToken.delete(id);
    }
  });
  private readonly marketOfToken = new Map<string, string>();

  normalize(frame: Frame): Finding[] {
    const into: Finding[] = [];
    if (frame.direction === 'out') return [skip('outbound')];
    try {
      this.read(frame, into);
    } catch (error) {
      // A fault of ours must not lose the frame, nor leave half-applied books in use.
      this.forget();
      return [reject('', 'normalizer_failed', error instanceof Error ? error.message : String(error))];
    }
    if (into.length === 0) into.push(skip('nothing_to_record'));
    return into;
  }

  forget(): void {
    this.books.clear();
    this.losses.clear();
  }

  learn(market: string, fields: MarketFields): void {
    this.known.set(market, fields);
    for (const outcome of fields.outcomes) this.marketOfToken.set(outcome.id, market);
  }

  private read(frame: Frame, into: Finding[]): void {
    const channel = parseChannel(frame.channel);
    if (channel === null) into.push(reject('', 'unknown_channel', frame.channel));
    else if (channel.kind === 'ws') this.readSocket(frame, into);
    else this.readRest(channel, frame, into);
  }

  private readSocket(frame: Frame, into: Finding[]): void {
    const plain = plainText(frame.text);
    if (plain !== undefined) {
      into.push(skip(plain));
      return;
    }
    const parsed = parseJson(frame.text);
    if (parsed === undefined) {
      into.push(reject('', 'not_json', frame.text));
      return;
    }
    if (!Array.isArray(parsed)) this.readMessage(parsed, into);
    else if (parsed.length === 0) into.push(skip('empty_array'));
    else for (const message of parsed as readonly unknown[]) this.readMessage(message, into);
  }

  private readMessage(message: unknown, into: Finding[]): void {
    if (!isObject(message)) {
      into.push(reject('', 'not_an_object', message));
      return;
    }
    const kind = kindOf(message);
    if (kind === null) into.push(reject(textOf(message['market']) ?? '', 'unknown_kind', message));
    else this.readers[kind](message, into);
  }

  private readonly readers: Record<MessageKind, (message: JsonObject, into: Finding[]) => void> = {
    book: (message, into) => this.readBook(message, true, {}, into),
    price_change: (message, into) => this.readChanges(message, into),
    last_trade_price: (message, into) => this.readTrade(message, into),
    tick_size_change: (message, into) => this.readTick(message, into),
    best_bid_ask: (_message, into) => into.push(skip('best_bid_ask')),
    new_market: (message, into) => this.readNewMarket(message, into),
    market_resolved: (message, into) => this.readResolved(message, into),
  };

  private readBook(
    message: JsonObject,
    streamed: boolean,
    query: Readonly<Record<string, string>>,
    into: Finding[],
  ): void {
    const token = textOf(message['asset_id']) ?? query['token_id'] ?? null;
    const market = textOf(message['market']) ?? this.marketOfToken.get(token ?? '') ?? '';
    if (token === null || market === '') {
      into.push(reject(market, token === null ? 'missing_token' : 'missing_market', message));
      return;
    }
    const shape = bookShapeOf(message);
    const bids = shape && readSide(message[shape.bid]);
    const asks = shape && readSide(message[shape.ask]);
    if (!shape || !bids || !asks) {
      into.push(rejectIntact(market, 'bad_book', message));
      if (streamed) this.lose(market, token, 'rejected_frame', 'a full book could not be read', into);
      return;
    }
    const sourceTs = millisOf(message['timestamp']);
    const held = this.books.get(token);
    if (held && (held.streamed || (streamed && held.changed))) {
      const method = streamed ? 'snapshot' : 'rest';
      const drift = held.drift(bids, asks);
      into.push(compared(market, token, method, sourceTs, drift));
      // Beside a book of the socket, a REST answer is a measurement and not a state of the stream.
      if (!streamed) return;
    }
    const tick = microOf(message['tick_size']);
    if (tick !== null && tick > 0) this.ticks.set(token, tick);
    const book = new TokenBook(market, token, streamed, sourceTs, this.ticks.get(token) ?? null);
    const naming = { nativeBid: shape.bid, nativeAsk: shape.ask, hash: textOf(message['hash']) };
    into.push(book.start(bids, asks, sourceTs, naming));
    this.books.set(token, book);
    this.losses.found(token);
    this.marketOfToken.set(token, market);
  }

  /** All changes of one message are one state change: one observation per token, in order of first appearance. */
  private readChanges(message: JsonObject, into: Finding[]): void {
    const stated = textOf(message['market']);
    const shape = changeShapeOf(message);
    const list = shape?.changes(message) ?? null;
    if (shape === null || list === null) {
      into.push(reject(stated ?? '', 'unknown_change_shape', message));
      return;
    }
    const sourceTs = millisOf(message['timestamp']);
    const touched = new Set<TokenBook>();
    let skipped: string | null = null;
    for (const change of list) {
      const { token } = change;
      const market = stated ?? this.marketOfToken.get(token ?? '') ?? '';
      if (token === null || market === '') {
        const reason = token === null ? 'missing_token' : 'missing_market';
        into.push(reject(market, reason, message));
        continue;
      }
      const side = sideOf(change.side);
      const level = readLevel(change.price, change.size);
      if (!side || !level) {
        into.push(rejectIntact(market, 'bad_change', change));
        const book = this.books.get(token);
        if (book) touched.delete(book);
        this.lose(market, token, 'rejected_frame', 'a change could not be read', into);
        continue;
      }
      const book = this.books.get(token);
      if (!book) {
        skipped = 'awaiting_snapshot';
        this.lose(market, token, 'awaiting_snapshot', 'a change before any full book', into);
      } else if (!book.streamed && isBefore(sourceTs, book.startedAt)) skipped = 'before_snapshot';
      else {
        book.set({ side, level });
        touched.add(book);
      }
    }
    const naming = { nativeBid: 'BUY', nativeAsk: 'SELL', hash: shape.hash(message) };
    for (const book of touched) into.push(book.observe(sourceTs, naming));
    if (skipped !== null) into.push(skip(skipped));
  }

  private lose(market: string, token: string, cause: LossCause, detail: string, into: Finding[]): void {
    this.books.delete(token);
    this.losses.lose(market, token, cause, detail, into);
  }

  private readTrade(message: JsonObject, into: Finding[]): void {
    const token = textOf(message['asset_id']);
    const market = textOf(message['market']) ?? this.marketOfToken.get(token ?? '') ?? '';
    const text = textOf(message['price']);
    const price = text === null ? null : parseDecimal(text);
    if (token === null || market === '' || text === null || price === null) {
      into.push(rejectIntact(market, 'bad_trade', message));
      return;
    }
    const of = {
      market,
      outcome: token,
      metric: 'last_trade',
      sourceTs: millisOf(message['timestamp']),
    } as const;
    const trade = { size: microOf(message['size']), takerSide: textOf(message['side']) };
    into.push(sample(of, text, price, trade));
  }

  private readTick(message: JsonObject, into: Finding[]): void {
    const token = textOf(message['asset_id']);
    const market = textOf(message['market']) ?? this.marketOfToken.get(token ?? '') ?? '';
    if (token === null || market === '') {
      into.push(reject(market, 'missing_token', message));
      return;
    }
    const tick = microOf(message['new_tick_size']);
    if (tick !== null && tick > 0) this.ticks.set(token, tick);
    else this.ticks.delete(token);
    const detail = `${textOf(message['old_tick_size'])} to ${textOf(message['new_tick_size'])}`;
    this.lose(market, token, 'tick_change', detail, into);
    into.push(skip('tick_size_change'));
  }

  private readNewMarket(message: JsonObject, into: Finding[]): void {
    const entry = fromNewMarket(message);
    if (entry === null) into.push(skip('new_market_not_followed'));
    else if (this.known.has(entry.market)) into.push(skip('new_market_known'));
    else this.found(entry, into);
  }

  private readResolved(message: JsonObject, into: Finding[]): void {
    const entry = fromResolved(message);
    if (entry === null) {
      into.push(reject('', 'missing_market', message));
      return;
    }
    this.found(entry, into, millisOf(message['timestamp']));
    if (into.at(-1)?.type !== 'end') into.push({ type: 'end', market: entry.market, reason: 'resolved' });
  }

  private found(entry: CatalogueEntry, into: Finding[], sourceTs: number | null = null): void {
    const before = this.known.get(entry.market);
    const fields = mergeMarket(before, entry.fields);
    this.learn(entry.market, fields);
    into.push({ type: 'market', sourceTs, market: entry.market, fields });
    if (before && !isEnded(before) && isEnded(fields))
      into.push({ type: 'end', market: entry.market, reason: 'resolved' });
  }

  private readRest(channel: Rest, frame: Frame, into: Finding[]): void {
    const answer = parseExact(frame.text);
    if (answer === undefined) {
      into.push(reject('', 'not_json', frame.text));
      return;
    }
    const error = isObject(answer) ? textOf(answer['error']) : null;
    if (error !== null) {
      // Normal for a token that is closed, or not served yet.
      if (/^no orderbook exists/i.test(error)) into.push(skip('no_orderbook'));
      else into.push(reject('', 'venue_error', error));
      return;
    }
    const read = readingOf(channel.source, channel.path);
    if (read === null) into.push(reject('', 'unknown_channel', frame.channel));
    else if (read === 'skip') into.push(skip('not_recorded'));
    else if (read === 'books')
      for (const book of Array.isArray(answer) ? (answer as readonly unknown[]) : [answer])
        if (isObject(book)) this.readBook(book, false, channel.query, into);
        else into.push(reject('', 'not_an_object', book));
    else this.readCatalogue(read, answer, frame, into);
    if (into.length === 0) into.push(skip('empty_answer'));
  }

  private readCatalogue(source: 'gamma' | 'clob', answer: unknown, frame: Frame, into: Finding[]): void {
    for (const item of gammaItems(answer)) {
      const entries =
        source === 'gamma' ? fromGamma(item, frame.observedAt) : [fromClobMarket(item, frame.observedAt)];
      for (const entry of entries) {
        if (entry) this.found(entry, into);
        else into.push(reject('', 'bad_market', item));
      }
    }
  }
}
