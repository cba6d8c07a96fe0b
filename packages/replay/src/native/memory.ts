// What the recording says at the replay's moment: books, metadata, trades, REST answers, and which recorded connection each
// book follows.

import type { BookObserved, MarketObserved, Micros, Recalled, VenueEvent } from '@ladderlog/core';
import { RecordedAnswers } from './answers.ts';

const key = (market: string, outcome: string): string => `${market}\u0000${outcome}`;

export class NativeMemory implements Recalled {
  now: Micros;
  readonly answers: RecordedAnswers;
  private readonly books = new Map<string, BookObserved>();
  private readonly tokens = new Map<string, BookObserved>();
  private readonly known = new Map<string, MarketObserved>();
  private readonly trades = new Map<string, string>();
  private readonly decoder = new TextDecoder();

  constructor(now: Micros, answers: RecordedAnswers) {
    this.now = now;
    this.answers = answers;
  }

  copy(): NativeMemory {
    const copy = new NativeMemory(this.now, this.answers.copy());
    for (const [id, book] of this.books) copy.books.set(id, book);
    for (const [id, book] of this.tokens) copy.tokens.set(id, book);
    for (const [id, market] of this.known) copy.known.set(id, market);
    for (const [id, trade] of this.trades) copy.trades.set(id, trade);
    return copy;
  }

  /** Everything but the delivery of frames. */
  apply(event: VenueEvent): void {
    if (event.observedAt > this.now) this.now = event.observedAt;
    switch (event.type) {
      case 'BookObserved':
        this.books.set(key(event.market, event.outcome), event);
        this.tokens.set(event.outcome, event);
        return;
      case 'GapOpened':
      case 'CaptureStopped':
        if (event.dataset === 'books') this.lose(event.market, event.outcome);
        return;
      case 'MarketObserved':
        this.known.set(event.market, event);
        return;
      case 'MetricSampled':
        if (event.metric === 'last_trade') this.trades.set(key(event.market, event.outcome), event.text);
        return;
      case 'FrameCaptured':
        if (event.channel !== 'ws' && event.direction === 'in')
          this.answers.note(event.channel, this.decoder.decode(event.body), event.observedAt);
        return;
      default:
    }
  }

  private lose(market: string, outcome: string | null): void {
    for (const [id, book] of this.books) {
      if (book.market !== market || (outcome !== null && book.outcome !== outcome)) continue;
      this.books.delete(id);
      this.tokens.delete(book.outcome);
    }
  }

  book(market: string, outcome: string): BookObserved | null {
    return this.books.get(key(market, outcome)) ?? null;
  }

  allBooks(): Iterable<BookObserved> {
    return this.books.values();
  }

  bookOfToken(token: string): BookObserved | null {
    return this.tokens.get(token) ?? null;
  }

  market(market: string): MarketObserved | null {
    return this.known.get(market) ?? null;
  }

  markets(): Iterable<MarketObserved> {
    return this.known.values();
  }

  lastTrade(market: string, outcome: string): string | null {
    return this.trades.get(key(market, outcome)) ?? null;
  }
}
