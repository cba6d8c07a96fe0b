// What capture last said of each venue, however long ago that was: the tail begins where the tables end, and a collector that
// was dead by then would not be missed.

import type { EventType, LadderEvent, Micros, Position } from '@ladderlog/core';
import { VENUES } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { readEvents } from '@ladderlog/log';

const SPOKEN: ReadonlySet<EventType> = new Set([
  'CaptureStarted',
  'CaptureBeat',
  'CaptureStopped',
  'GapOpened',
  'GapClosed',
]);

/** Applies the newest `span` of each venue's capture events before `start`; the tail brings the rest. */
export async function hearLastWords(
  log: EventLog,
  watch: (event: LadderEvent, position: Position) => void,
  start: readonly Position[],
  ends: readonly Position[],
  begins: readonly Position[],
  span: Micros,
): Promise<void> {
  const newest = new Map<string, Micros>();
  const last = ends.filter((end, at) => end.offset > begins[at]!.offset);
  if (last.length === 0) return;
  const tips = last.map((end) => ({ ...end, offset: end.offset - 1 }));
  for await (const { topic, records } of log.read({ from: tips, to: last }))
    for (const { time } of records) newest.set(topic, Math.max(newest.get(topic) ?? 0, time));
  const from: Position[] = [];
  const to: Position[] = [];
  for (const venue of VENUES) {
    const at = newest.get(venue);
    if (at === undefined) continue;
    const offsets = await log.offsetsAt(venue, at - span);
    for (const place of start) {
      const offset = place.topic === venue ? offsets[place.partition] : undefined;
      if (offset === undefined || offset >= place.offset) continue;
      from.push({ ...place, offset });
      to.push(place);
    }
  }
  if (from.length === 0) return;
  for await (const events of readEvents(log, { from, to, types: SPOKEN }))
    for (const { event, position } of events) if (event) watch(event, position);
}
