// What the live feed and a replay refuse, and where a subscription begins: the same in both.

import type { Venue } from '../events/events.ts';
import type { StreamErrorCode, StreamMessage } from './messages.ts';
import type { ParsedRequest, StreamFilter } from './requests.ts';
import type { Position } from '../events/topics.ts';
import { formatPosition } from '../events/topics.ts';

export const STREAM_CLOSE = {
  goingAway: 1001,
  tryAgainLater: 1013,
  malformed: 4400,
  unauthorized: 4401,
  tooMany: 4429,
} as const;

/** Subscriptions of a connection, malformed messages before the close, messages in a second, bytes of a message. */
export const STREAM_LIMITS = {
  subscriptions: 100,
  malformed: 5,
  requestsPerSecond: 50,
  payloadBytes: 64 * 1024,
} as const;

/** A client asked for what it cannot have. */
export class StreamRefusal extends Error {
  readonly code: StreamErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  constructor(code: StreamErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  toMessage(id: string | null): Extract<StreamMessage, { type: 'error' }> {
    return { type: 'error', code: this.code, message: this.message, details: this.details, id };
  }
}

export const malformed = ({
  code,
  message,
  parameter,
}: Extract<ParsedRequest, { ok: false }>): StreamRefusal =>
  new StreamRefusal(code, message, parameter === null ? {} : { parameter });

/** `taken`: the subscriptions there are. */
export function checkSubscription(
  id: string,
  taken: { readonly size: number; has(id: string): boolean },
  limit: number,
): void {
  if (taken.has(id))
    throw new StreamRefusal('INVALID_PARAMETER', `There is a subscription '${id}' already.`, {
      parameter: 'id',
    });
  if (taken.size >= limit)
    throw new StreamRefusal('TOO_MANY_SUBSCRIPTIONS', `At most ${limit} subscriptions.`, { limit });
}

export const unknownSubscription = (id: string): StreamRefusal =>
  new StreamRefusal('UNKNOWN_SUBSCRIPTION', `There is no subscription '${id}'.`);

type Place = Omit<Position, 'offset'>;

/** The partitions that hold what was subscribed. */
export const subscribedPlaces = (
  { market }: StreamFilter,
  venues: readonly Venue[],
  log: { partitions(topic: string): number; partitionOf(topic: string, market: string): number },
): Place[] =>
  venues.flatMap((topic) =>
    market === null
      ? Array.from({ length: log.partitions(topic) }, (_, partition) => ({ topic, partition }))
      : [{ topic, partition: log.partitionOf(topic, market) }],
  );

/** Next offsets to read after the given positions, one for each place. `end`: the first offset that is not written yet. */
export function resumeAfter(
  positions: readonly Position[],
  places: readonly Place[],
  boundsOf: (place: Place) => { readonly begin: number; readonly end: number } | undefined,
): Position[] {
  return places.map((place) => {
    const { topic, partition } = place;
    const given = positions.find((one) => one.topic === topic && one.partition === partition);
    if (!given)
      throw new StreamRefusal('INVALID_PARAMETER', `from.position lacks ${topic}/${partition}.`, {
        parameter: 'from.position',
        partitions: places.map((one) => `${one.topic}/${one.partition}`),
      });
    const bounds = boundsOf(place);
    const offset = given.offset + 1;
    if (!bounds || offset < bounds.begin || offset > bounds.end)
      throw new StreamRefusal(
        'POSITION_NOT_AVAILABLE',
        `The log does not have what follows ${formatPosition(given)}.`,
        { position: formatPosition(given), begin: bounds?.begin ?? null, end: bounds?.end ?? null },
      );
    return { topic, partition, offset };
  });
}
