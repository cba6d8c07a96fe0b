// The book of one outcome token while it is built from a full book and level changes.

import type { Micro, TextFormat } from '../../kernel/decimal.ts';
import { formatMicro } from '../../kernel/decimal.ts';
import type { CheckFlag, TextException } from '../../events/events.ts';
import { Side } from '../../market/ladder.ts';
import type { Micros } from '../../kernel/time.ts';
import type { BookFinding } from '../../capture/finding.ts';
import type { Drift, Level } from '../shared/wire-levels.ts';
import { composeBook, laddersOf, measureDrift, readLevel, reproduces } from '../shared/wire-levels.ts';

/** Below this many, texts kept beside the integers cost less than choosing formats anew. */
const TOLERATED_EXCEPTIONS = 8;

type Change = { readonly side: 'bid' | 'ask'; readonly level: Level };
type Naming = { readonly nativeBid: string; readonly nativeAsk: string; readonly hash: string | null };

export class TokenBook {
  readonly market: string;
  readonly token: string;
  /** Built from the socket; false for a REST answer, which a socket book replaces. */
  readonly streamed: boolean;
  readonly startedAt: Micros | null;
  changed = false;
  private readonly bids = new Side('bid');
  private readonly asks = new Side('ask');
  private readonly nativeIds: Readonly<Record<string, string>>;
  private readonly tick: Micro | null;
  private priceFormat: TextFormat = 'min';
  private sizeFormat: TextFormat = 'min';
  private tolerated = TOLERATED_EXCEPTIONS;
  /** Levels whose text had more than six decimals. */
  private readonly inexact = new Set<string>();

  constructor(
    market: string,
    token: string,
    streamed: boolean,
    startedAt: Micros | null,
    tick: Micro | null,
  ) {
    this.market = market;
    this.token = token;
    this.streamed = streamed;
    this.startedAt = startedAt;
    this.tick = tick;
    this.nativeIds = { asset_id: token };
  }

  /**
   * Takes a full book. The finding states it as it came, repeated prices and zero sizes included; what later changes apply to
   * is the same book read as level sets, the last one of a price holding and a zero deleting.
   */
  start(bids: Level[], asks: Level[], sourceTs: Micros | null, naming: Naming): BookFinding {
    const composed = composeBook(bids, asks);
    this.priceFormat = composed.priceFormat;
    this.sizeFormat = composed.sizeFormat;
    this.fill(this.bids, bids);
    this.fill(this.asks, asks);
    const { exact, ...book } = composed;
    return this.finding(
      'snapshot',
      sourceTs,
      naming,
      book,
      this.flags(book.bidPrices, book.askPrices, !exact),
    );
  }

  private fill(side: Side, levels: readonly Level[]): void {
    let plain = true;
    for (let at = 0; at < levels.length && plain; at++)
      plain = levels[at]!.size !== 0 && levels[at]!.exact && levels[at]!.price !== levels[at - 1]?.price;
    if (plain)
      side.replace(
        levels.map((level) => ({ price: level.price, size: level.size, text: this.exception(level) })),
      );
    else for (const level of levels) this.set({ side: side.name, level });
  }

  private exception(level: Level): { price: string; size: string } | null {
    const formats = { price: this.priceFormat, size: this.sizeFormat };
    return reproduces(level, formats) ? null : { price: level.priceText, size: level.sizeText };
  }

  set({ side, level }: Change): void {
    (side === 'bid' ? this.bids : this.asks).set(level.price, level.size, this.exception(level));
    if (!level.exact && level.size !== 0) this.inexact.add(`${side}${level.price}`);
    else if (this.inexact.size > 0) this.inexact.delete(`${side}${level.price}`);
  }

  /** The book as it stands after the changes of one message. */
  observe(sourceTs: Micros | null, naming: Naming): BookFinding {
    this.changed = true;
    const { bids, asks } = this;
    let exceptions = this.exceptions();
    if (
      exceptions.length > this.tolerated &&
      exceptions.length * 2 > bids.prices.length + asks.prices.length
    ) {
      this.chooseFormatsAnew(exceptions);
      exceptions = this.exceptions();
      this.tolerated = Math.max(TOLERATED_EXCEPTIONS, exceptions.length * 2);
    }
    const book = {
      bidPrices: bids.prices.slice(),
      bidSizes: bids.sizes.slice(),
      askPrices: asks.prices.slice(),
      askSizes: asks.sizes.slice(),
      priceFormat: this.priceFormat,
      sizeFormat: this.sizeFormat,
      exceptions,
    };
    return this.finding(
      'delta',
      sourceTs,
      naming,
      book,
      this.flags(bids.prices, asks.prices, this.inexact.size > 0),
    );
  }

  private exceptions(): TextException[] {
    const exceptions: TextException[] = [];
    this.bids.exceptions(exceptions);
    this.asks.exceptions(exceptions);
    return exceptions;
  }

  /** Formats are chosen at the full book; one that was empty, or is long gone, says little of the texts since. */
  private chooseFormatsAnew(exceptions: readonly TextException[]): void {
    const levels = (side: Side): Level[] =>
      side.prices.map((price, at) => {
        const text = exceptions.find((exception) => exception.side === side.name && exception.level === at);
        const size = side.sizes[at]!;
        return readLevel(
          text?.price ?? formatMicro(price, this.priceFormat),
          text?.size ?? formatMicro(size, this.sizeFormat),
        )!;
      });
    const bids = levels(this.bids);
    const asks = levels(this.asks);
    const { priceFormat, sizeFormat } = composeBook(bids, asks, {
      price: this.priceFormat,
      size: this.sizeFormat,
    });
    this.priceFormat = priceFormat;
    this.sizeFormat = sizeFormat;
    this.fill(this.bids, bids);
    this.fill(this.asks, asks);
  }

  /** How far this book is from a full one of the venue. */
  drift(bids: Level[], asks: Level[]): Drift {
    return measureDrift(
      {
        bidPrices: this.bids.prices,
        bidSizes: this.bids.sizes,
        askPrices: this.asks.prices,
        askSizes: this.asks.sizes,
      },
      laddersOf(bids, asks),
    );
  }

  private flags(bids: readonly Micro[], asks: readonly Micro[], inexact: boolean): readonly CheckFlag[] {
    const { tick } = this;
    const offTick = tick !== null && (offGrid(bids, tick) || offGrid(asks, tick));
    if (!inexact && !offTick) return NONE;
    return [...(inexact ? (['inexact'] as const) : NONE), ...(offTick ? (['off_tick'] as const) : NONE)];
  }

  private finding(
    kind: 'snapshot' | 'delta',
    sourceTs: Micros | null,
    naming: Naming,
    book: Pick<
      BookFinding,
      'bidPrices' | 'bidSizes' | 'askPrices' | 'askSizes' | 'priceFormat' | 'sizeFormat' | 'exceptions'
    >,
    flags: readonly CheckFlag[],
  ): BookFinding {
    return {
      type: 'book',
      market: this.market,
      outcome: this.token,
      kind,
      sourceTs,
      ...book,
      nativeBid: naming.nativeBid,
      nativeAsk: naming.nativeAsk,
      askComplement: false,
      hash: naming.hash,
      sequence: null,
      nativeIds: this.nativeIds,
      flags,
    };
  }
}

const NONE: readonly CheckFlag[] = [];

function offGrid(prices: readonly Micro[], tick: Micro): boolean {
  for (const price of prices) if (price % tick !== 0) return true;
  return false;
}
