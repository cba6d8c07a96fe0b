// Which frames of a gap came late, as the log names them: stretches of connections, in the order in which they began.

import type { LateFrames } from '../events/events.ts';

type Late = readonly LateFrames[];

/** All of the connection from `first` on. */
export const withLateFrom = (late: Late, session: string, first: number): Late =>
  late.some((one) => one.session === session && one.last === null)
    ? late
    : [...late, { session, first, last: null }];

/** This frame too. */
export function withLateFrame(late: Late, session: string, ordinal: number): Late {
  const at = late.findLastIndex((one) => one.session === session);
  const known = late[at];
  if (!known) return [...late, { session, first: ordinal, last: ordinal }];
  return known.last === null || known.last >= ordinal ? late : late.with(at, { ...known, last: ordinal });
}

/** The connection is on time again after the frame `last`; a stretch without any frame is none. */
export const withoutLateEnd = (late: Late, session: string, last: number): Late =>
  late.flatMap((one) => {
    if (one.session !== session || one.last !== null) return one;
    return one.first <= last ? { ...one, last } : [];
  });

export const isLateFrame = (late: Late, session: string, ordinal: number): boolean =>
  late.some(
    (one) => one.session === session && one.first <= ordinal && (one.last === null || ordinal <= one.last),
  );
