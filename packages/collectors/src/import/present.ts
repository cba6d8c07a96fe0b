// What of a recording the log already has, so that a second run adds nothing and one that was killed goes on.

import type { VenueEvent } from '@ladderlog/core';
import { VENUES, framesTopic } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';

import type { Survey } from './survey.ts';

/** Lines of one append: everything before the newest batch is known to be whole in the log. */
export const BATCH_LINES = 2_000;

/** Whole up to a frame of each session, event by event after it. */
export class Present {
  private readonly wholeTo = new Map<string, number>();
  private readonly events = new Set<string>();

  /** `newest` is the newest frame of the session in the log; the batch it was in may be there only in part (on Kafka). */
  frame(session: string, newest: number): void {
    this.wholeTo.set(session, Math.max(newest - BATCH_LINES * 2, this.wholeTo.get(session) ?? -1));
  }

  isTail(event: VenueEvent): boolean {
    return event.ordinal > (this.wholeTo.get(event.session) ?? -1);
  }

  add(event: VenueEvent): void {
    this.events.add(identity(event));
  }

  has(event: VenueEvent): boolean {
    return !this.isTail(event) || this.events.has(identity(event));
  }
}

const identity = (event: VenueEvent): string =>
  [
    event.type,
    event.session,
    event.ordinal,
    event.market,
    'outcome' in event ? event.outcome : '',
    'entry' in event ? event.entry : '',
    'metric' in event ? event.metric : '',
    'gapId' in event ? event.gapId : '',
    'reason' in event ? event.reason : '',
    'dataset' in event ? event.dataset : '',
    'method' in event ? event.method : '',
  ].join('\u0000');

export async function findPresent(log: EventLog, prefix: string, survey: Survey): Promise<Present> {
  const present = new Present();
  const times = { from: survey.firstAt, to: survey.lastAt + 1 };
  const topics = new Map((await log.topics()).map((info) => [info.topic, info]));
  const eachEvent = async (topic: string, visit: (event: VenueEvent) => void): Promise<void> => {
    const info = topics.get(topic);
    if (!info) return;
    const from = info.partitions
      .filter(({ begin, end }) => end > begin)
      .map(({ partition, begin }) => ({ topic, partition, offset: begin }));
    if (from.length === 0) return;
    for await (const { records } of log.read({ from, times })) {
      for (const record of records) {
        if (record.time < times.from || record.time >= times.to) continue;
        const decoded = record.peek();
        if (decoded.ok && 'session' in decoded.event && decoded.event.session.startsWith(prefix))
          visit(decoded.event);
      }
    }
  };
  for (const venue of survey.venues.size > 0 ? survey.venues : VENUES) {
    await eachEvent(framesTopic(venue), (event) => {
      present.frame(event.session, event.ordinal);
    });
    await eachEvent(framesTopic(venue), (event) => {
      if (present.isTail(event)) present.add(event);
    });
    await eachEvent(venue, (event) => {
      if (present.isTail(event)) present.add(event);
    });
  }
  return present;
}
