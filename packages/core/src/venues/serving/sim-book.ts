// One order book in prices of the first outcome (Up, YES), on a fixed price grid. Prices and sizes are integers of 1e-6.

export type Side = 'bid' | 'ask';

/** The valid prices of a market, ascending. */
export type Grid = { readonly name: GridName; readonly prices: readonly number[] };
export type GridName = 'cent' | 'deci' | 'tapered';

const steps = (from: number, to: number, step: number): number[] => {
  const prices: number[] = [];
  for (let price = from; price <= to; price += step) prices.push(price);
  return prices;
};

export const GRIDS: Readonly<Record<GridName, Grid>> = {
  cent: { name: 'cent', prices: steps(10_000, 990_000, 10_000) },
  deci: { name: 'deci', prices: steps(1_000, 999_000, 1_000) },
  tapered: {
    name: 'tapered',
    prices: [
      ...steps(1_000, 99_000, 1_000),
      ...steps(100_000, 900_000, 10_000),
      ...steps(901_000, 999_000, 1_000),
    ],
  },
};

export type Level = readonly [price: number, size: number];

export type SimBook = {
  grid: Grid;
  /** Size per grid index; 0 is no level. */
  bids: Float64Array;
  asks: Float64Array;
  bidLevels: number;
  askLevels: number;
  /** Grid index of the best price, -1 when the side is empty. */
  bestBid: number;
  bestAsk: number;
};

export const createBook = (grid: Grid): SimBook => ({
  grid,
  bids: new Float64Array(grid.prices.length),
  asks: new Float64Array(grid.prices.length),
  bidLevels: 0,
  askLevels: 0,
  bestBid: -1,
  bestAsk: -1,
});

/** Sets the total size at a grid index; 0 removes the level. Returns the change in size. */
export function setLevel(book: SimBook, side: Side, index: number, size: number): number {
  const sizes = side === 'bid' ? book.bids : book.asks;
  const before = sizes[index]!;
  sizes[index] = size;
  const added = (before === 0 ? 1 : 0) - (size === 0 ? 1 : 0);
  if (side === 'bid') {
    book.bidLevels += added;
    if (size > 0 && index > book.bestBid) book.bestBid = index;
    else if (size === 0 && index === book.bestBid) {
      let best = index - 1;
      while (best >= 0 && sizes[best] === 0) best--;
      book.bestBid = best;
    }
  } else {
    book.askLevels += added;
    if (size > 0 && (book.bestAsk < 0 || index < book.bestAsk)) book.bestAsk = index;
    else if (size === 0 && index === book.bestAsk) {
      let best = index + 1;
      while (best < sizes.length && sizes[best] === 0) best++;
      book.bestAsk = best === sizes.length ? -1 : best;
    }
  }
  return size - before;
}

/** Best first. */
export function levelsOf(book: SimBook, side: Side): Level[] {
  const levels: Level[] = [];
  const prices = book.grid.prices;
  if (side === 'bid') {
    for (let at = book.bestBid; at >= 0; at--)
      if (book.bids[at]! > 0) levels.push([prices[at]!, book.bids[at]!]);
  } else if (book.bestAsk >= 0) {
    for (let at = book.bestAsk; at < prices.length; at++)
      if (book.asks[at]! > 0) levels.push([prices[at]!, book.asks[at]!]);
  }
  return levels;
}

/** Grid index of the highest price not above `price`; -1 when all are above. */
export function indexAtOrBelow(grid: Grid, price: number): number {
  let low = 0;
  let high = grid.prices.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (grid.prices[middle]! <= price) low = middle + 1;
    else high = middle - 1;
  }
  return high;
}

/** The same levels on a finer grid that contains every price of the old one. */
export function regrid(book: SimBook, grid: Grid): void {
  const bids = levelsOf(book, 'bid');
  const asks = levelsOf(book, 'ask');
  Object.assign(book, createBook(grid));
  for (const [price, size] of bids) setLevel(book, 'bid', indexAtOrBelow(grid, price), size);
  for (const [price, size] of asks) setLevel(book, 'ask', indexAtOrBelow(grid, price), size);
}

export const bestPrice = (book: SimBook, side: Side): number | null => {
  const at = side === 'bid' ? book.bestBid : book.bestAsk;
  return at < 0 ? null : book.grid.prices[at]!;
};
