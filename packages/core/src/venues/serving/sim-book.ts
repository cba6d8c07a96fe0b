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

type BookSide = {
  /** By grid index; 0 is no level. */
  readonly sizes: Float64Array;
  /** Grid index of the best price, -1 when there is none; null: to be looked for again. */
  best: number | null;
  count: number;
};

export class SimBook {
  grid: Grid;
  private sides: Readonly<Record<Side, BookSide>>;

  constructor(grid: Grid) {
    this.grid = grid;
    const side = (): BookSide => ({ sizes: new Float64Array(grid.prices.length), best: -1, count: 0 });
    this.sides = { bid: side(), ask: side() };
  }

  /** Grid index of the best price, -1 when the side is empty. */
  best(of: Side): number {
    const side = this.sides[of];
    const isLevel = (size: number): boolean => size > 0;
    return (side.best ??= of === 'bid' ? side.sizes.findLastIndex(isLevel) : side.sizes.findIndex(isLevel));
  }

  bestPrice(side: Side): number | null {
    return this.grid.prices[this.best(side)] ?? null;
  }

  /** How many levels. */
  count(side: Side): number {
    return this.sides[side].count;
  }

  /** 0 where there is no level. */
  size(side: Side, index: number): number {
    return this.sides[side].sizes[index] ?? 0;
  }

  /** Sets the total size at a grid index; 0 removes the level. Returns the change in size. */
  set(of: Side, index: number, size: number): number {
    const side = this.sides[of];
    const before = this.size(of, index);
    const best = this.best(of);
    side.sizes[index] = size;
    if (size > 0 !== before > 0) {
      if (size === 0 ? index === best : best < 0 || index > best === (of === 'bid')) side.best = null;
      side.count += size > 0 ? 1 : -1;
    }
    return size - before;
  }

  /** Best first. */
  levels(of: Side): Level[] {
    const { sizes, count } = this.sides[of];
    const levels: Level[] = [];
    for (let at = this.best(of); levels.length < count; at += of === 'bid' ? -1 : 1)
      if (sizes[at]! > 0) levels.push([this.grid.prices[at]!, sizes[at]!]);
    return levels;
  }

  /** Moves every level to a finer grid, which has all prices of the old one. */
  refine(grid: Grid): void {
    const finer = new SimBook(grid);
    for (const side of ['bid', 'ask'] as const)
      for (const [price, size] of this.levels(side)) finer.set(side, indexAtOrBelow(grid, price), size);
    this.grid = grid;
    this.sides = finer.sides;
  }
}

/** Grid index of the highest price not above `price`; -1 when all are above. */
export function indexAtOrBelow({ prices }: Grid, price: number): number {
  let at = prices.length - 1;
  while (at >= 0 && prices[at]! > price) at--;
  return at;
}
