// The connections of a recording as an audit rebuilds them: each with a normalizer of its own and its frames in order.

import type { BookFinding, Finding, MarketFields, Micros, Normalizer, VenueAdapter } from '@ladderlog/core';
import type { FrameVerdict, Recorded } from './judge-frame.ts';
import type { NotJudged } from './result.ts';
import { bookKey } from './tracks.ts';
import type { Taped } from './tally.ts';

/** Facts of markets that ended are kept this long: a collector asks for resolutions for about a day. */
const KNOWN_AFTER_CLOSE: Micros = 26 * 3_600_000_000;

export type TapedWithEvents = { readonly frame: Taped; readonly recorded: readonly Recorded[] };

export type AuditSession = {
  readonly normalizer: Normalizer;
  readonly group: string;
  nextOrdinal: number;
  /** Out of order: frames and what was recorded of them, until those before have come. */
  readonly held: Map<number, TapedWithEvents>;
  /** It has frames of a socket. */
  socket: boolean;
  /** REST answers of which nothing was recorded, until the socket speaks again: then they should have been. */
  readonly unheard: { readonly frame: Taped; readonly verdict: FrameVerdict }[];
  /** The frame that was judged last. */
  newest: Taped | null;
  /** The newest book of each outcome, where the venue numbers its messages: it may be stated again after a stall. */
  readonly books: Map<string, BookFinding>;
  /** Why nothing of it can be judged any more. */
  notJudged: NotJudged | null;
};

export class AuditSessions {
  private readonly adapter: VenueAdapter;
  private readonly open = new Map<string, AuditSession>();
  /** Catalogue facts, per collector or import: one connection's are known to the others. */
  private readonly known = new Map<string, Map<string, MarketFields>>();

  constructor(adapter: VenueAdapter) {
    this.adapter = adapter;
  }

  /** Null: none of its frames was read. */
  find(id: string): AuditSession | null {
    return this.open.get(id) ?? null;
  }

  /** What the connection holds after a frame of its stream. */
  keepBooks(session: AuditSession, findings: readonly Finding[]): void {
    if (!this.adapter.capture.sequenced) return;
    for (const finding of findings) if (finding.type === 'book') session.books.set(bookKey(finding), finding);
  }

  /** `startMissing`: why a live connection whose first frames were not read cannot be judged. */
  of({ event }: Taped, startMissing: NotJudged): AuditSession {
    let session = this.open.get(event.session);
    if (!session) {
      const group = /^import-[0-9a-f]{16}/.exec(event.session)?.[0] ?? 'captured';
      const normalizer = this.adapter.capture.createNormalizer();
      const known = this.known.get(group) ?? new Map<string, MarketFields>();
      this.known.set(group, known);
      for (const [market, fields] of known) normalizer.learn(market, fields);
      const notJudged = event.ordinal > 0 && event.provenance === 'captured' ? startMissing : null;
      session = {
        normalizer,
        group,
        nextOrdinal: 0,
        held: new Map(),
        socket: false,
        unheard: [],
        newest: null,
        books: new Map(),
        notJudged,
      };
      this.open.set(event.session, session);
    }
    return session;
  }

  /** As Capture does: a market fact that one connection saw is known to all that are open, and to later ones. */
  learn(session: AuditSession, findings: readonly Finding[]): void {
    const known = this.known.get(session.group)!;
    for (const finding of findings) {
      if (finding.type !== 'market') continue;
      known.set(finding.market, finding.fields);
      for (const other of this.open.values())
        if (other.group === session.group) other.normalizer.learn(finding.market, finding.fields);
    }
  }

  /** Drops the facts of markets that ended long before `at`. */
  forgetEnded({ group }: AuditSession, at: Micros): void {
    const known = this.known.get(group)!;
    for (const [market, { closesAt }] of known)
      if (closesAt !== null && closesAt + KNOWN_AFTER_CLOSE < at) known.delete(market);
  }

  /** Takes away and returns the connections that are over. */
  *close(isOver: (id: string) => boolean): Generator<AuditSession> {
    for (const [id, session] of this.open) {
      if (!isOver(id)) continue;
      yield session;
      this.open.delete(id);
    }
  }
}
