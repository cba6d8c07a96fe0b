// Venue B, Kalshi's trade API v2: frames to findings. One market has one book, of YES: YES bids as they stand, NO bids at p as
// YES asks at 1 − p (with use_yes_price the venue has done that already). See docs/normalization.md for every decision.

import { isObject, parseExact, parseJson, textOf } from '../../kernel/exact-json.ts';
import type { Finding, Frame, MarketFields, Normalizer } from '../../capture/finding.ts';
import { compared, rejectIntact as reject, sample, skip } from '../shared/findings.ts';
import { secondsOf } from '../shared/source-time.ts';
import { measureDrift } from '../shared/wire-levels.ts';
import type { Sid } from './books.ts';
import { Book, OUTCOME, broken, lostTrades } from './books.ts';
import { lifecycleChange, readCatalogue } from './catalogue.ts';
import { Subscriptions } from './continuity.ts';
import { restError, restRoute } from './rest.ts';
import type { Json, WireBook } from './wire.ts';
import {
  REST_SHAPES,
  SKIPPED_KINDS,
  SNAPSHOT_SHAPES,
  TERMINAL_CODES,
  readBook,
  readDelta,
  readTrade,
  sourceTime,
  tickerOf,
} from './wire.ts';

export class VenueBNormalizer implements Normalizer {
  private readonly subscriptions = new Subscriptions();
  private readonly catalogue = new Map<string, MarketFields>();
  /** Markets whose books came by REST. */
  private readonly polled = new Set<string>();

  normalize(frame: Frame): Finding[] {
    const findings: Finding[] = [];
    try {
      if (frame.direction === 'out') {
        this.subscriptions.sent(parseJson(frame.text));
        findings.push(skip('outbound'));
      } else if (frame.channel === 'ws') this.socket(frame, findings);
      else this.rest(frame, findings);
      return findings;
    } catch (error) {
      // Not foreseen: the frame is kept, and no book it may have half changed is trusted.
      findings.push(reject('', 'normalizer_failed', String(error)));
      this.subscriptions.breakAll('rejected_frame', 'normalizer failed', findings);
      return findings;
    }
  }

  forget(): void {
    this.subscriptions.clear();
  }

  /** Kept until the market is resolved: then nothing more is said of it, and a session may run for months. */
  learn(market: string, fields: MarketFields): void {
    if (fields.status === 'resolved' || fields.status === 'voided') this.catalogue.delete(market);
    else this.catalogue.set(market, fields);
  }

  private socket(frame: Frame, into: Finding[]): void {
    const value = parseJson(frame.text);
    if (!isObject(value)) return this.unreadable('not_json_object', frame, into);
    const { type, id, sid: stated, seq } = value;
    if (typeof type !== 'string') return this.unreadable('no_type', frame, into);
    const sid: Sid = typeof stated === 'number' || typeof stated === 'string' ? stated : null;
    const sequence = typeof seq === 'number' && Number.isSafeInteger(seq) ? seq : null;
    const message = isObject(value['msg']) ? value['msg'] : EMPTY;
    if (sequence !== null) {
      const isSnapshot = type === 'orderbook_snapshot';
      if (!this.subscriptions.count(sid, sequence, frame, isSnapshot, into))
        return void into.push(skip('old_sequence'));
    }
    switch (type) {
      case 'orderbook_delta':
        return this.delta(frame, message, sid, sequence, into);
      case 'orderbook_snapshot':
        return this.snapshot(frame, message, sid, sequence, into);
      case 'trade':
        return this.trade(message, sid, into);
      case 'subscribed':
        into.push(skip(type));
        if (typeof message['sid'] === 'number' || typeof message['sid'] === 'string')
          this.subscriptions.introduce(id, message['sid'], message['channel']);
        return;
      case 'ok':
        into.push(skip(type));
        return this.subscriptions.settle(sid, id, message['market_tickers'], into);
      case 'unsubscribed':
        into.push(skip(type));
        return this.subscriptions.release(sid, null, into);
      case 'error':
        return this.refused(id, message, sid, into);
      case 'market_lifecycle_v2':
      case 'market_lifecycle':
        return this.lifecycle(message, into);
      default: {
        const market = tickerOf(message['market_ticker']) ?? '';
        into.push(SKIPPED_KINDS.has(type) ? skip(type) : reject(market, 'unknown_kind', type.slice(0, 100)));
      }
    }
  }

