import type { Envelope } from '../../events/events.ts';
import type { Position } from '../../events/topics.ts';

export const positionColumns = (position: Position, version: number) => ({
  version,
  topic: position.topic,
  partition: position.partition,
  offset: position.offset,
});

export const envelopeColumns = (event: Envelope, position: Position, version: number) => ({
  version,
  topic: position.topic,
  partition: position.partition,
  offset: position.offset,
  venue: event.venue,
  market: event.market,
  observed_at: event.observedAt,
  source_ts: event.sourceTs,
  session: event.session,
  ordinal: event.ordinal,
  provenance: event.provenance,
});
