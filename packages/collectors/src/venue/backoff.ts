/** Full jitter: a random wait below an exponentially growing bound. The random number is an argument, so this is pure. */
export function backoffMs(
  attempt: number,
  random: number,
  limits: { baseMs: number; maxMs: number },
): number {
  const bound = Math.min(limits.maxMs, limits.baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(bound / 2 + (bound / 2) * random);
}