  private snapshot(frame: Frame, message: Json, sid: Sid, sequence: number | null, into: Finding[]): void {
    const market = tickerOf(message['market_ticker']);
    if (market === null) return this.unreadable('no_market', frame, into);
    const noIsYes = this.yesPrice(frame, sid);
    const wire = readBook(message, SNAPSHOT_SHAPES, noIsYes);
    const book = this.subscriptions.follow(market, sid, message);
    if (typeof wire === 'string') return this.spoiled(book, wire, into);
    const before = book.state === 'live' ? book.ladders() : null;
    book.take(wire, noIsYes);
    if (before) into.push(compared(market, OUTCOME, 'snapshot', null, measureDrift(before, book.ladders())));
    into.push(book.finding('snapshot', sequence, sourceTime(message)));
  }

  private delta(frame: Frame, message: Json, sid: Sid, sequence: number | null, into: Finding[]): void {
    const market = tickerOf(message['market_ticker']);
    if (market === null) return this.unreadable('no_market', frame, into);
    const known = this.subscriptions.find(market);
    const book = known?.sid === sid ? known : this.subscriptions.follow(market, sid, message);
    const change = readDelta(message);
    if (typeof change === 'string') return this.spoiled(book, change, into);
    if (book.state === 'new')
      return this.subscriptions.breakBook(book, 'awaiting_snapshot', 'book', null, into);
    if (book.state === 'lost') return void into.push(skip('awaiting_snapshot'));
    const wrong =
      book.noIsYes === this.yesPrice(frame, sid)
        ? book.apply(change)
        : 'use_yes_price changed without a snapshot';
    if (wrong !== null) return this.subscriptions.breakBook(book, 'lost_sync', 'book', wrong, into);
    into.push(book.finding('delta', sequence, sourceTime(message)));
  }

  /** May have been a change of any book: where frames are numbered the numbers will tell, elsewhere no book can be vouched for. */
  private unreadable(reason: string, frame: Frame, into: Finding[]): void {
    into.push(reject('', reason, excerpt(frame.text)));
    this.subscriptions.breakUnnumbered('rejected_frame', reason, into);
  }

  /** What the shell recorded beside the frame, else what its subscription was asked with. */
  private yesPrice(frame: Frame, sid: Sid): boolean {
    const declared = frame.settings['use_yes_price'];
    return declared === undefined ? this.subscriptions.yesPrice(sid) : declared === 'true';
  }

  /** A frame of this book that cannot be read: the book we hold is not the venue's any more. */
  private spoiled(book: Book, why: string, into: Finding[]): void {
    into.push(reject(book.market, 'bad_book', why));
    this.subscriptions.breakBook(book, 'rejected_frame', 'book', why, into);
  }

  private trade(message: Json, sid: Sid, into: Finding[]): void {
    const market = tickerOf(message['market_ticker']);
    const trade = readTrade(message);
    if (market === null) return void into.push(reject('', 'bad_trade', 'no market'));
    if (typeof trade === 'string') {
      into.push(reject(market, 'bad_trade', trade), lostTrades(market, 'rejected_frame', 'book', trade));
      return;
    }
    this.subscriptions.traded(market, sid);
    const of = { market, outcome: OUTCOME, metric: 'last_trade', sourceTs: sourceTime(message) } as const;
    into.push(sample(of, trade.text, trade.price, trade));
  }

  private refused(id: unknown, message: Json, sid: Sid, into: Finding[]): void {
    const { code, msg, market_ticker: named } = message;
    const detail = `code ${textOf(code) ?? '?'}: ${(textOf(msg) ?? '').slice(0, 200)}`;
    into.push(skip('venue_error'));
    if (TERMINAL_CODES.has(code)) return this.subscriptions.ended(sid, detail, into);
    // A command was refused (9 auth, 26 too many markets, 27 too many commands): what it named is not streamed.
    const command = this.subscriptions.command(id);
    const asked = command?.kind === 'subscribe' || command?.kind === 'add_markets' ? command.markets : [];
    const one = tickerOf(named);
    for (const market of one === null ? asked : [one]) {
      // No outcome: a market that nobody began to watch is not thereby watched.
      if (this.subscriptions.find(market)?.state !== 'live')
        into.push({ ...broken(market, 'venue_error', 'book', detail), outcome: null });
    }
  }

