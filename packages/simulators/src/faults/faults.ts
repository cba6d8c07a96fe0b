// Faults as data: what goes wrong, where, from when to when. A script is a list of them; each that was applied is logged with
// its true start and end, so that a test can hold recorded gaps against it.

import { VENUES, type Venue } from '@ladderlog/core';
import type { Gate } from '../server/protocol.ts';

export const FAULT_KINDS = [
  'disconnect', // every socket is cut; with a duration, new connections are refused for so long
  'refuse_connections', // new TCP connections are cut; open sockets stay
  'close_24h', // every socket is closed with 1001, as at the end of a connection's life
  'silence', // sockets stay open and pings are answered, but nothing else is sent: due frames are lost
  'silence_token', // the same for one market (A, B, C) or one token (C), a live one when none is named
  'skip_sequence', // the next book frame of each socket is lost; on B its sequence number is used up
  'cross_book', // one book is crossed for a moment, by a real change that is later taken back
  'delta_below_zero', // B: a delta that no book can hold. A, C: a level with a negative size
  'garbage', // a text that is no JSON
  'overflow', // B: the venue ends every subscription with code 25, its buffer full
  'unknown_message', // JSON of a kind that nobody knows
  'http_429', // REST answers 429 as the venue does
  'http_500', // REST answers 500
  'clock_jump', // the times that the venue states jump by `by` seconds
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export type Fault = {
  readonly venue: Venue;
  readonly kind: FaultKind;
  /** Seconds after the start, an ISO time, or (also when absent) now. */
  readonly at?: number | string;
  /** Seconds. Without it: silence, refusals and HTTP errors 5, a crossed book 1, a clock jump until the end. */
  readonly duration?: number;
  /** Native market id (A, B, C) or token id (C). */
  readonly market?: string;
  /** Seconds of a clock jump, 3600 unless told; may be negative. */
  readonly by?: number;
};

export type AppliedFault = {
  readonly fault: Fault;
  /** Microseconds, by the simulators' clock. Equal for what happens at an instant; null while it lasts. */
  readonly startedAt: number;
  endedAt: number | null;
  /** The market that was hit. Null: all of them, or, for a crossed book or a delta below zero, none could be. */
  readonly market: string | null;
  /** Sockets that were cut, closed or written to. */
  readonly sockets: number;
};

/** What applying a fault needs from the running simulators; each returns how many sockets it touched. */
export type FaultActions = {
  disconnect(venue: Venue): number;
  closeAll(venue: Venue): number;
  skipNext(venue: Venue, market: string | null): void;
  overflow(venue: Venue): number;
  sendGarbage(venue: Venue, market: string | null): number;
  sendUnknown(venue: Venue, market: string | null): number;
  /** A live market (on C a token of one), or null when there is none. */
  choose(venue: Venue): string | null;
  /** These choose a market when none is given, and say which. */
  cross(venue: Venue, market: string | null, durationMs: number): string | null;
  belowZero(venue: Venue, market: string | null): string | null;
};

const DEFAULT_SECONDS: Partial<Readonly<Record<FaultKind, number>>> = {
  refuse_connections: 5,
  silence: 5,
  silence_token: 5,
  http_429: 5,
  http_500: 5,
  cross_book: 1,
};

export type FaultScript = {
  readonly inject: (fault: Fault) => void;
  /** Starts and ends what is due. */
  step(): void;
  readonly applied: () => readonly AppliedFault[];
  gate(venue: Venue): Gate;
  /** Milliseconds the venue's stated times are off. */
  clockOffsetMs(venue: Venue): number;
  /** Ends everything still running. */
  close(): void;
};

export function createFaultScript(
  faults: readonly Fault[],
  clock: () => number,
  actions: FaultActions,
  onApplied: (applied: AppliedFault) => void = () => {},
): FaultScript {
  const started = clock();
  const log: AppliedFault[] = [];
  let active: { readonly applied: AppliedFault; readonly until: number }[] = [];
  let pending: { readonly fault: Fault; readonly due: number }[] = [];

  function dueAt({ at }: Fault): number {
    if (at === undefined || at === 'now') return clock();
    if (typeof at === 'number') return started + at * 1e6;
    const parsed = Date.parse(at);
    if (Number.isNaN(parsed)) throw new TypeError(`fault time '${at}' is neither seconds nor ISO 8601`);
    return parsed * 1_000;
  }

  function apply(fault: Fault): void {
    const { venue, kind } = fault;
    const startedAt = clock();
    const asked = fault.market ?? null;
    const seconds = fault.duration ?? DEFAULT_SECONDS[kind] ?? (kind === 'clock_jump' ? Infinity : 0);
    let market = asked;
    let sockets = 0;
    switch (kind) {
      case 'disconnect':
        sockets = actions.disconnect(venue);
        break;
      case 'close_24h':
        sockets = actions.closeAll(venue);
        break;
      case 'skip_sequence':
        actions.skipNext(venue, asked);
        break;
      case 'overflow':
        sockets = actions.overflow(venue);
        break;
      case 'garbage':
        sockets = actions.sendGarbage(venue, asked);
        break;
      case 'unknown_message':
        sockets = actions.sendUnknown(venue, asked);
        break;
      case 'cross_book':
        market = actions.cross(venue, asked, seconds * 1_000);
        break;
      case 'delta_below_zero':
        market = actions.belowZero(venue, asked);
        break;
      case 'silence_token':
        market = asked ?? actions.choose(venue);
        break;
      case 'silence':
      case 'refuse_connections':
      case 'http_429':
      case 'http_500':
      case 'clock_jump':
    }
    const applied: AppliedFault = {
      fault,
      startedAt,
      endedAt: seconds === 0 ? startedAt : null,
      market,
      sockets,
    };
    log.push(applied);
    onApplied(applied);
    if (seconds > 0) active.push({ applied, until: startedAt + seconds * 1e6 });
  }

  function step(): void {
    const now = clock();
    if (active.some(({ until }) => until <= now)) {
      for (const { applied, until } of active) if (until <= now) applied.endedAt = now;
      active = active.filter(({ until }) => until > now);
    }
    if (!pending.some(({ due }) => due <= now)) return;
    const ready = pending.filter(({ due }) => due <= now).sort((a, b) => a.due - b.due);
    pending = pending.filter(({ due }) => due > now);
    for (const { fault } of ready) apply(fault);
  }

  const running = (venue: Venue, ...kinds: FaultKind[]): boolean =>
    active.some(({ applied: { fault } }) => fault.venue === venue && kinds.includes(fault.kind));

  /** A fault that cannot be applied is refused here, not when its time comes. */
  function enqueue(fault: Fault): void {
    if (!FAULT_KINDS.includes(fault.kind)) throw new TypeError(`fault kind '${fault.kind}' is not known`);
    if (!VENUES.includes(fault.venue)) throw new TypeError(`fault venue '${fault.venue}' is not known`);
    pending.push({ fault, due: dueAt(fault) });
  }
  for (const fault of faults) enqueue(fault);

  return {
    inject(fault) {
      enqueue(fault);
      step();
    },
    step,
    applied: () => log,
    gate: (venue) => ({
      refusing: () => active.length > 0 && running(venue, 'disconnect', 'refuse_connections'),
      restStatus: () =>
        active.length === 0
          ? null
          : running(venue, 'http_429')
            ? 429
            : running(venue, 'http_500')
              ? 500
              : null,
      anySilence: () => active.length > 0 && running(venue, 'silence', 'silence_token'),
      silent: (id) =>
        active.some(
          ({ applied: { fault, market } }) =>
            fault.venue === venue &&
            (fault.kind === 'silence' || (fault.kind === 'silence_token' && market === id)),
        ),
    }),
    clockOffsetMs(venue) {
      if (active.length === 0) return 0;
      let offset = 0;
      for (const { applied } of active)
        if (applied.fault.venue === venue && applied.fault.kind === 'clock_jump')
          offset += (applied.fault.by ?? 3_600) * 1_000;
      return offset;
    },
    close() {
      const now = clock();
      for (const { applied } of active) applied.endedAt = now;
      active = [];
      pending = [];
    },
  };
}
