// The books of venue A's markets as one connection sees them: the newest whole book of each, and what a further one is beside it.

import type { JsonObject } from '../../kernel/exact-json.ts';
import type { Micros } from '../../kernel/time.ts';
import type { Ladders } from '../../capture/checks.ts';
import type { Finding } from '../../capture/finding.ts';
import { complement } from '../../kernel/decimal.ts';
import { compared, reject, rejectIntact, skip } from '../shared/findings.ts';
import { millisOf } from '../shared/source-time.ts';
import type { ComposedBook, Formats } from '../shared/wire-levels.ts';
import { composeBook, measureDrift } from '../shared/wire-levels.ts';
import { isOvertaken } from './continuity.ts';
import { readSide } from './wire.ts';

/** Books on the sockets are those of the first outcome. */
export const FIRST = '0';

/** The newest whole book of a market's first outcome; `socket` false for one that REST gave. */
type Newest = { readonly book: ComposedBook; readonly sourceTs: Micros | null; readonly socket: boolean };

export class MarketBooks {
  private readonly newest = new Map<string, Newest>();
  private readonly formats = new Map<string, Formats>();

  forget(): void {
    this.newest.clear();
  }

  drop(market: string): void {
    this.newest.delete(market);
    this.formats.delete(market);
  }

  /** A whole book of the first outcome. An older one than the last is on the tape and is no observation. */
  push(
    book: JsonObject,
    market: string,
    socket: boolean,
    nativeIds: Readonly<Record<string, string>>,
    into: Finding[],
  ): void {
    const sourceTs = millisOf(book['updateTimestampMs']);
    const before = this.newest.get(market);
    const composed = this.compose(book, market);
    if (composed === null && !socket) {
      into.push(reject(market, 'bad_book', book));
      return;
    }
    if (composed === null) {
      this.newest.delete(market);
      into.push(rejectIntact(market, 'bad_book', book));
      const detail = 'a whole book could not be read';
      into.push({ type: 'break', market, outcome: FIRST, cause: 'rejected_frame', scope: 'book', detail });
      return;
    }
    if (before?.socket && !socket) {
      into.push(compared(market, FIRST, 'rest', sourceTs, measureDrift(before.book, composed)));
      return;
    }
    if (isOvertaken(before?.sourceTs ?? null, sourceTs)) {
      into.push(skip('out_of_order'));
      return;
    }
    this.newest.set(market, { book: composed, sourceTs: sourceTs ?? before?.sourceTs ?? null, socket });
    into.push(observation(composed, market, FIRST, sourceTs, nativeIds));
  }

  private compose(book: JsonObject, market: string): ComposedBook | null {
    const bids = readSide(book['bids']);
    const asks = readSide(book['asks']);
    if (bids === null || asks === null) return null;
    const composed = composeBook(bids, asks, this.formats.get(market));
    this.formats.set(market, { price: composed.priceFormat, size: composed.sizeFormat });
    return composed;
  }

  /** A REST book of one token. `streams`: this connection has a socket. */
  answer(
    book: JsonObject,
    { market, outcome, token }: { market: string; outcome: string; token: string | null },
    streams: boolean,
    into: Finding[],
  ): void {
    const composed = this.compose(book, market);
    if (composed === null) {
      into.push(reject(market, 'bad_book', book));
      return;
    }
    const sourceTs = millisOf(book['timestamp']);
    const held = this.newest.get(market);
    if (!held?.socket && (outcome === FIRST || !streams)) {
      // Its time is that of the answer, which a push may well precede: it overtakes none.
      if (outcome === FIRST)
        this.newest.set(market, { book: composed, sourceTs: held?.sourceTs ?? null, socket: false });
      into.push(observation(composed, market, outcome, sourceTs, token === null ? {} : { token_id: token }));
    } else if (held)
      // Beside the stream a REST book is a measurement; of the second token, against the mirror of the first.
      into.push(
        compared(
          market,
          outcome,
          'rest',
          sourceTs,
          measureDrift(outcome === FIRST ? held.book : mirror(held.book), composed),
        ),
      );
    else into.push(skip('second_outcome'));
  }
}

function observation(
  composed: ComposedBook,
  market: string,
  outcome: string,
  sourceTs: Micros | null,
  nativeIds: Readonly<Record<string, string>>,
): Finding {
  const { exact, ...book } = composed;
  return {
    type: 'book',
    market,
    outcome,
    kind: 'snapshot',
    sourceTs,
    ...book,
    nativeBid: 'bids',
    nativeAsk: 'asks',
    askComplement: false,
    hash: null,
    sequence: null,
    nativeIds,
    flags: exact ? [] : ['inexact'],
  };
}

/** The book of the other outcome: a bid at p is an ask at 1 − p. */
const mirror = (book: Ladders): Ladders => ({
  bidPrices: book.askPrices.map(complement),
  bidSizes: book.askSizes,
  askPrices: book.bidPrices.map(complement),
  askSizes: book.bidSizes,
});
