// Keeps one resting bid a tick above the best one, sells what it got at a profit, and withdraws when the recording breaks.
// A resting order fills only when the recorded book trades through it: the result is a floor, not a forecast.

import type { BookObserved, Micro, Strategy, StrategyContext } from '@ladderlog/core';
import { decimal } from '@ladderlog/core';

const amount = (context: StrategyContext, name: string, otherwise: string): Micro =>
  decimal(context.params[name] ?? otherwise).value;

function quote(book: BookObserved, context: StrategyContext): void {
  const bid = book.bidPrices[0];
  const ask = book.askPrices[0];
  if (bid === undefined || ask === undefined) return;
  const tick = context.market(book.market)?.tickSize ?? 10_000;
  const size = amount(context, 'size', '10');
  const edge = amount(context, 'edge', '0.02');
  const mine = context.orders(book.market).filter(({ request }) => request.outcome === book.outcome);
  const bids = mine.filter(({ request }) => request.side === 'buy');
  const price = bid + tick;
  if (price < ask && context.position(book.market, book.outcome) === 0) {
    const stale = bids.find(({ request }) => request.limit !== price);
    if (stale) context.cancel(stale.id);
    else if (bids.length === 0)
      context.send({ market: book.market, outcome: book.outcome, side: 'buy', size, limit: price });
  }
  const held = context.position(book.market, book.outcome);
  if (held > 0 && !mine.some(({ request }) => request.side === 'sell')) {
    const limit = Math.min(price + Math.max(tick, edge - (edge % tick)), 1_000_000 - tick);
    context.send({ market: book.market, outcome: book.outcome, side: 'sell', size: held, limit });
  }
}

const strategy: Strategy = {
  name: 'quote-inside',
  onBook: quote,
  onGap(gap, context) {
    if (gap.change === 'opened') for (const order of context.orders(gap.market)) context.cancel(order.id);
  },
};

export default strategy;
