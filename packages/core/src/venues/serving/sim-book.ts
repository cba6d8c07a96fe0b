// One order book in prices of the first outcome (Up, YES), on a fixed price grid. Prices and sizes are integers of 1e-6.

export type Side = 'bid' | 'ask';
export type Level = readonly [price: number, size: number];

/** The valid prices of a market, ascending. */
export type Grid = { readonly name: GridName; readonly prices: readonly number[] };
export type GridName = 'cent' | 'deci' | 'tapered';

const steps = (from: number, to: number, step: number): number[] =>
  Array.from({ length: (to - from) / step + 1 }, (_, n) => from + n * step);

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

export class SimBook {
  grid: Grid;
  /** Size per grid index; 0 is no level. */
  private sizes: Readonly<Record<Side, Float64Array>>;

  constructor(grid: Grid) {
    this.grid = grid;
    this.sizes = {
      bid: new Float64Array(grid.prices.length),
      ask: new Float64Array(grid.prices.length),
    };
  }

  /** Grid index of the best price, -1 when the side is empty. */
  best(side: Side): number {
    const isLevel = (size: number): boolean => size > 0;
    return side === 'bid' ? this.sizes.bid.findLastIndex(isLevel) : this.sizes.ask.findIndex(isLevel);
  }

  bestPrice(side: Side): number | null {
    return this.grid.prices[this.best(side)] ?? null;
  }

  /** 0 where there is no level. */
  size(side: Side, index: number): number {
    return this.sizes[side][index] ?? 0;
  }

  /** Sets the total size at a grid index; 0 removes the level. Returns the change in size. */
  set(side: Side, index: number, size: number): number {
    const before = this.size(side, index);
    this.sizes[side][index] = size;
    return size - before;
  }

  /** Best first. */
  levels(side: Side): Level[] {
    const levels: Level[] = [];
    this.sizes[side].forEach((size, index) => {
      if (size > 0) levels.push([this.grid.prices[index]!, size]);
    });
    return side === 'bid' ? levels.reverse() : levels;
  }

  /** Moves every level to a finer grid, which has all prices of the old one. */
  refine(grid: Grid): void {
    const finer = new SimBook(grid);
    for (const side of ['bid', 'ask'] as const)
      for (const [price, size] of this.levels(side)) finer.set(side, indexAtOrBelow(grid, price), size);
    this.grid = grid;
    this.sizes = finer.sizes;
  }
}

/** Grid index of the highest price not above `price`; -1 when all are above. */
export const indexAtOrBelow = (grid: Grid, price: number): number =>
  grid.prices.findLastIndex((one) => one <= price);
