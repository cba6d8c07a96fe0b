// A gap is opened when noticed and closed by the first observation after it: a row each, merged under one gap_id.

import type { GapOpened } from '../../events/events.ts';
import type { Placed } from '../../market/state.ts';
import { defineProjection } from '../projection.ts';
import type { StoredRow } from '../tables.ts';
import { envelopeOf, positionColumns, positionOf } from './envelope-columns.ts';
import { keyOf, mergeRows } from './merge.ts';

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
    late: [],
    detail: row.detail === '' ? null : row.detail,
  },
});

const VERSION = 1;

export const gaps = defineProjection('gaps', {
  version: VERSION,
  handles: ['GapOpened', 'GapClosed'],
  merging: {
    key: (row) => keyOf(row.venue, row.market, row.gap_id),
    merge: mergeRows<'gaps'>({ earliest: ['from_at'] }),
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
