// Samples by REST come with every discovery. While it gives nothing, quiet is no news.

import type { Capture, CollectPlan, Micros, Session, VenueEvent } from '@ladderlog/core';
import { MICROS_PER_MS } from '@ladderlog/core';

import type { Rest } from '../venue/rest.ts';

/** Rounds of samples that may fail before they are in a gap. */
const SAMPLES_MISSED = 3;

/** The gaps of samples that were not given for too long. */
export function starvedSamples(
  plan: CollectPlan,
  { tracks }: Capture,
  rests: readonly Rest[],
  session: Session,
  now: Micros,
): VenueEvent[] {
  const refusal = rests.find((rest) => rest.refusal)?.refusal;
  if (!plan.sample || !refusal) return [];
  const { cause, detail } = refusal;
  const events: VenueEvent[] = [];
  for (const { dataset, session: of, market, lastEvidence, gap } of tracks.all()) {
    if (dataset !== 'samples' || of !== session.id || gap) continue;
    if (now - lastEvidence > SAMPLES_MISSED * plan.timing.discoverMs * MICROS_PER_MS)
      events.push(...session.openGaps(cause, now, detail, { scope: 'venue', market, from: lastEvidence }));
  }
  return events;
}
