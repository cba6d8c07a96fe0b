// What the log says was watched when it ended: after a crash, gaps begin there.

import type { Dataset, GapCause, GapEdge, GapScope, LateFrames } from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';
import type { MarketState } from '../market/state.ts';

export type OpenGap = {
  readonly gapId: string;
  readonly cause: GapCause;
  readonly scope: GapScope;
  readonly from: Micros;
  readonly lastBefore: GapEdge | null;
  readonly late: readonly LateFrames[];
};

export type Evidence = {
  readonly dataset: Dataset;
  readonly market: string;
  readonly outcome: string | null;
  readonly lastEvidence: Micros;
  readonly lastObserved: GapEdge | null;
  readonly gap: OpenGap | null;
};

/** What of this market was still being recorded. */
export const evidenceOf = ({ market, watched, gaps }: MarketState): Evidence[] =>
  watched.flatMap(({ dataset, outcome, recording }) => {
    if (!recording) return [];
    const { lastEvidence, lastObserved } = recording;
    const gap = gaps.findLast(({ event }) => event.dataset === dataset && event.outcome === outcome)?.event;
    return [
      {
        dataset,
        market,
        outcome,
        lastEvidence,
        lastObserved: lastObserved && edgeOf(lastObserved),
        gap: gap
          ? {
              gapId: gap.gapId,
              cause: gap.cause,
              scope: gap.scope,
              from: gap.from,
              lastBefore: gap.lastBefore,
              late: gap.late,
            }
          : null,
      },
    ];
  });

/** An observation is kept as the event it is; of an edge only these are wanted. */
const edgeOf = ({ session, ordinal, observedAt }: GapEdge): GapEdge => ({ session, ordinal, observedAt });
