// Seeded randomness: nothing here asks the machine for entropy, so the same seed gives the same market, byte for byte.

/** Avalanche of two 32-bit integers. */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x165667b1, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return (h ^ (h >>> 15)) >>> 0;
}

/** 32-bit hash of a text (FNV-1a, then avalanched). */
export function hashText(text: string): number {
  let h = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) h = Math.imul(h ^ text.charCodeAt(at), 0x01000193);
  return mix(h >>> 0, text.length);
}

/** `length` hexadecimal digits that depend on the text alone; looks like a digest, is not one. */
export function hexOf(text: string, length: number): string {
  let h = hashText(text);
  let out = '';
  while (out.length < length) {
    h = mix(h, out.length);
    out += h.toString(16).padStart(8, '0');
  }
  return out.slice(0, length);
}

export type Random = {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform integer in [0, below). */
  int(below: number): number;
  chance(probability: number): boolean;
  gaussian(): number;
  exponential(mean: number): number;
};

/** mulberry32: 32 bits of state, long enough a period for one market's life. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    int: (below) => Math.floor(next() * below),
    chance: (probability) => next() < probability,
    gaussian: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    exponential: (mean) => -Math.log(1 - next()) * mean,
  };
}
