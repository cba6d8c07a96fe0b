// What an audit is asked, and what it answers.

import type { Micro, Micros, Venue, VenueAdapter } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { FrameDifference } from './judge-frame.ts';
import type { OffsetCounts } from './clock-offsets.ts';

export type AuditOptions = {
  readonly log: EventLog;
  readonly venue: Venue;
  /** Half-open, by our clock. Default: all of the log. */
  readonly from?: Micros;
  readonly to?: Micros;
  /** How far before `from` connections are read from, so that their books are known at `from`. A socket lives a day. */
  readonly warmupMs?: number;
  /** Differences described; all are counted. */
  readonly listed?: number;
  /** Another normalizer than the venue's own, e.g. one under development. */
  readonly adapter?: VenueAdapter;
  /** Of the recorded time that is read, in microseconds. */
  readonly onProgress?: (progress: { done: Micros; total: Micros; frames: number }) => void;
  readonly signal?: AbortSignal;
};

/** Why an event could not be judged. It is then neither a match nor a difference. */
export const NOT_JUDGED = [
  'frame_missing', // the frame it came from is not in the log (retention, or it could not be read)
  'session_start_missing', // the connection's first frames are not in the log, so its books cannot be rebuilt
  'session_start_not_read', // they are older than the warm-up before `from`
  'frames_missing', // frames of the connection are missing before this one
  'connection_broke', // a REST answer that came in after its socket had broken, when the books were forgotten
  'import_line', // a line of an import that held no frame
  'unfinished_append', // after the last event of its connection on Kafka: its batch may have been cut off by a crash
] as const;
export type NotJudged = (typeof NOT_JUDGED)[number];

export type Difference = Omit<FrameDifference, 'event'> & {
  readonly session: string;
  readonly ordinal: number;
  readonly observedAt: Micros;
  /** Where the frame is, and the recorded event; null where there is none. */
  readonly frame: string | null;
  readonly event: string | null;
};

export type Counts = { judged: number; matched: number; different: number };
export type Comparisons = { count: number; equal: number; levels: number; drift: Micro };

export type AuditResult = {
  readonly venue: Venue;
  readonly from: Micros | null;
  readonly to: Micros | null;
  readonly frames: number;
  readonly sessions: number;
  readonly books: Counts;
  readonly samples: Counts;
  readonly comparisons: Counts;
  readonly rejects: Counts;
  /** Books that today's normalizers give and that were not recorded because a recorded gap was open. */
  readonly suppressed: number;
  readonly notJudged: Readonly<Partial<Record<NotJudged, number>>>;
  readonly gaps: number;
  readonly unreadable: number;
  /** The venue's full books against ours, as recorded and as recomputed now. */
  readonly drift: { readonly recorded: Comparisons; readonly recomputed: Comparisons };
  readonly offsets: OffsetCounts;
  readonly differences: readonly Difference[];
};
