// The null hypothesis: now and then buys whatever is offered, by the run's own seeded chance. What a real strategy must beat.

import type { Strategy } from '@ladderlog/core';
import { decimal } from '@ladderlog/core';

const strategy: Strategy = {
  name: 'coin-flip',
  onBook(book, context) {
    const everyBooks = Number(context.params['every'] ?? '200');
    if (book.askPrices.length === 0 || context.random.below(everyBooks) !== 0) return;
    context.send({
      market: book.market,
      outcome: book.outcome,
      side: 'buy',
      size: decimal(context.params['size'] ?? '5').value,
    });
  },
};

export default strategy;
