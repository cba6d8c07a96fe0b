// REST beside a socket. Seeds: where a book by REST may begin or mend that of a stream, one that is missing is asked for.
// Quiet or dead? Where a stream has said nothing for long, and on a schedule, the venue's own REST book is held against ours.
// A difference that the stream does not mend by itself means lost changes: a gap, and fresh books are asked for.

import type { Capture, CollectPlan } from '@ladderlog/core';
import { MICROS_PER_MS } from '@ladderlog/core';
import type { Logger } from 'pino';

import type { Rest } from '../venue/rest.ts';
import { pause } from '../venue/pause.ts';
import type { VenueSocket } from './venue-socket.ts';
import { trades } from './targets.ts';

export type ProberOptions = {
  readonly plan: CollectPlan & { readonly probe: NonNullable<CollectPlan['probe']> };
  readonly capture: Capture;
  readonly sockets: readonly VenueSocket[];
  readonly rest: (source: string) => Rest;
  readonly logger: Logger;
};

/** Probes of one look: the rest waits for the next. */
const PROBES_AT_ONCE = 4;

/** Asked for on this session: when, how often before that in vain, and when the answer came. */
type Seed = {
  readonly session: string;
  readonly askedAt: number;
  readonly times: number;
  answeredAt: number;
};

const keyOf = (market: string, outcome: string): string => `${market}\u0000${outcome}`;

export class Prober {
  private readonly options: ProberOptions;
  private readonly probedAt = new Map<string, number>();
  private readonly seeds = new Map<string, Seed>();
  /** Markets whose books of both tokens were compared. */
  private readonly compared = new Set<string>();

  constructor(options: ProberOptions) {
    this.options = options;
  }

  /** Asks for the books that streams do not have, of markets that trade. */
  async seedMissing(): Promise<void> {
    const { plan, capture } = this.options;
    if (plan.seedMs === null) return;
    for (const socket of this.options.sockets) {
      // What is asked for while it is late is answered too late.
      if (!socket.open || !socket.session || socket.session.isLate) continue;
      const now = socket.clock.now();
      const missing: [string, string][] = [];
      for (const { session, dataset, market, outcome, started, gap } of capture.tracks.all()) {
        if (session !== socket.session.id || dataset !== 'books' || outcome === null) continue;
        if ((started && !gap) || !trades(capture.known.get(market), now)) continue;
        const key = keyOf(market, outcome);
        const before = this.seeds.get(key);
        const again = before?.session === session && (gap?.from ?? 0) <= before.askedAt ? before : null;
        if (again && now - again.askedAt < plan.seedMs * MICROS_PER_MS * 2 ** again.times) continue;
        this.seeds.set(key, { session, askedAt: now, times: again ? again.times + 1 : 0, answeredAt: 0 });
        missing.push([market, outcome]);
      }
      for (const [market, outcome] of missing) {
        await this.ask(socket, market, outcome);
        const seed = this.seeds.get(keyOf(market, outcome));
        if (seed) seed.answeredAt = socket.clock.now();
      }
    }
    this.forgetOver(this.seeds);
  }

  /** The stream's book is that of the first token: held once against the venue's books of both. */
  async compareTokens(): Promise<void> {
    const { plan, capture } = this.options;
    if (plan.seedMs === null) return;
    for (const { market } of capture.tracks.all()) {
      const fields = capture.known.get(market);
      if (!fields || this.compared.has(market)) continue;
      const socket = this.options.sockets.find((one) => one.open && one.has(market));
      if (!socket || !this.isStreamed(socket, market)) continue;
      this.compared.add(market);
      for (const { id } of fields.outcomes) await this.ask(socket, market, id);
      break;
    }
    for (const market of this.compared) if (!capture.known.has(market)) this.compared.delete(market);
  }

