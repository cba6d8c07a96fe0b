// Quiet or dead? Where a stream has said nothing for long, and on a schedule, the venue's own REST book is held against ours.
// A difference that the stream does not mend by itself means lost changes: a gap, and fresh books are asked for.

import type { Capture } from '@ladderlog/core';
import { MICROS_PER_MS } from '@ladderlog/core';
import type { Logger } from 'pino';

import type { VenueDriver } from './driver.ts';
import type { Rest } from './rest.ts';
import { pause } from './rest.ts';
import type { Stream } from './stream.ts';

export type ProberOptions = {
  readonly driver: VenueDriver & { readonly probe: NonNullable<VenueDriver['probe']> };
  readonly capture: Capture;
  readonly streams: readonly Stream[];
  readonly rest: (source: string) => Rest;
  readonly logger: Logger;
};

/** Probes of one look: the rest waits for the next. */
const PROBES_AT_ONCE = 4;

export class Prober {
  private readonly options: ProberOptions;
  private readonly probedAt = new Map<string, number>();

  constructor(options: ProberOptions) {
    this.options = options;
  }

  /** Probes what has been quiet for longer than the driver's limit. */
  async probeQuiet(): Promise<void> {
    const { driver, capture } = this.options;
    for (const stream of this.options.streams) {
      if (!stream.open || !stream.session) continue;
      const now = stream.clock.now();
      const quiet: [string, string][] = [];
      for (const track of capture.tracks.all()) {
        if (
          track.session !== stream.session.id ||
          track.dataset !== 'books' ||
          !track.started ||
          track.gap ||
          track.outcome === null
        )
          continue;
        const key = `${track.market}\u0000${track.outcome}`;
        const since = Math.max(
          track.lastObserved?.observedAt ?? track.watchedAt,
          this.probedAt.get(key) ?? 0,
        );
        if (now - since < driver.quietMs * MICROS_PER_MS) continue;
        this.probedAt.set(key, now);
        if (quiet.push([track.market, track.outcome]) >= PROBES_AT_ONCE) break;
      }
      for (const [market, outcome] of quiet) await this.probe(stream, market, outcome);
    }
    for (const key of this.probedAt.keys()) {
      const [market = '', outcome = ''] = key.split('\u0000');
      if (!capture.tracks.get('books', market, outcome)) this.probedAt.delete(key);
    }
  }

  private async probe(stream: Stream, market: string, outcome: string): Promise<void> {
    const { driver, capture, logger } = this.options;
    const request = driver.probe(market, outcome, capture.known.get(market));
    if (!request || !stream.session) return;
    const answer = await this.options
      .rest(request.source)
      .ask(stream.session, stream.clock, request, 'silence');
    if (!answer.ok || answer.lost.length === 0) return;
    logger.warn(
      { event: 'stream.lost_changes', venue: driver.venue, market, outcome },
      'the stream missed changes; asking for fresh books',
    );
    stream.resync(answer.lost);
  }

  /** Scheduled comparison, one book after another; a difference is looked at again, since answers and pushes cross. */
  async compareInTurn(everyMs: number, signal: AbortSignal): Promise<void> {
    const { driver, capture } = this.options;
    for (let turn = 0; !signal.aborted; turn++) {
      await pause(everyMs, signal);
      if (signal.aborted) return;
      const tracks = [...capture.tracks.all()].filter(
        ({ dataset, started, gap, outcome }) => dataset === 'books' && started && !gap && outcome !== null,
      );
      const track = tracks[turn % Math.max(1, tracks.length)];
      const stream =
        track && this.options.streams.find(({ session, open }) => open && session?.id === track.session);
      const request = track && driver.probe(track.market, track.outcome!, capture.known.get(track.market));
      if (!track || !stream?.session || !request) continue;
      const seen = track.lastObserved;
      const answer = await this.options.rest(request.source).ask(stream.session, stream.clock, request);
      const differs =
        answer.ok &&
        answer.findings.some((finding) => finding.find === 'compare' && finding.levelsDiffering > 0);
      if (!differs) continue;
      await pause(Math.min(2_000, everyMs), signal);
      if (!signal.aborted && track.lastObserved === seen && stream.open)
        await this.probe(stream, track.market, track.outcome!);
    }
  }
}
