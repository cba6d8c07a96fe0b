// How lost messages of venue B show. It numbers the frames of one subscription (`sid`), all its markets and its acknowledgements
// together: a number that is missing means that any market of the subscription may have lost a change. So it is kept which
// market is numbered with which, what was asked for, and which books a loss takes with it.

import type { Finding, Frame } from '../../capture/finding.ts';
import type { GapCause, GapScope } from '../../events/events.ts';
import { setBounded } from '../../kernel/bounded-map.ts';
import { isObject, textOf } from '../../kernel/exact-json.ts';
import type { Micros } from '../../kernel/time.ts';
import type { Sid } from './books.ts';
import { Book, broken, lostTrades } from './books.ts';
import type { Json } from './wire.ts';
import { tickerOf } from './wire.ts';

export type Verdict =
  /** The next in line, or the first seen: whatever number a recording begins with. */
  | 'next'
  /** Seen before: the frame must not be applied again. */
  | 'old'
  /** Something between is missing, or the numbering began anew: no book of the subscription can be vouched for. */
  | 'break';

export class Sequence {
  /** When the last one came. */
  lastAt: Micros | null = null;
  private last: number | null = null;
  private lastText = '';
  /** An old number whose frame was set aside; if the next follows it, the numbering began anew. */
  private stray: number | null = null;

  get newest(): number | null {
    return this.last;
  }

  /**
   * A connection neither repeats nor reorders, so an old number comes from a recorder that wrote a frame twice, or from two
   * connections in one recording. A repeat is set aside and the book stands. A restart shows as a whole book with an old
   * number, or as two old numbers in a row.
   */
  judge(sequence: number, text: string, at: Micros, isSnapshot: boolean): Verdict {
    const { last, stray } = this;
    if (last === null || sequence === last + 1) return this.take('next', sequence, text, at);
    if (sequence > last) return this.take('break', sequence, text, at);
    if (sequence === last) return text === this.lastText ? 'old' : this.take('break', sequence, text, at);
    if (isSnapshot || (stray !== null && sequence === stray + 1))
      return this.take('break', sequence, text, at);
    this.stray = sequence;
    return 'old';
  }

  private take(verdict: Verdict, sequence: number, text: string, at: Micros): Verdict {
    this.last = sequence;
    this.lastText = text;
    // Times of an import may run backwards.
    this.lastAt = Math.max(this.lastAt ?? at, at);
    this.stray = null;
    return verdict;
  }
}

/** One `sid`: a channel with its markets, numbered together. */
type Subscription = {
  readonly sequence: Sequence;
  readonly markets: Set<string>;
  /** What it is known to carry: a gap in the numbers of trades is not a gap of a book. */
  carries: 'unknown' | 'books' | 'trades';
  noIsYes: boolean | null;
};

export type Command = {
  /** subscribe, unsubscribe, or the action of an update_subscription. */
  readonly kind: string;
  readonly markets: readonly string[];
  readonly noIsYes: boolean | null;
};

/** Answers follow their commands closely; a connection of a day sends thousands. */
const COMMANDS_KEPT = 1_000;

export class Subscriptions {
  private readonly books = new Map<string, Book>();
  private readonly bySid = new Map<Sid, Subscription>();
  private readonly commands = new Map<unknown, Command>();
  /** use_yes_price of the newest subscription to books that was sent, for frames whose sid was never introduced. */
  private noIsYes = false;

  clear(): void {
    this.books.clear();
    this.bySid.clear();
    this.commands.clear();
    this.noIsYes = false;
  }

  /** A command we, or the recorder of an import, sent: it decides what the answers mean. */
  sent(command: unknown): void {
    if (!isObject(command) || !isObject(command['params'])) return;
    const { cmd, id, params } = command;
    const { channels, market_ticker: one, market_tickers: many, use_yes_price: yesPrice, action } = params;
    const kind = textOf(cmd === 'update_subscription' ? action : cmd) ?? '';
    const noIsYes = typeof yesPrice === 'boolean' ? yesPrice : null;
    setBounded(this.commands, id, { kind, markets: tickers(many ?? [one]), noIsYes }, COMMANDS_KEPT);
    if (kind === 'subscribe' && Array.isArray(channels) && channels.includes('orderbook_delta'))
      this.noIsYes = noIsYes ?? false;
  }

  command(id: unknown): Command | undefined {
    return this.commands.get(id);
  }

  /** The venue named the sid of a channel that command `id` asked for. */
  introduce(id: unknown, sid: Sid, channel: unknown): void {
    const subscription = this.of(sid);
    if (channel !== 'orderbook_delta' && channel !== 'trade') return;
    subscription.carries = channel === 'trade' ? 'trades' : 'books';
    const command = this.commands.get(id);
    if (command?.kind !== 'subscribe') return;
    subscription.noIsYes = command.noIsYes ?? false;
    for (const market of command.markets) subscription.markets.add(market);
  }

