// The last guard before the log. What a venue or a recorder sends may find its way, through a fault of ours, into an event that
// no schema holds, or that is larger than a record: that frame is then rejected with the reason. It never ends capture.

import type { LadderEvent } from '@ladderlog/core';
import type { EventCodec, EventLog } from '@ladderlog/log';
import { MAX_RECORD_BYTES } from '@ladderlog/log';

/** The largest input: as a record it has an envelope around it. */
export const MAX_FRAME_BYTES = MAX_RECORD_BYTES - 64 * 1024;

/** A frame that cannot be kept whole is kept up to here. */
const KEPT_BYTES = 1 << 20;
const NO_BYTES = new Uint8Array();

/** Appends all of them, those that the log cannot take as rejects unless these are `present` already. Returns what it appended. */
export async function appendEncodable(
  log: EventLog,
  events: readonly LadderEvent[],
  isPresent: (event: LadderEvent) => boolean = () => false,
): Promise<readonly LadderEvent[]> {
  try {
    await log.append(events);
    return events;
  } catch (error) {
    const sound = encodable(log.codec, events);
    if (sound === events) throw error;
    const fresh = sound.filter((event) => !isPresent(event));
    await log.append(fresh);
    return fresh;
  }
}

/** These events, with a reject in the place of each that the log cannot take; the same array when it can take them all. */
export function encodable(codec: EventCodec, events: readonly LadderEvent[]): readonly LadderEvent[] {
  const sound = events.map((event) => {
    const why = whyNot(codec, event);
    const reject = why === null ? null : rejectOf(event, why, events);
    return reject !== null && whyNot(codec, reject) === null ? reject : event;
  });
  return sound.some((event, at) => event !== events[at]) ? sound : events;
}

function whyNot(codec: EventCodec, event: LadderEvent): string | null {
  try {
    const { length } = codec.encode(event);
    return length > MAX_RECORD_BYTES ? `${event.type} of ${length} bytes` : null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function rejectOf(event: LadderEvent, why: string, beside: readonly LadderEvent[]): LadderEvent | null {
  if (!('session' in event)) return null;
  const { venue, market, observedAt, session, ordinal, provenance } = event;
  const frame = beside.find(
    (other) => other.type === 'FrameCaptured' && other.session === session && other.ordinal === ordinal,
  );
  return {
    type: 'FrameRejected',
    venue,
    market: typeof market === 'string' ? market : '',
    observedAt,
    sourceTs: null,
    session,
    ordinal,
    provenance,
    channel: frame?.type === 'FrameCaptured' ? frame.channel : '',
    body: frame?.type === 'FrameCaptured' ? frame.body.subarray(0, KEPT_BYTES) : NO_BYTES,
    reason: 'not_encodable',
    detail: why.slice(0, 500),
  };
}
