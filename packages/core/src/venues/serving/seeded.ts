// Seeded detail of simulated venues: the same text gives the same number and the same digits, in every run.

/** Avalanche of two 32-bit integers. */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x165667b1, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return (h ^ (h >>> 15)) >>> 0;
}

/** 32-bit number of a text (FNV-1a, then avalanched). */
export function numberOf(text: string): number {
  let h = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) h = Math.imul(h ^ text.charCodeAt(at), 0x01000193);
  return mix(h >>> 0, text.length);
}

/** `length` hexadecimal digits that depend on the text alone; looks like a digest, is not one. */
export function hexOf(text: string, length: number): string {
  let h = numberOf(text);
  let out = '';
  while (out.length < length) {
    h = mix(h, out.length);
    out += h.toString(16).padStart(8, '0');
  }
  return out.slice(0, length);
}
