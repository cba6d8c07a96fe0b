// Holds recorded gaps against what really happened: the faults that the simulators applied, a kill, and what markets do by
// themselves. Pure, so that a soak of hours is judged by rules that a unit test knows.

import type { GapCause, Micros, Venue } from '@ladderlog/core';
import type { FaultKind } from '@ladderlog/simulators';

export type AppliedFault = {
  readonly venue: Venue;
  readonly kind: FaultKind;
  readonly at: Micros;
  readonly seconds: number;
  /** The market (on venue C maybe a token) that was hit; null: all. */
  readonly market: string | null;
  readonly sockets: number;
};

export type RecordedGap = {
  readonly venue: Venue;
  readonly market: string;
  readonly outcome: string | null;
  readonly cause: GapCause;
  readonly from: Micros;
  /** When it was noticed. */
  readonly openedAt: Micros;
  /** Null while it is open. */
  readonly to: Micros | null;
  /** Whether anything had been observed of the book before. */
  readonly hadBook: boolean;
};

export type Kill = { readonly at: Micros; readonly backAt: Micros };

/** What a fault does to books that are watched. `prompt`: it must, and at once; else only a comparison with REST shows it. */
type Effect = { readonly cause: GapCause; readonly prompt: boolean };

const CUT: Effect = { cause: 'disconnected', prompt: true };
const UNREADABLE: Effect = { cause: 'rejected_frame', prompt: true };
/** Where messages are not numbered, lost ones show only when the venue's own book is asked for. */
const UNNUMBERED_LOSS: Effect = { cause: 'silence', prompt: false };
const NUMBERED_LOSS: Effect = { cause: 'sequence_break', prompt: true };

const everywhere = (effect: Effect): Partial<Record<Venue, Effect>> => ({
  venuea: effect,
  venueb: effect,
  venuec: effect,
});
const lossy = { venuea: UNNUMBERED_LOSS, venueb: NUMBERED_LOSS, venuec: UNNUMBERED_LOSS };

/** Left out: no gap at all. A refusal of new connections, errors of REST and odd times leave open sockets and their books alone. */
export const EFFECTS: Readonly<Partial<Record<FaultKind, Partial<Record<Venue, Effect>>>>> = {
  disconnect: everywhere(CUT),
  close_24h: everywhere(CUT),
  silence: lossy,
  // One book: it may have had no change to lose.
  silence_token: { ...lossy, venueb: { ...NUMBERED_LOSS, prompt: false } },
  skip_sequence: lossy,
  // Venue B numbers its messages: none is missing, so the unreadable one was no change.
  garbage: { venuea: UNREADABLE, venuec: UNREADABLE },
  overflow: { venueb: { cause: 'venue_error', prompt: true } },
  // Elsewhere a size below zero is kept and flagged, as any level that fails a check.
  delta_below_zero: { venueb: { cause: 'lost_sync', prompt: true } },
};

const SECOND = 1_000_000;
/** The last sign of life before a fault; and after it, until the next message shows the loss. */
const BEFORE = 5 * SECOND;
/** Nothing but the next number shows that none was lost, and the markets of a subscription may all be quiet. */
const BEFORE_NUMBERED = 60 * SECOND;
const AFTER = 10 * SECOND;
/** Books are compared in turn, so a loss without numbers is found late, or heals unseen. */
const COMPARED_WITHIN = 900 * SECOND;

export type Explanation =
  { readonly by: 'fault'; readonly fault: AppliedFault } | { readonly by: 'kill' | 'rotation' };

export function explain(
  gap: RecordedGap,
  faults: readonly AppliedFault[],
  kills: readonly Kill[],
): Explanation | null {
  if (gap.cause === 'collector_down')
    return kills.some(
      ({ at, backAt }) => gap.from <= at && gap.openedAt > at && gap.openedAt < backAt + AFTER,
    )
      ? { by: 'kill' }
      : null;
  // A market that is new has no book yet; on venue C the grid gets finer near the end.
  if (gap.cause === 'awaiting_snapshot' && !gap.hadBook) return { by: 'rotation' };
  if (gap.cause === 'tick_change' && gap.venue === 'venuec') return { by: 'rotation' };
  const fault = faults.findLast((one) => accounts(one, gap));
  return fault ? { by: 'fault', fault } : null;
}

