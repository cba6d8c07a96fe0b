// One market's book as the socket builds it: a snapshot, then signed changes. NO bids are kept as YES asks.

import type { TextFormat } from '../../kernel/decimal.ts';
import { MAX_MICRO, complement, formatMicro } from '../../kernel/decimal.ts';
import type { Ladders } from '../../capture/checks.ts';
import type { CheckFlag, GapCause, GapScope, TextException } from '../../events/events.ts';
import { Side } from '../../market/ladder.ts';
import type { Micros } from '../../kernel/time.ts';
import type { BookFinding, BreakFinding } from '../../capture/finding.ts';
import type { WireBook, WireDelta } from './wire.ts';

export const OUTCOME = 'yes';

const NO_EXCEPTIONS: readonly TextException[] = [];
const NO_FLAGS: readonly CheckFlag[] = [];
const INEXACT: readonly CheckFlag[] = ['inexact'];

/** The `sid` of the subscription that feeds a book; null where frames name none. */
export type Sid = number | string | null;

export class Book {
  readonly market: string;
  readonly bids = new Side('bid');
  readonly asks = new Side('ask');
  /** `new`: no snapshot yet. `lost`: said to be unknown until the next snapshot. */
  state: 'new' | 'live' | 'lost' = 'new';
  sid: Sid = null;
  /** NO levels come in YES prices (use_yes_price). */
  noIsYes = false;
  private priceFormat: TextFormat = '4';
  private sizeFormat: TextFormat = '2';
  private exact = true;
  private nativeIds: Readonly<Record<string, string>> = {};

  constructor(market: string) {
    this.market = market;
  }

  take(wire: WireBook, noIsYes: boolean): void {
    this.bids.replace(wire.bids);
    this.asks.replace(wire.asks);
    this.noIsYes = noIsYes;
    this.priceFormat = wire.priceFormat;
    this.sizeFormat = wire.sizeFormat;
    this.exact = wire.exact;
    this.state = 'live';
  }

  /** Native ids stay the same object while they say the same: one is made per snapshot, not per change. */
  identify(nativeIds: Readonly<Record<string, string>>): void {
    this.nativeIds = nativeIds;
  }

  /** The best `depth` levels a side as they are now. */
  ladders(depth?: number): Ladders {
    return {
      bidPrices: this.bids.prices.slice(0, depth),
      bidSizes: this.bids.sizes.slice(0, depth),
      askPrices: this.asks.prices.slice(0, depth),
      askSizes: this.asks.sizes.slice(0, depth),
    };
  }

  lose(): void {
    this.state = 'lost';
    this.bids.clear();
    this.asks.clear();
  }

  /** Adds the change to its level. The text is an error: the book we hold is not the venue's. */
  apply(change: WireDelta): string | null {
    const onBids = change.side === 'yes';
    const side = onBids ? this.bids : this.asks;
    const price = onBids || this.noIsYes ? change.price : complement(change.price);
    const before = side.sizeAt(price);
    const after = before + change.delta;
    if (after < 0)
      return `${change.side} ${change.priceText}: ${formatMicro(before)} changed by ${formatMicro(change.delta)}`;
    if (after > MAX_MICRO) return `${change.side} ${change.priceText}: size out of range`;
    if (!change.exact) this.exact = false;
    const text =
      after === 0 || formatMicro(change.price, this.priceFormat) === change.priceText
        ? null
        : { price: change.priceText, size: formatMicro(after, this.sizeFormat) };
    side.set(price, after, text);
    return null;
  }

  finding(kind: 'snapshot' | 'delta', sequence: number | null, sourceTs: Micros | null): BookFinding {
    return {
      type: 'book',
      market: this.market,
      outcome: OUTCOME,
      kind,
      sourceTs,
      ...this.ladders(),
      nativeBid: 'yes',
      nativeAsk: 'no',
      askComplement: !this.noIsYes,
      priceFormat: this.priceFormat,
      sizeFormat: this.sizeFormat,
      exceptions: this.exceptions(),
      hash: null,
      sequence,
      nativeIds: this.nativeIds,
      flags: this.exact ? NO_FLAGS : INEXACT,
    };
  }

  private exceptions(): readonly TextException[] {
    const found: TextException[] = [];
    this.bids.exceptions(found);
    this.asks.exceptions(found);
    return found.length === 0 ? NO_EXCEPTIONS : found;
  }
}

export const broken = (
  market: string,
  cause: GapCause,
  scope: GapScope,
  detail: string | null,
  since: Micros | null = null,
): BreakFinding => ({
  type: 'break',
  market,
  outcome: OUTCOME,
  cause,
  scope,
  detail,
  ...(since === null ? {} : { since }),
});

/** Trades of the market were lost; its book stands. */
export const lostTrades = (
  market: string,
  cause: GapCause,
  scope: GapScope,
  detail: string | null,
  since: Micros | null = null,
): BreakFinding => ({ ...broken(market, cause, scope, detail, since), outcome: null, dataset: 'samples' });
