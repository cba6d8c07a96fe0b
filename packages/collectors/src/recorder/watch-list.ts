// Brings what is watched in line with what should be: begins what is due on a socket with room or in the polling plan, stops
// what ended, forgets what is over.

import type { Capture, CollectPlan, Evidence, KnownMarket, Micros, Session, Target } from '@ladderlog/core';
import { MICROS_PER_MS } from '@ladderlog/core';

import type { Outbox } from './outbox.ts';
import type { Poller } from './poller.ts';
import type { SessionClock } from './session-clock.ts';
import type { VenueSocket } from './venue-socket.ts';
import type { Shard } from './targets.ts';
import { awaitsResolution, chooseTargets } from './targets.ts';

/** A market that is over is remembered for so long beyond the patience for its resolution. */
const REMEMBERED_MS = 3_600_000;

export type WatchListOptions = {
  readonly plan: CollectPlan;
  readonly shard: Shard;
  readonly capture: Capture;
  readonly outbox: Outbox;
  readonly poller: Poller | null;
  /** Opens the next socket, and runs it. */
  readonly openSocket: (index: number) => VenueSocket;
  /** The session that asks over REST now; a clock jump changes it. */
  readonly current: () => { readonly session: Session; readonly clock: SessionClock };
  /** What the log says was watched when it ended. */
  readonly evidence: readonly Evidence[];
  /** How long to go on asking for a resolution. */
  readonly patienceMs: number;
};

export class WatchList {
  readonly sockets: VenueSocket[] = [];
  private readonly options: WatchListOptions;
  /** Markets in a gap since a crash that have not been chosen, or found over, yet. */
  private readonly recovered: Set<string>;

  constructor(options: WatchListOptions) {
    this.options = options;
    this.recovered = new Set(options.evidence.map(({ market }) => market));
  }

  watched(): KnownMarket[] {
    const { known } = this.options.capture;
    return this.targets(this.now()).map(({ market }) => [market, known.get(market)!] as const);
  }

  awaitingResolution(): KnownMarket[] {
    const now = this.now();
    return [...this.options.capture.known].filter(([, fields]) =>
      awaitsResolution(fields, now, this.options.patienceMs),
    );
  }

  /** After the catalogue was read. */
  retarget(): void {
    const now = this.now();
    const targets = this.targets(now);
    const wanted = new Set(targets.map(({ market }) => market));
    this.stopRecovered(wanted, now);
    if (this.options.plan.sockets) this.retargetSockets(targets, wanted);
    this.stopBooks(wanted, now);
    this.options.poller?.set(targets);
    this.stopSamples(wanted, now);
    this.forgetOver(wanted, now);
  }

  /** The venue said that a market ended. */
  ended(market: string, reason: string): void {
    const { known } = this.options.capture;
    const fields = known.get(market);
    if (fields && fields.status !== 'resolved')
      known.set(market, { ...fields, status: 'closed', closesAt: fields.closesAt ?? this.now() });
    for (const socket of this.sockets) socket.remove([market], reason);
  }

  private now(): Micros {
    return this.options.current().clock.now();
  }

  private targets(now: Micros): Target[] {
    const { plan, capture, shard } = this.options;
    const { leadMs, graceMs } = plan.timing;
    const isWatched = (market: string): boolean => capture.tracks.ofMarket(market).size > 0;
    return chooseTargets(
      capture.adapter.capture.bookOutcomes,
      capture.known,
      now,
      { ...plan.choice, leadMs, graceMs, shard },
      isWatched,
    );
  }

  private stop(market: string, reason: string, at: Micros): void {
    this.options.outbox.push(this.options.current().session.stop(at, reason, market));
  }

  private whyStopped(market: string): string {
    const status = this.options.capture.known.get(market)?.status;
    return status === 'resolved' || status === 'voided' ? status : 'ended';
  }

  /** What is polled, and what an answer under way began again after it had ended. */
  private stopBooks(wanted: ReadonlySet<string>, now: Micros): void {
    for (const { dataset, market } of this.options.capture.tracks.all()) {
      if (dataset === 'books' && !wanted.has(market)) this.stop(market, this.whyStopped(market), now);
    }
  }

  private retargetSockets(targets: readonly Target[], wanted: ReadonlySet<string>): void {
    const { plan, capture, openSocket } = this.options;
    for (const socket of this.sockets) {
      const gone = [...capture.tracks.all()]
        .filter(({ market }) => socket.has(market) && !wanted.has(market))
        .map(({ market }) => market);
      for (const market of new Set(gone)) socket.remove([market], this.whyStopped(market));
    }
    for (const target of targets) {
      if (this.sockets.some((socket) => socket.has(target.market))) continue;
      let socket = this.sockets.find(({ size }) => size < plan.sockets!.perSocket);
      if (!socket) this.sockets.push((socket = openSocket(this.sockets.length)));
      socket.add([target]);
    }
  }

  private stopSamples(wanted: ReadonlySet<string>, now: Micros): void {
    const { tracks, known } = this.options.capture;
    for (const { dataset, market } of tracks.all()) {
      if (dataset !== 'samples' || wanted.has(market)) continue;
      const fields = known.get(market);
      if (fields && awaitsResolution(fields, now, this.options.patienceMs)) continue;
      const closesAt = fields?.closesAt ?? null;
      if (closesAt !== null && closesAt > now) continue;
      this.stop(market, this.whyStopped(market), now);
    }
  }

  /** What a crash left open and is over by now. */
  private stopRecovered(wanted: ReadonlySet<string>, now: Micros): void {
    for (const market of this.recovered) {
      if (wanted.has(market)) continue;
      const closesAt = this.options.capture.known.get(market)?.closesAt ?? null;
      this.stop(market, 'ended_while_away', closesAt !== null && closesAt < now ? closesAt : now);
    }
    this.recovered.clear();
  }

  private forgetOver(wanted: ReadonlySet<string>, now: Micros): void {
    const { capture, patienceMs } = this.options;
    for (const [market, { closesAt }] of capture.known) {
      const over = closesAt !== null && closesAt + (patienceMs + REMEMBERED_MS) * MICROS_PER_MS < now;
      if (over && !wanted.has(market)) capture.forgetMarket(market);
    }
  }
}
