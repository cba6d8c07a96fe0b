// What the recording says at the replay's moment: the state of its markets, and the answers of the venue's REST interface.

import type {
  BookObserved,
  MarketObserved,
  MarketState,
  Micros,
  Recalled,
  VenueEvent,
} from '@ladderlog/core';
import { emptyMarket, evolve, withoutBooks } from '@ladderlog/core';
import { RecordedAnswers } from './answers.ts';

export class NativeMemory implements Recalled {
  now: Micros;
  readonly answers: RecordedAnswers;
  private readonly states: Map<string, MarketState>;
  /** In the order in which their metadata was first told. */
  private readonly listed: Set<string>;
  private readonly marketOfToken: Map<string, string>;
  private readonly decoder = new TextDecoder();
  private applied: number;

  constructor(now: Micros, answers: RecordedAnswers, from: NativeMemory | null = null) {
    this.now = now;
    this.answers = answers;
    this.states = new Map(from?.states);
    this.listed = new Set(from?.listed);
    this.marketOfToken = new Map(from?.marketOfToken);
    this.applied = from?.applied ?? 0;
  }

  copy(): NativeMemory {
    return new NativeMemory(this.now, this.answers.copy(), this);
  }

  /** Everything but the delivery of frames. */
  apply(event: VenueEvent): void {
    if (event.observedAt > this.now) this.now = event.observedAt;
    if (event.type === 'FrameCaptured') {
      if (event.channel !== 'ws' && event.direction === 'in')
        this.answers.note(event.channel, this.decoder.decode(event.body), event.observedAt);
      return;
    }
    const { venue, market } = event;
    // The order of the replay is the order of this fold, wherever in the log the events lie.
    const position = { topic: venue, partition: 0, offset: this.applied++ };
    let state = evolve(this.states.get(market) ?? emptyMarket(venue, market), event, position);
    if (event.type === 'BookObserved') this.marketOfToken.set(event.outcome, market);
    else if (event.type === 'MarketObserved') this.listed.add(market);
    // In a gap, and when the recording of it ended, nothing is said of a book until the next whole one.
    else if ((event.type === 'GapOpened' || event.type === 'CaptureStopped') && event.dataset === 'books')
      state = withoutBooks(state, event.outcome);
    this.states.set(market, state);
  }

  book(market: string, outcome: string): BookObserved | null {
    const books = this.states.get(market)?.books ?? [];
    return books.find(({ event }) => event.outcome === outcome)?.event ?? null;
  }

  *allBooks(): Generator<BookObserved> {
    for (const { books } of this.states.values()) for (const { event } of books) yield event;
  }

  bookOfToken(token: string): BookObserved | null {
    const market = this.marketOfToken.get(token);
    return market === undefined ? null : this.book(market, token);
  }

  market(market: string): MarketObserved | null {
    return this.states.get(market)?.metadata?.event ?? null;
  }

  *markets(): Generator<MarketObserved> {
    for (const market of this.listed) yield this.market(market)!;
  }

  lastTrade(market: string, outcome: string): string | null {
    const trades = this.states.get(market)?.lastTrades ?? [];
    return trades.find((one) => one.outcome === outcome)?.text ?? null;
  }
}