  private lifecycle(message: Json, into: Finding[]): void {
    const market = tickerOf(message['market_ticker']);
    const kind = message['event_type'];
    if (market === null || typeof kind !== 'string')
      return void into.push(reject('', 'bad_lifecycle', market ?? 'no market'));
    const before = this.catalogue.get(market);
    const fields = before ? lifecycleChange(before, message) : null;
    if (fields) {
      this.learn(market, fields);
      const sourceTs = secondsOf(message['settled_ts']) ?? secondsOf(message['determination_ts']);
      into.push({ type: 'market', market, sourceTs, fields });
    }
    const over = kind === 'determined' || kind === 'settled';
    if (over) this.end(market, kind, into);
    // The channel tells of every market of the exchange, watched or not.
    if (into.length === 0) into.push(skip('lifecycle'));
  }

  private rest(frame: Frame, into: Finding[]): void {
    const route = restRoute(frame.channel);
    if (!route) return void into.push(reject('', 'unknown_channel', frame.channel.slice(0, 200)));
    const body = parseExact(frame.text);
    if (!isObject(body)) {
      const market = route.kind === 'book' ? route.market : '';
      return void into.push(reject(market, 'not_json_object', excerpt(frame.text)));
    }
    // An answer that is an error was understood and says nothing of a book; only the poller knows how long it may go without.
    if (restError(body) !== null) return void into.push(skip('rest_error'));
    switch (route.kind) {
      case 'other':
        return void into.push(skip(route.reason));
      case 'catalogue':
        return this.restCatalogue(body, into);
      case 'book':
        return this.restBook(route.market, route.depth, body, into);
      case 'books':
        return this.restBooks(body['orderbooks'], into);
    }
  }

  private restBooks(list: unknown, into: Finding[]): void {
    if (!Array.isArray(list)) return void into.push(reject('', 'bad_book', 'no list of order books'));
    for (const item of list as unknown[]) {
      const market = isObject(item) ? tickerOf(item['ticker']) : null;
      if (market === null) into.push(reject('', 'bad_book', 'an order book without a ticker'));
      else this.restBook(market, null, item as Json, into);
    }
    if (list.length === 0) into.push(skip('rest_no_books'));
  }

  private restBook(market: string, depth: number | null, body: Json, into: Finding[]): void {
    let wire: WireBook | string = 'no order book in the answer';
    for (const { key, shapes } of REST_SHAPES) {
      if (body[key] === undefined) continue;
      const holder = body[key] ?? EMPTY;
      // REST stays in NO prices, whatever a socket was told.
      wire = isObject(holder) ? readBook(holder, shapes, false) : `${key} is not an object`;
      break;
    }
    if (typeof wire === 'string') return void into.push(reject(market, 'bad_book', wire));
    const seen = new Book(market);
    seen.take(wire, false);
    if (depth !== null) seen.identify({ depth: String(depth) });
    this.polled.add(market);
    const book = seen.finding('snapshot', null, null);
    const streamed = this.subscriptions.find(market);
    if (!streamed) return void into.push(book);
    // Beside a socket: an observation of its own, not the socket's next state, and no end to the socket's gap.
    const inStep = streamed.state === 'live';
    if (inStep)
      into.push(
        compared(
          market,
          OUTCOME,
          'rest',
          null,
          measureDrift(streamed.ladders(depth ?? undefined), seen.ladders()),
        ),
      );
    into.push({ ...book, continues: false });
    if (!inStep)
      into.push(broken(market, 'awaiting_snapshot', 'book', 'the socket still awaits its snapshot'));
  }

  private restCatalogue(body: Json, into: Finding[]): void {
    const { known, entries, rejected } = readCatalogue(body);
    if (!known)
      return void into.push(reject('', 'bad_catalogue', 'no market, markets, event or events in the answer'));
    for (const { market, fields } of entries) {
      this.learn(market, fields);
      into.push({ type: 'market', market, sourceTs: null, fields });
      if (fields.status === 'resolved' || fields.status === 'voided')
        this.end(market, fields.nativeStatus ?? fields.status, into);
    }
    for (const { market, why } of rejected) into.push(reject(market, 'bad_market', why));
    if (into.length === 0) into.push(skip('rest_no_markets'));
  }

  /** Once, for a market whose books came this way. What hits its subscription later is no longer a loss of this market. */
  private end(market: string, reason: string, into: Finding[]): void {
    const streamed = this.subscriptions.drop(market);
    if (this.polled.delete(market) || streamed) into.push({ type: 'end', market, reason });
  }
}

const EMPTY: Json = {};

const excerpt = (text: string): string => text.slice(0, 200);