  /**
   * An `ok` has named all markets of the subscription as they are then. Where the command is known it alone decides what left;
   * in a recording without commands it is what the list lacks, unless the list has something new and so answers an addition.
   */
  settle(sid: Sid, id: unknown, named: unknown, into: Finding[]): void {
    const command = this.commands.get(id);
    if (command?.kind === 'delete_markets') this.release(sid, command.markets, into);
    if (!Array.isArray(named)) return;
    const { markets } = this.of(sid);
    const current = new Set(tickers(named));
    const gone = command ? [] : [...markets].filter((market) => !current.has(market));
    const isAddition = [...current].some((market) => !markets.has(market));
    if (command?.kind !== 'delete_markets') for (const market of current) markets.add(market);
    if (!isAddition) this.release(sid, gone, into);
  }

  /** Counts a numbered frame. False: it was seen before and must not be applied again. */
  count(
    sid: Sid,
    sequence: number,
    { text, observedAt }: Frame,
    isSnapshot: boolean,
    into: Finding[],
  ): boolean {
    const { sequence: numbers } = this.of(sid);
    const { newest, lastAt } = numbers;
    const verdict = numbers.judge(sequence, text, observedAt, isSnapshot);
    if (verdict === 'break')
      this.breakSid(sid, 'sequence_break', `seq ${newest} then ${sequence}`, lastAt, into);
    return verdict !== 'old';
  }

  find(market: string): Book | undefined {
    return this.books.get(market);
  }

  /** The book of a market that this subscription feeds from here on. */
  follow(market: string, sid: Sid, message: Json): Book {
    let book = this.books.get(market);
    if (!book) this.books.set(market, (book = new Book(market)));
    const subscription = this.of(sid);
    subscription.carries = 'books';
    subscription.markets.add(market);
    book.sid = sid;
    const id = textOf(message['market_id']);
    book.identify({
      ...(id === null ? {} : { market_id: id }),
      ...(sid === null ? {} : { sid: String(sid) }),
    });
    return book;
  }

  /** Today's default is NO prices. */
  yesPrice(sid: Sid): boolean {
    return this.bySid.get(sid)?.noIsYes ?? this.noIsYes;
  }

  /** No longer streamed, on our own wish: a gap for whoever still watches, and no book to build on. */
  release(sid: Sid, markets: readonly string[] | null, into: Finding[]): void {
    const subscription = this.bySid.get(sid);
    if (subscription?.carries !== 'books') return;
    for (const market of markets ?? [...subscription.markets]) {
      subscription.markets.delete(market);
      const book = this.books.get(market);
      if (!book || book.sid !== sid) continue;
      this.books.delete(market);
      if (book.state === 'live')
        into.push({ ...broken(market, 'disconnected', 'book', 'unsubscribed'), outcome: null });
    }
    if (markets === null) this.bySid.delete(sid);
  }

  /** The market is over. False when it had no book here. */
  drop(market: string): boolean {
    const book = this.books.get(market);
    if (!book) return false;
    this.bySid.get(book.sid)?.markets.delete(market);
    return this.books.delete(market);
  }

  /** The venue ended the subscription; without a sid, all of them. */
  ended(sid: Sid, detail: string, into: Finding[]): void {
    for (const each of sid === null ? [...this.bySid.keys()] : [sid]) {
      this.breakSid(each, 'venue_error', detail, this.of(each).sequence.lastAt, into);
      this.bySid.delete(each);
    }
  }

  /** A trade came on this sid, if it is one of its own. */
  traded(market: string, sid: Sid): void {
    if (sid === null) return;
    const subscription = this.of(sid);
    if (subscription.carries === 'unknown') subscription.carries = 'trades';
    if (subscription.carries === 'trades') subscription.markets.add(market);
  }

  breakUnnumbered(cause: GapCause, detail: string, into: Finding[]): void {
    for (const book of this.books.values())
      if (book.state === 'live' && this.of(book.sid).sequence.newest === null)
        this.breakBook(book, cause, 'connection', detail, into);
  }

  breakAll(cause: GapCause, detail: string, into: Finding[]): void {
    for (const book of this.books.values()) this.breakBook(book, cause, 'connection', detail, into);
  }

  /** `since`: when its last number came, up to which nothing was lost. Pings and other subscriptions prove nothing of this one. */
  private breakSid(sid: Sid, cause: GapCause, detail: string, since: Micros | null, into: Finding[]): void {
    const subscription = this.bySid.get(sid);
    if (!subscription || subscription.carries === 'unknown') return;
    for (const market of subscription.markets) {
      if (subscription.carries === 'trades') {
        into.push(lostTrades(market, cause, 'connection', detail, since));
        continue;
      }
      // A market without a book was subscribed, and its first book may be what was lost.
      const book = this.books.get(market) ?? this.follow(market, sid, {});
      if (book.sid === sid) this.breakBook(book, cause, 'connection', detail, into, since);
    }
  }

  /** Says so once, until the next snapshot. */
  breakBook(
    book: Book,
    cause: GapCause,
    scope: GapScope,
    detail: string | null,
    into: Finding[],
    since: Micros | null = null,
  ): void {
    if (book.state === 'lost') return;
    book.lose();
    into.push(broken(book.market, cause, scope, detail, since));
  }

  private of(sid: Sid): Subscription {
    let found = this.bySid.get(sid);
    if (!found) {
      found = { sequence: new Sequence(), markets: new Set(), carries: 'unknown', noIsYes: null };
      this.bySid.set(sid, found);
    }
    return found;
  }
}

function tickers(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return (list as unknown[]).map(tickerOf).filter((market) => market !== null);
}