  /** Its book came by the socket that is open now, not only by REST. */
  private isStreamed({ session }: VenueSocket, market: string): boolean {
    for (const track of this.options.capture.tracks.ofMarket(market)) {
      if (track.dataset !== 'books' || track.outcome === null || track.gap) continue;
      const { lastObserved } = track;
      if (!lastObserved || lastObserved.session !== session?.id) continue;
      const seed = this.seeds.get(keyOf(market, track.outcome));
      if (seed?.session !== session.id || lastObserved.observedAt > seed.answeredAt) return true;
    }
    return false;
  }

  private async ask(socket: VenueSocket, market: string, outcome: string): Promise<void> {
    const { plan, capture } = this.options;
    const request = plan.probe(market, outcome, capture.known.get(market));
    if (request && socket.session)
      await this.options.rest(request.source).ask(socket.session, socket.clock, request);
  }

  private forgetOver(keyed: Map<string, unknown>): void {
    for (const key of keyed.keys()) {
      const [market = '', outcome = ''] = key.split('\u0000');
      if (!this.options.capture.tracks.get('books', market, outcome)) keyed.delete(key);
    }
  }

  /** Probes what has been quiet for longer than the plan's limit. */
  async probeQuiet(): Promise<void> {
    const { plan, capture } = this.options;
    for (const socket of this.options.sockets) {
      if (!socket.open || !socket.session) continue;
      const now = socket.clock.now();
      const quiet: [string, string][] = [];
      for (const track of capture.tracks.all()) {
        if (
          track.session !== socket.session.id ||
          track.dataset !== 'books' ||
          !track.started ||
          track.gap ||
          track.outcome === null
        )
          continue;
        const key = keyOf(track.market, track.outcome);
        const since = Math.max(
          track.lastObserved?.observedAt ?? track.watchedAt,
          this.probedAt.get(key) ?? 0,
        );
        if (now - since < plan.timing.quietMs * MICROS_PER_MS) continue;
        this.probedAt.set(key, now);
        if (quiet.push([track.market, track.outcome]) >= PROBES_AT_ONCE) break;
      }
      for (const [market, outcome] of quiet) await this.probe(socket, market, outcome);
    }
    this.forgetOver(this.probedAt);
  }

  private async probe(socket: VenueSocket, market: string, outcome: string): Promise<void> {
    const { plan, capture, logger } = this.options;
    const request = plan.probe(market, outcome, capture.known.get(market));
    if (!request || !socket.session) return;
    const answer = await this.options
      .rest(request.source)
      .ask(socket.session, socket.clock, request, 'silence');
    if (!answer.ok || answer.lost.length === 0) return;
    logger.warn(
      { event: 'stream.lost_changes', venue: capture.adapter.venue, market, outcome },
      'the stream missed changes; asking for fresh books',
    );
    socket.resync(answer.lost);
  }

  /** Scheduled comparison, one book after another; a difference is looked at again, since answers and pushes cross. */
  async compareInTurn(everyMs: number, signal: AbortSignal): Promise<void> {
    const { plan, capture } = this.options;
    for (let turn = 0; !signal.aborted; turn++) {
      await pause(everyMs, signal);
      if (signal.aborted) return;
      const tracks = [...capture.tracks.all()].filter(
        ({ dataset, started, gap, outcome }) => dataset === 'books' && started && !gap && outcome !== null,
      );
      const track = tracks[turn % Math.max(1, tracks.length)];
      const socket =
        track && this.options.sockets.find(({ session, open }) => open && session?.id === track.session);
      const request = track && plan.probe(track.market, track.outcome!, capture.known.get(track.market));
      if (!track || !socket?.session || !request) continue;
      const seen = track.lastObserved;
      const answer = await this.options.rest(request.source).ask(socket.session, socket.clock, request);
      const differs =
        answer.ok &&
        answer.findings.some((finding) => finding.type === 'compare' && finding.levelsDiffering > 0);
      if (!differs) continue;
      await pause(Math.min(2_000, everyMs), signal);
      if (!signal.aborted && track.lastObserved === seen && socket.open)
        await this.probe(socket, track.market, track.outcome!);
    }
  }
}
