// Which recorded depth an order may take. Depth that was taken stays taken: the recorded book did not see our order, so the
// next observation shows the same contracts again, and without a memory they could be bought for ever.

import type { Micro } from '../kernel/decimal.ts';
import { complement } from '../kernel/decimal.ts';
import type { BookObserved, CheckFlag } from '../events/events.ts';
import type { OrderRequest, Side } from './strategy.ts';

/** What may be taken of one level: at the price of the order's outcome, and where in the recorded book. */
export type Level = {
  readonly price: Micro;
  readonly size: Micro;
  readonly recorded: { readonly side: 'bid' | 'ask'; readonly price: Micro };
};

/** Flags after which the ladder itself cannot be trusted. `inexact`, `off_tick` and a clock that stepped back leave it usable. */
const SPOILED: ReadonlySet<CheckFlag> = new Set([
  'missing_id',
  'missing_timestamp',
  'price_out_of_bounds',
  'unequal_lengths',
  'not_ordered',
  'duplicate_price',
  'crossed',
  'size_not_positive',
]);

export const isSuspect = (book: BookObserved): boolean =>
  book.state === 'crossed' || book.flags.some((flag) => SPOILED.has(flag));

/** What was taken of one recorded book, by side and recorded price. */
export class DepthTaken {
  private readonly bid = new Map<Micro, Micro>();
  private readonly ask = new Map<Micro, Micro>();

  taken(side: 'bid' | 'ask', price: Micro): Micro {
    return this[side].get(price) ?? 0;
  }

  take(side: 'bid' | 'ask', price: Micro, size: Micro): void {
    this[side].set(price, this.taken(side, price) + size);
  }

  /** A new observation: what is no longer shown is forgotten, and no more is taken of a level than it shows. */
  observe(book: BookObserved): void {
    if (this.bid.size > 0) reconcile(this.bid, book.bidPrices, book.bidSizes);
    if (this.ask.size > 0) reconcile(this.ask, book.askPrices, book.askSizes);
  }
}

function reconcile(taken: Map<Micro, Micro>, prices: readonly Micro[], sizes: readonly Micro[]): void {
  for (const [price, size] of taken) {
    const at = prices.indexOf(price);
    const shown = at < 0 ? 0 : sizes[at]!;
    if (shown === 0) taken.delete(price);
    else if (size > shown) taken.set(price, shown);
  }
}

export type Walk = {
  readonly side: Side;
  /** The order is for the other outcome of a book that is recorded for the first: its prices are 1 − p. */
  readonly mirrored: boolean;
  readonly size: Micro;
  /** The worst price; null takes any. */
  readonly limit: Micro | null;
  /** Only levels strictly better than the limit: what trades through a resting order. */
  readonly through: boolean;
};

/**
 * Takes from the best level on, level by level, never more than is shown and not yet taken. Prices are those of the order's
 * outcome. The caller books what it uses with `DepthTaken.take` at `recorded`.
 */
export function walk(
  book: BookObserved,
  depth: DepthTaken,
  { side, mirrored, size, limit, through }: Walk,
): Level[] {
  // Buying the first outcome takes asks; buying the other one takes bids of the first, and the reverse for sales.
  const from = (side === 'buy') === mirrored ? 'bid' : 'ask';
  const prices = from === 'bid' ? book.bidPrices : book.askPrices;
  const sizes = from === 'bid' ? book.bidSizes : book.askSizes;
  const found: Level[] = [];
  let open = size;
  for (let at = 0; at < prices.length && open > 0; at++) {
    const recorded = prices[at]!;
    const price = mirrored ? complement(recorded) : recorded;
    if (limit !== null && !isWithin(side, price, limit, through)) break;
    const available = sizes[at]! - depth.taken(from, recorded);
    if (available <= 0) continue;
    const taken = Math.min(open, available);
    open -= taken;
    found.push({ price, size: taken, recorded: { side: from, price: recorded } });
  }
  return found;
}

/** Whether the best recorded price is strictly beyond a resting order's. Asked of every order at every book. */
export function tradesThrough(book: BookObserved, { side, limit }: OrderRequest, mirrored: boolean): boolean {
  const best = (side === 'buy') === mirrored ? book.bidPrices[0] : book.askPrices[0];
  if (best === undefined || limit === undefined) return false;
  return isWithin(side, mirrored ? complement(best) : best, limit, true);
}

const isWithin = (side: Side, price: Micro, limit: Micro, through: boolean): boolean => {
  if (price === limit) return !through;
  return side === 'buy' ? price < limit : price > limit;
};
