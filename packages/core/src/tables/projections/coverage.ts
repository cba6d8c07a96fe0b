// Moments at which a market was known to be watched, or no longer. Coverage between two of them is computed by the reader,
// together with the gaps: a crash leaves no farewell, so the newest evidence ends the covered time.

import type { Envelope } from '../../events/events.ts';
import { defineProjection } from '../projection.ts';
import type { TableRow } from '../tables.ts';
import type { Position } from '../../events/topics.ts';
import type { Micros } from '../../kernel/time.ts';
import { positionColumns } from './envelope-columns.ts';
import { keyOf, mergeRows } from './merge.ts';

export type CoverageRow = TableRow<'coverage'>;

/** gap: the last moment known to be covered before a gap, not when the gap was noticed. */
const COVERAGE_KINDS = ['started', 'beat', 'stopped', 'gap'] as const;
export type CoverageKind = (typeof COVERAGE_KINDS)[number];

const VERSION = 1;

type Evidence = {
  readonly kind: CoverageKind;
  readonly at: number;
  readonly collector?: string;
  readonly reason?: string;
};

const coverageRow = (
  event: Envelope & { readonly dataset: string; readonly outcome: string | null },
  position: Position,
  evidence: Evidence,
): CoverageRow => ({
  ...positionColumns(position, VERSION),
  venue: event.venue,
  market: event.market,
  outcome: event.outcome ?? '',
  dataset: event.dataset,
  session: event.session,
  kind: evidence.kind,
  provenance: event.provenance,
  collector: evidence.collector ?? '',
  reason: evidence.reason ?? '',
  at: evidence.at,
  since: evidence.at,
});

/** The delay of stamps stands where a stop has its reason, so wide that the largest of a session's beats is the last as text. */
const DELAY_DIGITS = 10;

const delayText = (delay: Micros | null): string =>
  delay === null ? '' : String(Math.min(delay, 10 ** DELAY_DIGITS - 1)).padStart(DELAY_DIGITS, '0');

/** From the row of a session's beats; null where it was not measured. */
export const delayFromRow = ({ kind, reason }: { kind: string; reason: string }): Micros | null =>
  kind === 'beat' && reason !== '' ? Number(reason) : null;

export const coverage = defineProjection('coverage', {
  version: VERSION,
  handles: ['CaptureStarted', 'CaptureBeat', 'CaptureStopped', 'GapOpened'],
  merging: {
    // Starts and stops stay apart; beats of a session become one.
    key: (row) =>
      keyOf(
        row.venue,
        row.market,
        row.dataset,
        row.outcome,
        row.session,
        row.kind,
        row.kind === 'started' || row.kind === 'stopped' ? row.at : 0,
      ),
    merge: mergeRows<'coverage'>({ earliest: ['since'] }),
  },
  project(event, position) {
    const { observedAt: at } = event;
    switch (event.type) {
      case 'CaptureStarted':
        return [coverageRow(event, position, { kind: 'started', at, collector: event.collector })];
      case 'CaptureBeat': {
        const { collector, stampDelay } = event;
        return [coverageRow(event, position, { kind: 'beat', at, collector, reason: delayText(stampDelay) })];
      }
      case 'CaptureStopped': {
        const { collector, reason } = event;
        return [coverageRow(event, position, { kind: 'stopped', at, collector, reason })];
      }
      case 'GapOpened':
        return [coverageRow(event, position, { kind: 'gap', at: event.from })];
    }
  },
});
