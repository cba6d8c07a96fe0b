// A stream that has been quiet: is it quiet, or dead? The venue's own book, asked for over REST, tells.

import type { Capture } from './capture.ts';
import type { Ladders } from './checks.ts';
import { sameLadders } from './checks.ts';
import type { GapCause, VenueEvent } from '../events/events.ts';
import type { FrameResult, Session } from './session.ts';
import type { Micros } from '../kernel/time.ts';
import type { Finding, Frame } from './finding.ts';

export type ProbeResult = FrameResult & { readonly lost: readonly string[] };

/**
 * When the venue's book is not the one we hold, changes were lost since our last observation: that is a gap of this cause,
 * and `lost` names the markets.
 */
export function probe(
  capture: Capture,
  session: Session,
  answer: { readonly frame: Frame; readonly body: Uint8Array; readonly requestedAt: Micros | null },
  cause: GapCause,
): ProbeResult {
  const { tracks } = capture;
  const { frame } = answer;
  const lost: string[] = [];
  const gaps: VenueEvent[] = [];
  const held = new Map<string, Ladders | null>();
  for (const track of tracks.all())
    if (track.session === session.id) held.set(`${track.market}\u0000${track.outcome}`, track.lastLadders);
  const result = session.frame(frame, answer.body, answer.requestedAt, (finding) => {
    if (!isOtherBook(finding, held)) return;
    const track = tracks.get('books', finding.market, finding.outcome);
    if (!track?.started || track.gap) return;
    // The stream spoke after the question was sent: the two books may be of different moments, and it is not quiet.
    if (answer.requestedAt !== null && (track.lastObserved?.observedAt ?? 0) >= answer.requestedAt) return;
    lost.push(finding.market);
    const envelope = capture.envelope(session.id, session.ordinal, frame.observedAt, finding.market);
    const gap = {
      cause,
      scope: 'book' as const,
      from: track.lastObserved?.observedAt ?? track.lastEvidence,
      detail: "the venue's own book differs from the last one it sent",
    };
    tracks.open(track, envelope, gap, gaps);
  });
  // The gap goes before what the frame itself says, after the tape.
  return { ...result, events: [result.events[0]!, ...gaps, ...result.events.slice(1)], lost };
}

function isOtherBook(
  finding: Finding,
  held: ReadonlyMap<string, Ladders | null>,
): finding is Extract<Finding, { type: 'book' | 'compare' }> {
  if (finding.type === 'compare') return finding.levelsDiffering > 0;
  return (
    finding.type === 'book' &&
    !sameLadders(finding, held.get(`${finding.market}\u0000${finding.outcome}`) ?? null)
  );
}
