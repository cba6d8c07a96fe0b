// What tells that a connection, or a book on it, is lost. Pure.

import type { Finding, GapCause, Micros } from '@ladderlog/core';
import { MICROS_PER_MS } from '@ladderlog/core';

export type Loss = { readonly cause: GapCause; readonly detail: string };

/** Why a connection must be given up; null: it need not. */
export function lossOf(
  connection: {
    /** By which the wall clock moved against the session's. */
    readonly drift: Micros;
    readonly lastActivity: Micros;
    /** The look before this one: after a pause of this process what came meanwhile is not read yet, and is not late. */
    readonly lookedAt: Micros;
    readonly now: Micros;
  },
  limits: { readonly clockJumpMs: number; readonly silenceMs: number },
): Loss | null {
  const driftMs = connection.drift / MICROS_PER_MS;
  if (Math.abs(driftMs) > limits.clockJumpMs)
    return { cause: 'clock_jump', detail: `the wall clock moved by ${Math.round(driftMs)} ms` };
  if (connection.lookedAt - connection.lastActivity <= limits.silenceMs * MICROS_PER_MS) return null;
  const quietMs = Math.round((connection.now - connection.lastActivity) / MICROS_PER_MS);
  return { cause: 'silence', detail: `nothing received for ${quietMs} ms` };
}

/** Markets whose books must be asked for again. All: a frame that could not be read may have been a change of any book. */
export function lostBooks(findings: readonly Finding[], sequenced: boolean): string[] | 'all' {
  const lost: string[] = [];
  for (const finding of findings) {
    if (finding.type === 'break' && finding.cause !== 'tick_change' && finding.dataset !== 'samples')
      lost.push(finding.market);
    else if (finding.type === 'reject' && finding.reason !== 'unknown_kind' && !finding.booksIntact) {
      if (finding.market !== '') lost.push(finding.market);
      else if (!sequenced) return 'all';
    }
  }
  return lost;
}
