// What could not be understood, with its bytes: frames that no normalizer took, and log records that could not be decoded or
// projected. Nothing is dropped, and the stream goes on.

import { VENUES } from '../../venues/registry.ts';
import { defineProjection } from '../projection.ts';
import type { TableRow } from '../tables.ts';
import type { Position } from '../../events/topics.ts';
import { envelopeColumns, positionColumns } from './envelope-columns.ts';

export type RejectRow = TableRow<'rejects'>;

const VERSION = 1;

/** The table keeps this much of the bytes; all of them stay in the log. */
const MAX_REJECT_BODY = 64 * 1024;

export const rejects = defineProjection('rejects', {
  version: VERSION,
  handles: ['FrameRejected'],
  project: (event, position) => [
    {
      ...envelopeColumns(event, position, VERSION),
      origin: 'frame',
      channel: event.channel,
      reason: event.reason,
      detail: event.detail,
      body: head(event.body),
    },
  ],
});

/** A log record that gave no rows: unreadable (`record`), or one a projection threw on (`projection`). */
export type PoisonRecord = {
  readonly origin: 'record' | 'projection';
  /** The record's key: a market, for all but the tape. */
  readonly key: string;
  /** The log's own time of the record. */
  readonly time: number;
  readonly reason: string;
  readonly detail: string;
  readonly body: Uint8Array;
};

export const poisonRow = (record: PoisonRecord, position: Position): RejectRow => ({
  ...positionColumns(position, VERSION),
  venue: VENUES.find((venue) => position.topic === venue) ?? '',
  market: record.key,
  observed_at: record.time,
  source_ts: null,
  session: '',
  ordinal: 0,
  provenance: '',
  origin: record.origin,
  channel: '',
  reason: record.reason,
  detail: record.detail,
  body: head(record.body),
});

const head = (body: Uint8Array): Uint8Array =>
  body.length > MAX_REJECT_BODY ? body.subarray(0, MAX_REJECT_BODY) : body;
