// At most so many at a time; the others wait in order.

export type Limiter = (work: () => Promise<void>) => Promise<void>;

export function createLimiter(limit: number): Limiter {
  let free = limit;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
