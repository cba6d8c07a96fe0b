// The end of a stall on one connection: what had piled up is read.

import type { VenueEvent } from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';
import { emitBook } from './apply-finding.ts';
import type { LateReading } from './late.ts';
import type { OpenSession, SharedCapture } from './shared.ts';
import type { Track } from './tracks.ts';

/** `unknown`: markets whose books must be sent anew. */
export type CaughtUp = {
  readonly events: VenueEvent[];
  readonly unknown: readonly string[];
  readonly lateFrames: number;
};

export function catchUp(
  capture: SharedCapture,
  /** `last`: the newest frame of it; -1: there was none. */
  session: OpenSession & { readonly last: number },
  late: LateReading | null,
  watched: readonly Track[],
  at: Micros,
): CaughtUp {
  const { tracks, adapter } = capture;
  const events: VenueEvent[] = [];
  const unknown = new Set<string>();
  let entry = 0;
  for (const track of watched) {
    if (!track.gap) continue;
    tracks.caughtUp(track, session.id, session.last);
    // What is polled is asked for anew in its turn.
    if (!session.streams) continue;
    const envelope = session.envelope(track, at);
    const book = adapter.capture.sequenced ? (late?.held(track) ?? null) : null;
    if (track.dataset === 'samples') {
      if (track.gap.cause === 'recorder_stalled' && !late?.isBroken(track))
        tracks.resume(track, envelope, events);
    } else if (book) {
      const stated = { ...envelope, sourceTs: book.sourceTs };
      tracks.observed(track, stated, events);
      emitBook(capture, track, stated, { ...book, kind: 'snapshot' }, entry++, events);
    } else unknown.add(track.market);
  }
  return { events, unknown: [...unknown], lateFrames: late?.frames ?? 0 };
}
