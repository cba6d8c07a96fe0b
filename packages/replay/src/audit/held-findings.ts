// Findings of which nothing was recorded while their track was in a gap. A sample ends a gap and a comparison is made in spite of
// one, unless their frame came late: which frames did, the end of the gap names. Until it is read they are held.

import type { GapOpened, LateFrames, VenueEvent } from '@ladderlog/core';
import { isLateFrame } from '@ladderlog/core';
import type { FrameDifference } from './judge-frame.ts';
import { bookTrack, samplesTrack, trackOf } from './tracks.ts';
import type { Taped } from './tally.ts';

export type HeldFinding = { readonly frame: Taped; readonly difference: FrameDifference };

type OpenGap = { readonly gapId: string; readonly late: readonly LateFrames[]; readonly held: HeldFinding[] };

/** `late`: it was left out with reason; else it should have been recorded. */
export type Settle = (held: HeldFinding, late: boolean) => void;

export class GapsInAudit {
  private readonly open = new Map<string, OpenGap>();
  /** Of gaps that open in the moment that is judged. */
  private readonly early = new Map<string, HeldFinding[]>();
  private readonly settle: Settle;

  constructor(settle: Settle) {
    this.settle = settle;
  }

  has(track: string): boolean {
    return this.open.has(track);
  }

  /** Told before, under this id. */
  isKnown({ gapId, ...gap }: GapOpened): boolean {
    return this.open.get(trackOf({ gapId, ...gap }))?.gapId === gapId;
  }

  hold(track: string, finding: HeldFinding): void {
    const gap = this.open.get(track);
    if (gap) gap.held.push(finding);
    else this.early.set(track, [...(this.early.get(track) ?? []), finding]);
  }

  follow(event: VenueEvent): void {
    if (event.type === 'GapOpened') {
      const track = trackOf(event);
      const known = this.open.get(track);
      const held = [...(known?.held ?? []), ...(this.early.get(track) ?? [])];
      this.early.delete(track);
      this.open.set(track, { gapId: event.gapId, late: event.late, held });
    } else if (event.type === 'GapClosed') this.close(trackOf(event), event.late);
    else if (event.type === 'CaptureStopped')
      this.close(
        event.dataset === 'samples' ? samplesTrack(event.market) : bookTrack(event.market, event.outcome),
      );
  }

  /** The recording ends: gaps that are open say what they know. */
  end(): void {
    for (const track of this.open.keys()) this.close(track);
  }

  private close(track: string, late = this.open.get(track)?.late ?? []): void {
    const gap = this.open.get(track);
    this.open.delete(track);
    for (const held of gap?.held ?? []) {
      const { session, ordinal } = held.frame.event;
      this.settle(held, isLateFrame(late, session, ordinal));
    }
  }
}
