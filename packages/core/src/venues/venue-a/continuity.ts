// How messages of venue A may be lost or out of order. They have no numbers, and each is a whole book: a lost one is mended by the
// next, and only the order of arrival may be wrong.

import type { Micros } from '../../kernel/time.ts';

/**
 * Pushes overtake each other by moments (the venue says 200 ms). What lies further back is no older book: the venue's clock was
 * set, and for as long as this allows its books would be left out.
 */
const OVERTAKEN_WITHIN: Micros = 2_000_000;

/** An older book than the newest one we have. */
export const isOvertaken = (newest: Micros | null, sourceTs: Micros | null): boolean =>
  newest !== null && sourceTs !== null && sourceTs <= newest && newest - sourceTs < OVERTAKEN_WITHIN;
