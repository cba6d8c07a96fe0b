// Buys an outcome once when it is offered below a price, and holds it to the end.
//   ladderlog backtest packages/replay/examples/buy-below.ts --venue venuec --asset btc … --param price=0.30 --param size=20

import type { Strategy, StrategyContext } from '@ladderlog/core';
import { decimal } from '@ladderlog/core';

const bought = new Set<string>();

const param = (context: StrategyContext, name: string, otherwise: string): number =>
  decimal(context.params[name] ?? otherwise).value;

const strategy: Strategy = {
  name: 'buy-below',
  onStart: () => bought.clear(),
  onBook(book, context) {
    const ask = book.askPrices[0];
    const limit = param(context, 'price', '0.30');
    if (ask === undefined || ask > limit || bought.has(book.market)) return;
    bought.add(book.market);
    context.send({
      market: book.market,
      outcome: book.outcome,
      side: 'buy',
      size: param(context, 'size', '20'),
      limit: ask,
      remainder: 'now',
    });
  },
};

export default strategy;
