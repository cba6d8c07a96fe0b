// After a crash: what was being watched when the log ended. A watched track shows in the log at least every beat interval
// while its connection lives, and an open gap is restated from time to time, so only the newest stretch has to be read.

import type { Evidence, Micros, Venue } from '@ladderlog/core';
import { EvidenceFold } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';

export async function recoverEvidence(
  log: EventLog,
  venue: Venue,
  lookbackMicros: Micros,
): Promise<Evidence[]> {
  const info = (await log.topics()).find(({ topic }) => topic === venue);
  if (!info) return [];
  const filled = info.partitions.filter(({ begin, end }) => end > begin);
  if (filled.length === 0) return [];
  let newest = 0;
  for (const { partition, end } of filled) {
    for await (const { records } of log.read({ from: [{ topic: venue, partition, offset: end - 1 }] })) {
      for (const { time } of records) newest = Math.max(newest, time);
    }
  }
  const starts = await log.offsetsAt(venue, newest - lookbackMicros);
  const fold = new EvidenceFold();
  const from = filled.map(({ partition, begin }) => ({
    topic: venue,
    partition,
    offset: Math.max(begin, starts[partition] ?? begin),
  }));
  for await (const { records } of log.read({ from })) {
    for (const record of records) {
      if (record.fault) continue;
      const decoded = log.codec.decode(record.value);
      // An import's tracks end with the import; they are never resumed by a collector.
      if (decoded.ok && 'provenance' in decoded.event && decoded.event.provenance === 'captured')
        fold.apply(decoded.event);
    }
  }
  return fold.evidence();
}
