// How long to wait before trying again. The random number is an argument, so this is pure.

export type BackoffLimits = { readonly baseMs: number; readonly maxMs: number };

/**
 * Half of a bound that doubles with every attempt (from 0), and a random share of the other half: many who failed together do
 * not come back together. `random` is in [0, 1]; 1 is the bound itself.
 */
export function backoffMs(attempt: number, random: number, { baseMs, maxMs }: BackoffLimits): number {
  const bound = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(bound / 2 + (bound / 2) * random);
}
