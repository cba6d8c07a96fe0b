// A gap is opened when noticed and closed by the first observation after it: a row each, merged under one gap_id.

import type { GapOpened } from '../../events/events.ts';
import type { Placed } from '../../market/state.ts';
import { defineProjection } from '../projection.ts';
import type { StoredRow } from '../tables.ts';
import { envelopeOf, positionColumns, positionOf } from './envelope-columns.ts';
import { earliest, later, latest, textOf } from './merge.ts';

/** The newest event that told of an open gap. The table does not have the ordinal of its frame. */
export const gapFromRow = (row: StoredRow<'gaps'>): Placed<GapOpened> => ({
  position: positionOf(row),
  event: {
    type: 'GapOpened',
    ...envelopeOf(row),
    sourceTs: null,
    ordinal: 0,
    gapId: row.gap_id,
    dataset: row.dataset as GapOpened['dataset'],
    outcome: row.outcome === '' ? null : row.outcome,
    cause: row.cause as GapOpened['cause'],
    scope: row.scope as GapOpened['scope'],
    from: row.from_at,
    lastBefore:
      row.last_before_at === null
        ? null
        : {
            session: row.last_before_session ?? '',
            ordinal: row.last_before_ordinal ?? 0,
            observedAt: row.last_before_at,
          },
    detail: row.detail === '' ? null : row.detail,
  },
});

const VERSION = 1;

export const gaps = defineProjection('gaps', {
  version: VERSION,
  handles: ['GapOpened', 'GapClosed'],
  merging: {
    key: (row) => `${textOf(row.venue)}\n${textOf(row.market)}\n${textOf(row.gap_id)}`,
    merge: (a, b) => ({
      version: later(a.version, b.version),
      topic: a.topic,
      partition: a.partition,
      offset: later(a.offset, b.offset),
      venue: a.venue,
      market: a.market,
      gap_id: a.gap_id,
      outcome: later(textOf(a.outcome), textOf(b.outcome)),
      dataset: later(textOf(a.dataset), textOf(b.dataset)),
      observed_at: later(a.observed_at, b.observed_at),
      session: later(textOf(a.session), textOf(b.session)),
      provenance: later(textOf(a.provenance), textOf(b.provenance)),
      cause: later(textOf(a.cause), textOf(b.cause)),
      scope: later(textOf(a.scope), textOf(b.scope)),
      from_at: earliest(a.from_at, b.from_at)!,
      to_at: latest(a.to_at, b.to_at),
      last_before_session: latestText(a.last_before_session, b.last_before_session),
      last_before_ordinal: latest(a.last_before_ordinal, b.last_before_ordinal),
      last_before_at: latest(a.last_before_at, b.last_before_at),
      first_after_session: latestText(a.first_after_session, b.first_after_session),
      first_after_ordinal: latest(a.first_after_ordinal, b.first_after_ordinal),
      first_after_at: latest(a.first_after_at, b.first_after_at),
      detail: later(textOf(a.detail), textOf(b.detail)),
    }),
  },
  project(event, position) {
    const closed = event.type === 'GapClosed' ? event : null;
    return [
      {
        ...positionColumns(position, VERSION),
        venue: event.venue,
        market: event.market,
        gap_id: event.gapId,
        outcome: event.outcome ?? '',
        dataset: event.dataset,
        observed_at: event.observedAt,
        session: event.session,
        provenance: event.provenance,
        cause: event.cause,
        scope: event.scope,
        from_at: event.from,
        to_at: closed?.to ?? null,
        last_before_session: event.lastBefore?.session ?? null,
        last_before_ordinal: event.lastBefore?.ordinal ?? null,
        last_before_at: event.lastBefore?.observedAt ?? null,
        first_after_session: closed?.firstAfter?.session ?? null,
        first_after_ordinal: closed?.firstAfter?.ordinal ?? null,
        first_after_at: closed?.firstAfter?.observedAt ?? null,
        detail: event.type === 'GapOpened' ? (event.detail ?? '') : '',
      },
    ];
  },
});

const latestText = (a: string | Uint8Array | null, b: string | Uint8Array | null): string | null =>
  latest(a === null ? null : textOf(a), b === null ? null : textOf(b));
