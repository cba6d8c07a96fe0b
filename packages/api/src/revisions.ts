// When may a client keep its copy of a closed range? An answer is a function of the events of one market before the end of
// the range, so its strong ETag names those events without reading them: the market's newest event while the range reaches
// past it, and the newest event that arrived late (behind the market's newest time, or reaching back, as gaps do).
// The tag is given out only when the tables hold everything the log had of that market.
// Likewise what the tables say of a market besides its books and samples (metadata, coverage, gaps) stays as it is until the log
// has a newer event about that: its version names the newest one.

import { createHash } from 'node:crypto';
import type { EventType, Micros } from '@ladderlog/core';
import type { TailRecord } from './tail.ts';

type MarketRevision = {
  newestAt: Micros;
  newestOffset: number;
  lateOffset: number;
  /** The newest that was neither a book nor a sample. */
  factOffset: number | null;
};

/** What adds a row at its own time and changes nothing before it. */
const FORWARD: ReadonlySet<EventType> = new Set(['BookObserved', 'MetricSampled', 'CaptureBeat']);

/** What adds a row to the history and nothing else. */
const OBSERVATIONS: ReadonlySet<EventType> = new Set(['BookObserved', 'MetricSampled']);

export type Revisions = {
  /** Of a market's metadata, coverage and gaps in the tables; null while the tables are behind the log. */
  facts(topic: string, market: string, generation: number): string | null;
  /** Null while the tables are behind the log for this market. */
  etag(scope: {
    readonly topic: string;
    readonly market: string;
    readonly to: Micros;
    readonly generation: number;
    readonly query: unknown;
  }): string | null;
};

export type FollowedRevisions = Revisions & { onRecord(record: TailRecord, type: EventType | null): void };

export function createRevisions(options: {
  /** The partition of a market, and where this instance began to follow it. */
  readonly partitionOf: (topic: string, market: string) => number;
  readonly beganAt: (topic: string, partition: number) => number;
  /** Next offset the tables lack; null when that is not known, and then no tag is given. */
  readonly projected: (topic: string, partition: number) => number | null;
}): FollowedRevisions {
  const markets = new Map<string, MarketRevision>();
  return {
    onRecord({ topic, record }, type) {
      const key = `${topic}\n${record.key}`;
      const known = markets.get(key);
      const fact = type && OBSERVATIONS.has(type) ? (known?.factOffset ?? null) : record.offset;
      const late = !type || !FORWARD.has(type) || (known !== undefined && record.time < known.newestAt);
      if (!known) {
        markets.set(key, {
          newestAt: record.time,
          newestOffset: record.offset,
          // Nothing is known of the time before: whatever comes first may have come late.
          lateOffset: record.offset,
          factOffset: fact,
        });
        return;
      }
      known.factOffset = fact;
      known.newestAt = Math.max(known.newestAt, record.time);
      known.newestOffset = record.offset;
      if (late) known.lateOffset = record.offset;
    },
    facts(topic, market, generation) {
      // Under no market: what was said of the whole venue.
      const newest = [market, ''].map((key) => {
        const partition = options.partitionOf(topic, key);
        const projected = options.projected(topic, partition);
        const fact = markets.get(`${topic}\n${key}`)?.factOffset ?? null;
        return projected === null || (fact !== null && projected <= fact) ? null : (fact ?? 'none');
      });
      return newest.includes(null) ? null : `${generation}/${newest.join('/')}`;
    },
    etag({ topic, market, to, generation, query }) {
      const partition = options.partitionOf(topic, market);
      const projected = options.projected(topic, partition);
      const began = options.beganAt(topic, partition);
      const known = markets.get(`${topic}\n${market}`);
      if (projected === null || projected < Math.max(began, (known?.newestOffset ?? -1) + 1)) return null;
      const newest = known && to <= known.newestAt ? null : (known?.newestOffset ?? null);
      const parts = [generation, began, known?.lateOffset ?? null, newest, market, to, query];
      return `"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 27)}"`;
    },
  };
}
