// What the log says was watched when it ended: after a crash, gaps begin there.

import type { Dataset, GapEdge, VenueEvent } from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';
import type { OpenGap } from './tracks.ts';
import { trackKey } from './tracks.ts';

export type Evidence = {
  readonly dataset: Dataset;
  readonly market: string;
  readonly outcome: string | null;
  readonly lastEvidence: Micros;
  readonly lastObserved: GapEdge | null;
  readonly gap: OpenGap | null;
};

/** Folds a venue's events, in log order per market, into what was still watched when they ended. */
export class EvidenceFold {
  private readonly open = new Map<string, { -readonly [K in keyof Evidence]: Evidence[K] }>();

  apply(event: VenueEvent): void {
    switch (event.type) {
      case 'CaptureStarted':
      case 'CaptureBeat':
        this.seen(event.dataset, event.market, event.outcome, event.observedAt, null);
        return;
      case 'CaptureStopped':
        this.open.delete(trackKey(event.dataset, event.market, event.outcome));
        return;
      case 'BookObserved':
      case 'MetricSampled': {
        const edge = { session: event.session, ordinal: event.ordinal, observedAt: event.observedAt };
        const book = event.type === 'BookObserved';
        this.seen(
          book ? 'books' : 'samples',
          event.market,
          book ? event.outcome : null,
          event.observedAt,
          edge,
        );
        return;
      }
      case 'GapOpened': {
        this.seen(event.dataset, event.market, event.outcome, event.from, event.lastBefore);
        const state = this.open.get(trackKey(event.dataset, event.market, event.outcome))!;
        state.gap = {
          gapId: event.gapId,
          cause: event.cause,
          scope: event.scope,
          from: event.from,
          lastBefore: event.lastBefore,
        };
        return;
      }
      case 'GapClosed':
        this.seen(event.dataset, event.market, event.outcome, event.to, event.firstAfter);
        this.open.get(trackKey(event.dataset, event.market, event.outcome))!.gap = null;
        return;
      default:
    }
  }

  private seen(
    dataset: Dataset,
    market: string,
    outcome: string | null,
    at: Micros,
    edge: GapEdge | null,
  ): void {
    const key = trackKey(dataset, market, outcome);
    const state = this.open.get(key);
    if (!state) {
      this.open.set(key, { dataset, market, outcome, lastEvidence: at, lastObserved: edge, gap: null });
      return;
    }
    if (at > state.lastEvidence) state.lastEvidence = at;
    if (edge && (!state.lastObserved || edge.observedAt >= state.lastObserved.observedAt))
      state.lastObserved = edge;
  }

  evidence(): Evidence[] {
    return [...this.open.values()];
  }
}
