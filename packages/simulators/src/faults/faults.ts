// Faults as data: what goes wrong, where, from when to when. A script is a list of them; each that was applied is logged with
// its true start and end, so that a test can hold recorded gaps against it.

import { VENUES, type Venue } from '@ladderlog/core';
import type { Gate, VenueServer } from '@ladderlog/servers';

export const FAULT_KINDS = [
  'disconnect', // every socket is cut; with a duration, new connections are refused for so long
  'refuse_connections', // new TCP connections are cut; open sockets stay
  'close_24h', // every socket is closed with 1001, as at the end of a connection's life
  'silence', // sockets stay open and pings are answered, but nothing else is sent: due frames are lost
  'silence_token', // the same for one market or, where clients watch those, one token; a live one when none is named
  'skip_sequence', // the next book frame of each socket is lost; where the venue numbers frames, its number is used up
  'cross_book', // one book is crossed for a moment, by a real change that is later taken back
  'delta_below_zero', // a change that no book can hold: more is taken than there is, or a size is negative
  'garbage', // a text that is no JSON
  'overflow', // the venue ends every subscription, its buffer full, where it does such a thing
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
  /** Native market id, or the id of a token. */
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

/** What applying a fault needs from a running venue; counts are of the sockets that were touched. */
export type FaultTarget = {
  readonly clients: Pick<VenueServer['clients'], 'disconnect' | 'closeAll' | 'skipNext' | 'overflow'>;
  send(text: 'garbage' | 'unknownMessage', market: string | null): number;
  /** What clients watch of a live market, or null when there is none. */
  choose(): string | null;
  /** These choose a market when none is given, and say which. */
  cross(market: string | null, durationMs: number): string | null;
  sendImpossible(market: string | null): string | null;
};

const DEFAULT_SECONDS: Partial<Readonly<Record<FaultKind, number>>> = {
  refuse_connections: 5,
  silence: 5,
  silence_token: 5,
  http_429: 5,
  http_500: 5,
  cross_book: 1,
  clock_jump: Infinity,
};

const DEFAULT_JUMP_SECONDS = 3_600;

type Active = { readonly applied: AppliedFault; readonly until: number };

/** Applies each fault at its time, and ends it. */
export class FaultScript {
  private readonly clock: () => number;
  private readonly targetOf: (venue: Venue) => FaultTarget | undefined;
  private readonly onApplied: (applied: AppliedFault) => void;
  private readonly started: number;
  private readonly log: AppliedFault[] = [];
  private active: Active[] = [];
  private pending: { readonly fault: Fault; readonly due: number }[] = [];

  constructor(
    faults: readonly Fault[],
    clock: () => number,
    targetOf: (venue: Venue) => FaultTarget | undefined,
    onApplied: (applied: AppliedFault) => void = () => {},
  ) {
    this.clock = clock;
    this.targetOf = targetOf;
    this.onApplied = onApplied;
    this.started = clock();
    for (const fault of faults) this.enqueue(fault);
  }

  inject(fault: Fault): void {
    this.enqueue(fault);
    this.step();
  }

  /** A fault that cannot be applied is refused here, not when its time comes. */
  private enqueue(fault: Fault): void {
    if (!FAULT_KINDS.includes(fault.kind)) throw new TypeError(`fault kind '${fault.kind}' is not known`);
    if (!VENUES.includes(fault.venue)) throw new TypeError(`fault venue '${fault.venue}' is not known`);
    this.pending.push({ fault, due: this.dueAt(fault) });
  }

  private dueAt({ at }: Fault): number {
    if (at === undefined || at === 'now') return this.clock();
    if (typeof at === 'number') return this.started + at * 1e6;
    const parsed = Date.parse(at);
    if (Number.isNaN(parsed)) throw new TypeError(`fault time '${at}' is neither seconds nor ISO 8601`);
    return parsed * 1_000;
  }

  /** Starts and ends what is due. */
  step(): void {
    const now = this.clock();
    if (this.active.some(({ until }) => until <= now)) {
      for (const { applied, until } of this.active) if (until <= now) applied.endedAt = now;
      this.active = this.active.filter(({ until }) => until > now);
    }
    if (!this.pending.some(({ due }) => due <= now)) return;
    const ready = this.pending.filter(({ due }) => due <= now).sort((a, b) => a.due - b.due);
    this.pending = this.pending.filter(({ due }) => due > now);
    for (const { fault } of ready) this.apply(fault);
  }

  private apply(fault: Fault): void {
    const startedAt = this.clock();
    const seconds = fault.duration ?? DEFAULT_SECONDS[fault.kind] ?? 0;
    const { sockets, market } = this.strike(fault, seconds);
    const endedAt = seconds === 0 ? startedAt : null;
    const applied: AppliedFault = { fault, startedAt, endedAt, market, sockets };
    this.log.push(applied);
    this.onApplied(applied);
    if (seconds > 0) this.active.push({ applied, until: startedAt + seconds * 1e6 });
  }

  /** What happens as a fault begins; the rest is asked of the gate while it lasts. */
  private strike(
    { venue, kind, market }: Fault,
    seconds: number,
  ): { sockets: number; market: string | null } {
    const target = this.targetOf(venue);
    const asked = market ?? null;
    const touched = (sockets: number) => ({ sockets, market: asked });
    const hit = (found: string | null) => ({ sockets: 0, market: found });
    if (!target) return hit(null);
    switch (kind) {
      case 'disconnect':
        return touched(target.clients.disconnect());
      case 'close_24h':
        return touched(target.clients.closeAll(1001, 'connection life ended'));
      case 'overflow':
        return touched(target.clients.overflow());
      case 'garbage':
        return touched(target.send('garbage', asked));
      case 'unknown_message':
        return touched(target.send('unknownMessage', asked));
      case 'skip_sequence':
        target.clients.skipNext(asked);
        return hit(asked);
      case 'cross_book':
        return hit(target.cross(asked, seconds * 1_000));
      case 'delta_below_zero':
        return hit(target.sendImpossible(asked));
      case 'silence_token':
        return hit(asked ?? target.choose());
      default:
        return hit(asked);
    }
  }

  applied(): readonly AppliedFault[] {
    return this.log;
  }

  private running(venue: Venue, ...kinds: FaultKind[]): Active[] {
    return this.active.filter(
      ({ applied: { fault } }) => fault.venue === venue && kinds.includes(fault.kind),
    );
  }

  gate(venue: Venue): Gate {
    const isOn = (...kinds: FaultKind[]): boolean =>
      this.active.length > 0 && this.running(venue, ...kinds).length > 0;
    return {
      refusing: () => isOn('disconnect', 'refuse_connections'),
      restStatus: () => (isOn('http_429') ? 429 : isOn('http_500') ? 500 : null),
      anySilence: () => isOn('silence', 'silence_token'),
      silent: (id) =>
        isOn('silence') || this.running(venue, 'silence_token').some(({ applied }) => applied.market === id),
    };
  }

  /** Milliseconds the venue's stated times are off. */
  clockOffsetMs(venue: Venue): number {
    if (this.active.length === 0) return 0;
    return this.running(venue, 'clock_jump').reduce(
      (sum, { applied: { fault } }) => sum + (fault.by ?? DEFAULT_JUMP_SECONDS) * 1_000,
      0,
    );
  }

  /** Ends everything still running. */
  close(): void {
    const now = this.clock();
    for (const { applied } of this.active) applied.endedAt = now;
    this.active = [];
    this.pending = [];
  }
}
