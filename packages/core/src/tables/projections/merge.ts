// How the engine merges rows of one key (SimpleAggregateFunction min and max), for batches and for verification. Null is no
// value, not the smallest one.

export const later = <V extends string | number>(a: V, b: V): V => (compare(a, b) >= 0 ? a : b);

export const latest = <V extends string | number>(a: V | null, b: V | null): V | null =>
  a === null ? b : b === null ? a : later(a, b);

export const earliest = <V extends string | number>(a: V | null, b: V | null): V | null =>
  a === null ? b : b === null ? a : compare(a, b) <= 0 ? a : b;

/** Text as ClickHouse orders it: by UTF-8 bytes, which is by code point, not by UTF-16 unit. */
export function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' || typeof b === 'number') return Number(a) - Number(b);
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    if (a.charCodeAt(at) !== b.charCodeAt(at)) {
      // The second half of a pair alone says nothing: compare from where the pair began.
      const start = at > 0 && isHigh(a.charCodeAt(at - 1)) ? at - 1 : at;
      return a.codePointAt(start)! - b.codePointAt(start)!;
    }
  }
  return a.length - b.length;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** A String column that is never given bytes. */
export const textOf = (cell: string | Uint8Array): string => cell as string;
