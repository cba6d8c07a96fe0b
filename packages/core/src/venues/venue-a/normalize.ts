// Venue A (Binance Wallet Prediction's dialect, and predict.fun's): frames to findings. Every push is a whole book of the first
// outcome; pushes may overtake each other, and an older one is not an observation. See docs/normalization-venue-a.md.

import { parseDecimal } from '../../kernel/decimal.ts';
import type { JsonObject } from '../../kernel/exact-json.ts';
import { arrayOf, isObject, parseExact, parseJson, textOf } from '../../kernel/exact-json.ts';
import type { Finding, Frame, MarketFields, Normalizer } from '../../capture/finding.ts';
import type { Channel } from '../shared/channel.ts';
import { parseChannel } from '../shared/channel.ts';
import { KnownMarkets, isEnded } from '../shared/known-markets.ts';
import { mergeMarket } from '../shared/merge-market.ts';
import { reject, rejectIntact, sample, skip } from '../shared/findings.ts';
import { FIRST, MarketBooks } from './books.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { externalIdOf, fromPredictFun, fromTopic, listedOf, topicsOf } from './catalogue.ts';
import { routeOf, unwrap, venueError } from './rest.ts';
import {
  BOOK_TOPICS,
  OUTCOME_LABELS,
  envelopeOf,
  isHeartbeat,
  lostDigits,
  predictFunMarket,
} from './wire.ts';

type Rest = Extract<Channel, { kind: 'rest' }>;

export class VenueANormalizer implements Normalizer {
  private readonly books = new MarketBooks();
  /** This connection is a socket: its books are those of the first outcome, and no other is watched. */
  private streams = false;
  private readonly known = new KnownMarkets((market, { outcomes }) => {
    this.books.drop(market);
    for (const { tokenId } of outcomes) if (tokenId !== null) this.outcomeOfToken.delete(tokenId);
    for (const [externalId, of] of this.marketOfExternal)
      if (of === market) this.marketOfExternal.delete(externalId);
  });
  private readonly marketOfExternal = new Map<string, string>();
  private readonly outcomeOfToken = new Map<string, { readonly market: string; readonly outcome: string }>();

  normalize(frame: Frame): Finding[] {
    if (frame.channel === 'ws') this.streams = true;
    if (frame.direction === 'out') return [skip('outbound')];
    const into: Finding[] = [];
    try {
      const channel = parseChannel(frame.channel);
      if (channel === null) into.push(reject('', 'unknown_channel', frame.channel));
      else if (channel.kind === 'ws') this.readSocket(frame.text, into);
      else this.readRest(channel, frame, into);
    } catch (error) {
      // A fault of ours must not lose the frame, nor leave half-read state in use.
      this.forget();
      return [reject('', 'normalizer_failed', error instanceof Error ? error.message : String(error))];
    }
    if (into.length === 0) into.push(skip('nothing_to_record'));
    return into;
  }

  forget(): void {
    this.books.forget();
  }

  learn(market: string, fields: MarketFields): void {
    this.remember(market, externalIdOf(fields.native), fields);
  }

  private remember(market: string, externalId: string | null, fields: MarketFields): void {
    this.known.set(market, fields);
    if (externalId !== null) this.marketOfExternal.set(externalId, market);
    for (const { tokenId, id } of fields.outcomes)
      if (tokenId !== null) this.outcomeOfToken.set(tokenId, { market, outcome: id });
  }

  private readonly predictMarket = (externalId: string): string =>
    this.marketOfExternal.get(externalId) ??
    (this.known.get(externalId) ? predictFunMarket(externalId) : externalId);

  private readSocket(text: string, into: Finding[]): void {
    if (isHeartbeat(text)) {
      into.push(skip('heartbeat'));
      return;
    }
    const message = parseJson(text);
    if (!isObject(message)) {
      into.push(reject('', message === undefined ? 'not_json' : 'not_an_object', text));
      return;
    }
    switch (envelopeOf(message)) {
      case 'command':
        if (message['data'] === 'SUCCESS') into.push(skip('command_reply'));
        else into.push(rejectIntact('', 'command_refused', text));
        return;
      case 'topic':
        this.readTopic(message, text, into);
        return;
      case 'reply':
        if (message['success'] === true) into.push(skip('command_reply'));
        else into.push(rejectIntact('', 'command_refused', text));
        return;
      case 'message':
        this.readPredictMessage(message, text, into);
        return;
      case 'ping':
      case 'pong':
        into.push(skip('heartbeat'));
        return;
      case null:
        if (textOf(message['code']) !== null && 'msg' in message)
          into.push({ ...reject('', `venue_error_${textOf(message['code'])}`, text), booksIntact: true });
        else into.push(reject('', 'unknown_kind', text));
    }
  }

