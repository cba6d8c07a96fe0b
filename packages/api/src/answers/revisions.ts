// When may a client keep its copy of a closed range? An answer is a function of the events of one market, so its ETag names
// those that matter without reading them. Of books and samples: the newest while the range reaches past it, and the newest that
// came late, behind the market's newest time. Of everything else (metadata, beats, gaps) the newest: all of it reaches back.
// The tag is given out only when the tables hold everything the log had of that market, and nothing that was not seen here.
// Likewise what the tables say of a market besides its books and samples stays as it is until the log has a newer event about
// that: its version names the newest one.

import { createHash } from 'node:crypto';
import type { EventType, Micros, Position } from '@ladderlog/core';
import { setBounded } from '@ladderlog/core';
import type { RecordFields } from '@ladderlog/log';

type MarketRevision = {
  /** Of books and samples. */
  newestAt: Micros;
  newestOffset: number | null;
  lateOffset: number | null;
  /** The newest that was neither. */
  factOffset: number | null;
};

/** What adds a row at its own time and changes nothing before it. */
const OBSERVATIONS: ReadonlySet<EventType> = new Set(['BookObserved', 'MetricSampled']);

export type Revisions = {
  /** Of a market's metadata, coverage and gaps in the tables; null while the tables are behind the log. */
  facts(topic: string, market: string, generation: number): string | null;
  /** Null while the tables are behind the log for this market, or we behind the tables. */
  etag(scope: {
    readonly topic: string;
    readonly market: string;
    readonly to: Micros;
    readonly generation: number;
    readonly query: unknown;
  }): string | null;
};

type SeenRecord = Pick<RecordFields, 'offset' | 'key' | 'time'> & { readonly type: EventType | null };

export type FollowedRevisions = Revisions & {
  onRecord(place: Omit<Position, 'offset'>, record: SeenRecord): void;
};

export type RevisionOptions = {
  /** The partition of a market, and where this instance began to follow it. */
  readonly partitionOf: (topic: string, market: string) => number;
  readonly beganAt: (topic: string, partition: number) => number;
  /** Next offset the tables lack; null when that is not known, and then no tag is given. */
  readonly projected: (topic: string, partition: number) => number | null;
  /** Markets that are remembered one by one. */
  readonly maxMarkets?: number;
};

export function createRevisions(options: RevisionOptions): FollowedRevisions {
  const { partitionOf } = options;
  const markets = createMemory(options);
  /** Next offset to see. */
  const seen = new Map<string, number>();
  const facts: Revisions['facts'] = (topic, market, generation) => {
    // Under no market: what was said of the whole venue.
    const newest = [market, ''].map((key) => {
      const projected = options.projected(topic, partitionOf(topic, key));
      const fact = markets.get(topic, key).factOffset;
      return projected === null || (fact !== null && projected <= fact) ? null : (fact ?? 'none');
    });
    return newest.includes(null) ? null : `${generation}/${newest.join('/')}`;
  };
  return {
    onRecord({ topic, partition }, record) {
      seen.set(`${topic}/${partition}`, record.offset + 1);
      const known = markets.open(topic, record.key);
      if (!record.type || !OBSERVATIONS.has(record.type)) {
        known.factOffset = record.offset;
        return;
      }
      // Nothing is known of the time before we began: whatever comes first may have come late.
      if (known.newestOffset === null || record.time < known.newestAt) known.lateOffset = record.offset;
      known.newestAt = Math.max(known.newestAt, record.time);
      known.newestOffset = record.offset;
    },
    facts,
    etag({ topic, market, to, generation, query }) {
      const partition = partitionOf(topic, market);
      const began = options.beganAt(topic, partition);
      const projected = options.projected(topic, partition);
      const said = facts(topic, market, generation);
      const known = markets.get(topic, market);
      if (projected === null || said === null) return null;
      if (projected < Math.max(began, (known.newestOffset ?? -1) + 1)) return null;
      if (projected > (seen.get(`${topic}/${partition}`) ?? began)) return null;
      const newest = to <= known.newestAt ? null : known.newestOffset;
      const parts = [began, said, known.lateOffset, newest, market, to, query];
      return `W/"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 27)}"`;
    },
  };
}

type Memory = {
  get(topic: string, market: string): MarketRevision;
  /** To be changed. */
  open(topic: string, market: string): MarketRevision;
};

/**
 * What is known of each market, of so many at most. Of those dropped only the newest event of any of them is kept, per partition:
 * each of them counts as changed by it, so a tag may change without need, but never stays where it must change.
 */
function createMemory({ partitionOf, maxMarkets = 50_000 }: RevisionOptions): Memory {
  const markets = new Map<string, MarketRevision & { readonly partition: string }>();
  const dropped = new Map<string, number>();
  const unknown = (topic: string, market: string) => {
    const partition = `${topic}/${partitionOf(topic, market)}`;
    const offset = dropped.get(partition) ?? null;
    return { partition, newestAt: -Infinity, newestOffset: offset, lateOffset: offset, factOffset: offset };
  };
  return {
    get: (topic, market) => markets.get(`${topic}\n${market}`) ?? unknown(topic, market),
    open(topic, market) {
      const key = `${topic}\n${market}`;
      const found = markets.get(key);
      if (found) return found;
      const made = unknown(topic, market);
      const oldest = setBounded(markets, key, made, maxMarkets)?.[1];
      if (oldest)
        dropped.set(
          oldest.partition,
          Math.max(dropped.get(oldest.partition) ?? 0, oldest.newestOffset ?? 0, oldest.factOffset ?? 0),
        );
      return made;
    },
  };
}
