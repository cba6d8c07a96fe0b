// What capture last said of each venue, however long ago that was. The tail begins where the tables end, and a collector that was
// dead by then would not be missed: so the newest capture events before the tail are read too.

import type { EventType, LadderEvent, Micros, Position } from '@ladderlog/core';
import { VENUES } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { readEvents } from '@ladderlog/log';

const CAPTURE: ReadonlySet<EventType> = new Set([
  'CaptureStarted',
  'CaptureBeat',
  'CaptureStopped',
  'GapOpened',
  'GapClosed',
]);

export type Bounds = {
  /** The first record there is, where the tail begins, and the end when this was asked; of the same partitions. */
  readonly begins: readonly Position[];
  readonly start: readonly Position[];
  readonly ends: readonly Position[];
};

/** Hands over each venue's capture events of the last `span` before its newest record, up to where the tail begins. */
export async function readRecentCapture(
  log: EventLog,
  bounds: Bounds,
  span: Micros,
  onEvent: (event: LadderEvent, position: Position) => void,
): Promise<void> {
  const newest = await newestTimes(log, bounds);
  const from: Position[] = [];
  const to: Position[] = [];
  for (const venue of VENUES) {
    const at = newest.get(venue);
    if (at === undefined) continue;
    const offsets = await log.offsetsAt(venue, at - span);
    for (const place of bounds.start) {
      const offset = place.topic === venue ? offsets[place.partition] : undefined;
      if (offset === undefined || offset >= place.offset) continue;
      from.push({ ...place, offset });
      to.push(place);
    }
  }
  if (from.length === 0) return;
  for await (const events of readEvents(log, { from, to, types: CAPTURE }))
    for (const { event, position } of events) if (event) onEvent(event, position);
}

/** Of the last record of each topic. */
async function newestTimes(log: EventLog, { begins, ends }: Bounds): Promise<Map<string, Micros>> {
  const newest = new Map<string, Micros>();
  const to = ends.filter((end, at) => end.offset > begins[at]!.offset);
  if (to.length === 0) return newest;
  const from = to.map((end) => ({ ...end, offset: end.offset - 1 }));
  for await (const { topic, records } of log.read({ from, to }))
    for (const { time } of records) newest.set(topic, Math.max(newest.get(topic) ?? 0, time));
  return newest;
}