  /** `data` is JSON written into a string, to be parsed again. */
  private readTopic(message: JsonObject, text: string, into: Finding[]): void {
    const topic = textOf(message['topic']) ?? '';
    if (BOOK_TOPICS.own.test(topic)) {
      into.push(skip('own_orders'));
      return;
    }
    const named = BOOK_TOPICS.one.exec(topic)?.[1] ?? null;
    if (named === null && topic !== BOOK_TOPICS.all) {
      into.push(reject('', 'unknown_kind', text));
      return;
    }
    const { data } = message;
    let book = typeof data === 'string' ? parseJson(data) : data;
    if (isObject(book) && lostDigits(book)) {
      if (typeof data === 'string') book = parseExact(data);
      else book = (parseExact(text) as JsonObject)['data'];
    }
    if (!isObject(book)) {
      into.push(reject(named ?? '', 'not_json', text));
      return;
    }
    if (book['msgType'] !== undefined && book['msgType'] !== 'orderbook') {
      into.push(reject(named ?? '', 'unknown_kind', text));
      return;
    }
    const market = textOf(book['marketId']) ?? named;
    if (market === null) into.push(reject('', 'missing_market', text));
    else this.books.push(book, market, true, {}, into);
  }

  private readPredictMessage(message: JsonObject, text: string, into: Finding[]): void {
    const topic = textOf(message['topic']) ?? '';
    if (topic === 'heartbeat') {
      into.push(skip('heartbeat'));
      return;
    }
    const named = BOOK_TOPICS.predictFun.exec(topic)?.[1];
    if (named === undefined) {
      into.push(reject('', 'unknown_kind', text));
      return;
    }
    const exact = parseExact(text);
    const book = isObject(exact) ? exact['data'] : null;
    const market = this.predictMarket(named);
    if (isObject(book)) this.books.push(book, market, true, { predictfun_market_id: named }, into);
    else into.push(reject(market, 'bad_book', text));
  }

  private readRest(channel: Rest, frame: Frame, into: Finding[]): void {
    const answer = unwrap(parseExact(frame.text));
    if (answer === undefined) {
      into.push(reject('', 'not_json', frame.text));
      return;
    }
    const error = venueError(answer);
    if (error !== null) {
      into.push(reject(channel.query['marketId'] ?? '', error, frame.text));
      return;
    }
    const route = routeOf(channel.path);
    switch (route?.read) {
      case 'book':
        this.readRestBook(answer, channel, into);
        break;
      case 'last_trade':
        this.readLastTrade(answer, channel, into);
        break;
      case 'topics':
        for (const topic of topicsOf(answer)) {
          const entries = fromTopic(topic, frame.observedAt);
          if (entries.length === 0)
            into.push({ ...skip('topic_without_markets'), listed: listedOf(topic as JsonObject) });
          this.readEntries(entries, topic, into);
        }
        break;
      case 'predict_book': {
        const market = this.predictMarket(route.id);
        if (isObject(answer))
          this.books.push(answer, market, false, { predictfun_market_id: route.id }, into);
        else into.push(reject(market, 'bad_book', frame.text));
        break;
      }
      case 'predict_catalogue':
        for (const item of Array.isArray(answer) ? arrayOf(answer) : [answer])
          this.readEntries(fromPredictFun(item, this.predictMarket, frame.observedAt), item, into);
        break;
      case 'skip':
        into.push(skip('not_recorded'));
        break;
      case undefined:
        into.push(reject('', 'unknown_channel', frame.channel));
    }
    if (into.length === 0) into.push(skip('empty_answer'));
  }

  private readRestBook(answer: unknown, channel: Rest, into: Finding[]): void {
    const token = (isObject(answer) ? textOf(answer['tokenId']) : null) ?? channel.query['tokenId'] ?? null;
    const learned = token === null ? undefined : this.outcomeOfToken.get(token);
    const market = channel.query['marketId'] ?? learned?.market ?? '';
    if (!isObject(answer) || market === '') {
      into.push(reject(market, market === '' ? 'missing_market' : 'bad_book', answer));
      return;
    }
    const label = (textOf(answer['outcome']) ?? '').toLowerCase();
    const outcome = learned?.outcome ?? OUTCOME_LABELS.get(label);
    if (outcome === undefined) into.push(reject(market, 'unknown_outcome', answer));
    else this.books.answer(answer, { market, outcome, token }, this.streams, into);
  }

  private readLastTrade(answer: unknown, channel: Rest, into: Finding[]): void {
    const market = (isObject(answer) ? textOf(answer['marketId']) : null) ?? channel.query['marketId'] ?? '';
    if (!isObject(answer) || market === '') {
      into.push(reject(market, 'bad_trade', answer));
      return;
    }
    const text = textOf(answer['lastTradePrice']);
    const value = text === null ? null : parseDecimal(text);
    if (text === null) into.push(skip('no_trade_yet'));
    else if (value === null) into.push(reject(market, 'bad_trade', text));
    else into.push(sample({ market, outcome: FIRST, metric: 'last_trade', sourceTs: null }, text, value));
  }

  private readEntries(entries: readonly (CatalogueEntry | null)[], item: unknown, into: Finding[]): void {
    for (const entry of entries) {
      if (entry === null) {
        into.push(reject('', 'bad_market', item));
        continue;
      }
      const { market } = entry;
      const before = this.known.get(market);
      const fields = mergeMarket(before, entry.fields);
      this.remember(market, entry.externalId, fields);
      into.push({ type: 'market', sourceTs: null, market, fields });
      if (!isEnded(fields)) into.push(...entry.samples);
      if (before && !isEnded(before) && isEnded(fields))
        into.push({ type: 'end', market, reason: fields.status });
    }
  }
}
