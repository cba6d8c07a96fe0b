import type { Envelope, Provenance, Venue } from '../../events/events.ts';
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

type StoredPosition = { readonly topic: string; readonly partition: number; readonly offset: number };

export const positionOf = ({ topic, partition, offset }: StoredPosition): Position => ({
  topic,
  partition,
  offset,
});

/** What every row of an event has of its envelope. */
export const envelopeOf = (row: {
  readonly venue: string;
  readonly market: string;
  readonly observed_at: number;
  readonly session: string;
  readonly provenance: string;
}) => ({
  venue: row.venue as Venue,
  market: row.market,
  observedAt: row.observed_at,
  session: row.session,
  provenance: row.provenance as Provenance,
});
