// Where an event goes. One topic per venue, keyed by market, holds all that concerns a market in total order; the wire tape
// (FrameCaptured) has a topic of its own per venue, keyed by session, so that frames keep their order of arrival and
// projections need not read them. See docs/adr/0002.

import type { LadderEvent, Venue } from './events.ts';
import { VENUES } from '../venues/registry.ts';
import type { Micros } from '../kernel/time.ts';

export const CONTROL_TOPIC = 'control';
export const framesTopic = (venue: Venue): string => `${venue}.frames`;

export const TOPICS: readonly string[] = [
  ...VENUES.flatMap((venue) => [venue, framesTopic(venue)]),
  CONTROL_TOPIC,
];

export function topicOf(event: LadderEvent): string {
  switch (event.type) {
    case 'FrameCaptured':
      return framesTopic(event.venue);
    case 'KeyIssued':
    case 'KeyRevoked':
      return CONTROL_TOPIC;
    default:
      return event.venue;
  }
}

export function keyOf(event: LadderEvent): string {
  switch (event.type) {
    case 'FrameCaptured':
      return event.session;
    case 'KeyIssued':
    case 'KeyRevoked':
      return event.keyId;
    default:
      return event.market === '' ? event.session : event.market;
  }
}

/** The time of a record in the log: when the event was observed, by our clock. */
export const timeOf = (event: LadderEvent): Micros => ('observedAt' in event ? event.observedAt : event.at);

/** A place in the log. `topic` is the logical name, the same on SQLite and Kafka. */
export type Position = { readonly topic: string; readonly partition: number; readonly offset: number };

/** `topic/partition`: a name for keys of maps and for people. */
export const partitionName = (at: Omit<Position, 'offset'>): string => `${at.topic}/${at.partition}`;

/** `topic/partition/offset`: how positions are written for people, cursors and the feed's seq. */
export const formatPosition = (position: Position): string =>
  `${position.topic}/${position.partition}/${position.offset}`;

export function parsePosition(text: string): Position | null {
  const match = /^([a-z][a-z.]{0,63})\/(\d{1,5})\/(\d{1,15})$/.exec(text);
  return match ? { topic: match[1]!, partition: Number(match[2]), offset: Number(match[3]) } : null;
}
