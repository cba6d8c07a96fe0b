// After a crash: what was being watched when the log ended. A watched track shows in the log at least every beat interval
// while its connection lives, and an open gap is restated from time to time, so only the newest stretch has to be read.

import type { EventType, Evidence, Micros, Venue } from '@ladderlog/core';
import { Markets, evidenceOf } from '@ladderlog/core';
import type { EventLog, PartitionInfo } from '@ladderlog/log';
import { readEvents } from '@ladderlog/log';

/** Whatever is recorded writes one of these every few beats; reading them alone is cheap, since books are not decoded. */
const CAPTURE_EVENTS: ReadonlySet<EventType> = new Set([
  'CaptureStarted',
  'CaptureBeat',
  'CaptureStopped',
  'GapOpened',
  'GapClosed',
]);
const WATCHED: ReadonlySet<EventType> = new Set([...CAPTURE_EVENTS, 'BookObserved', 'MetricSampled']);
const FIRST_LOOK = 4_096;

export async function recoverEvidence(
  log: EventLog,
  venue: Venue,
  lookbackMicros: Micros,
  now: Micros,
): Promise<Evidence[]> {
  const info = (await log.topics()).find(({ topic }) => topic === venue);
  if (!info) return [];
  const filled = info.partitions.filter(({ begin, end }) => end > begin);
  if (filled.length === 0) return [];
  let newest = 0;
  for (const info of filled) newest = Math.max(newest, await newestCaptured(log, venue, info));
  if (newest === 0) return [];
  const starts = await log.offsetsAt(venue, Math.min(newest, now) - lookbackMicros);
  const markets = new Markets();
  const from = filled.map(({ partition, begin }) => ({
    topic: venue,
    partition,
    offset: Math.max(begin, starts[partition] ?? begin),
  }));
  for await (const events of readEvents(log, { from, types: WATCHED }))
    for (const { event, position } of events)
      // An import's tracks end with the import; they are never resumed by a collector.
      if (event && 'provenance' in event && event.provenance === 'captured') markets.apply(event, position);
  return [...markets.values()].flatMap(evidenceOf);
}

/**
 * The time of the newest captured event; 0: there is none. Read backwards from the end: what was imported or backfilled since
 * has times of its own.
 */
async function newestCaptured(
  log: EventLog,
  topic: string,
  { partition, begin, end }: PartitionInfo,
): Promise<Micros> {
  for (let to = end, look = FIRST_LOOK; to > begin; look *= 2) {
    const offset = Math.max(begin, to - look);
    let newest = 0;
    const span = {
      from: [{ topic, partition, offset }],
      to: [{ topic, partition, offset: to }],
      types: CAPTURE_EVENTS,
    };
    for await (const events of readEvents(log, span))
      for (const { event } of events)
        if (event && 'provenance' in event && event.provenance === 'captured')
          newest = Math.max(newest, event.observedAt);
    if (newest > 0) return newest;
    to = offset;
  }
  return 0;
}
