// Books that a numbered stream stated again when it had caught up after a stall: of the newest frame before them, at a moment of
// their own. They must be what the normalizer holds after that frame.

import type { BookObserved, VenueAdapter } from '@ladderlog/core';
import { difference } from './compare.ts';
import type { FrameVerdict, Recorded } from './judge-frame.ts';
import type { AuditSession } from './sessions.ts';
import { bookKey } from './tracks.ts';

/** Null: it is no such book. */
export function judgeRestated(
  { event, position }: Recorded & { readonly event: BookObserved },
  session: AuditSession,
  adapter: VenueAdapter,
): FrameVerdict | null {
  if (event.ordinal !== session.nextOrdinal - 1) return null;
  const held = session.books.get(bookKey(event));
  const verdict: FrameVerdict = { matched: [], differences: [], suppressed: 0, compared: [], held: [] };
  const field = held ? difference(event, { ...held, kind: 'snapshot' }, adapter, event.observedAt) : null;
  if (held && !field) verdict.matched.push('BookObserved');
  else
    verdict.differences.push({
      kind: held ? 'field' : 'unexpected',
      type: 'BookObserved',
      market: event.market,
      outcome: event.outcome,
      event: position,
      ...field,
    });
  return verdict;
}