function accounts(fault: AppliedFault, gap: RecordedGap): boolean {
  const effect = EFFECTS[fault.kind]?.[fault.venue];
  if (!effect || fault.venue !== gap.venue || effect.cause !== gap.cause) return false;
  // A number that is missing makes every book of the connection suspect.
  if (effect.cause !== 'sequence_break' && !hits(fault, gap)) return false;
  const over = fault.at + fault.seconds * SECOND;
  if (effect.cause === 'silence') return gap.openedAt >= fault.at && gap.openedAt <= over + COMPARED_WITHIN;
  const before = effect.cause === 'sequence_break' ? BEFORE_NUMBERED : BEFORE;
  return gap.from >= fault.at - before && gap.openedAt >= fault.at && gap.openedAt <= over + AFTER;
}

const hits = ({ market }: AppliedFault, gap: RecordedGap): boolean =>
  market === null || market === gap.market || market === gap.outcome;

/** A book that is in a gap already cannot fall into another. */
const isHidden = (fault: AppliedFault, gaps: readonly RecordedGap[]): boolean =>
  fault.market !== null &&
  gaps.some(
    (gap) =>
      gap.venue === fault.venue &&
      hits(fault, gap) &&
      gap.from <= fault.at &&
      (gap.to === null || gap.to >= fault.at),
  );

export type FaultSummary = {
  readonly venue: Venue;
  readonly kind: FaultKind;
  readonly applied: number;
  readonly expects: string;
  readonly gaps: number;
  /** From the fault's beginning to the first gap that was noticed, the longest. */
  readonly noticedSeconds: number | null;
};

export type Judgement = {
  readonly unexplained: readonly RecordedGap[];
  /** Faults that must have left a gap and did not. */
  readonly unnoticed: readonly AppliedFault[];
  readonly faults: readonly FaultSummary[];
  readonly byKill: number;
  readonly byRotation: number;
};

/** `until`: faults that began too late to be noticed before then are not judged. */
export function judge(
  gaps: readonly RecordedGap[],
  faults: readonly AppliedFault[],
  kills: readonly Kill[],
  until: Micros,
): Judgement {
  const unexplained: RecordedGap[] = [];
  const explained = new Map<AppliedFault, RecordedGap[]>(faults.map((fault) => [fault, []]));
  let byKill = 0;
  let byRotation = 0;
  for (const gap of gaps) {
    const explanation = explain(gap, faults, kills);
    if (explanation === null) unexplained.push(gap);
    else if (explanation.by === 'fault') explained.get(explanation.fault)!.push(gap);
    else if (explanation.by === 'kill') byKill++;
    else byRotation++;
  }
  const summaries = [...Map.groupBy(faults, ({ venue, kind }) => `${venue} ${kind}`).values()].map((same) => {
    const { venue, kind } = same[0]!;
    const effect = EFFECTS[kind]?.[venue];
    const noticed = same.flatMap((fault) => {
      const found = explained.get(fault)!;
      return found.length === 0 ? [] : [Math.min(...found.map(({ openedAt }) => openedAt - fault.at))];
    });
    return {
      venue,
      kind,
      applied: same.length,
      expects: effect ? `${effect.cause}${effect.prompt ? '' : ' or none'}` : 'none',
      gaps: same.reduce((sum, fault) => sum + explained.get(fault)!.length, 0),
      noticedSeconds: noticed.length === 0 ? null : Math.max(...noticed) / SECOND,
    };
  });
  return {
    unexplained,
    unnoticed: faults.filter(
      (fault) =>
        EFFECTS[fault.kind]?.[fault.venue]?.prompt === true &&
        hitSomething(fault) &&
        !isHidden(fault, gaps) &&
        fault.at + fault.seconds * SECOND + AFTER < until &&
        explained.get(fault)!.length === 0,
    ),
    faults: summaries.sort((a, b) => (a.venue + a.kind < b.venue + b.kind ? -1 : 1)),
    byKill,
    byRotation,
  };
}

/** A delta below zero needs a live market with bids; what cuts or writes to sockets needs sockets. */
function hitSomething({ kind, market, sockets }: AppliedFault): boolean {
  if (kind === 'delta_below_zero') return market !== null;
  if (kind === 'disconnect' || kind === 'close_24h' || kind === 'garbage' || kind === 'overflow')
    return sockets > 0;
  return true;
}
