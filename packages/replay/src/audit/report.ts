// An audit as JSON and as text.

import { MICROS_PER_MS, isoOrNull, toIso, toNumber } from '@ladderlog/core';
import type { AuditResult } from './result.ts';

const PARTS = [0, 0.01, 0.5, 0.99, 1] as const;

export type AuditReport = ReturnType<typeof auditReport>;

export function auditReport(result: AuditResult) {
  const kinds = [result.books, result.samples, result.comparisons, result.rejects];
  const sum = (pick: (one: (typeof kinds)[number]) => number): number =>
    kinds.reduce((total, one) => total + pick(one), 0);
  const judged = sum(({ judged: count }) => count);
  const million = (part: number, of: number): number | null =>
    of === 0 ? null : Math.round((part / of) * 1e9) / 1e3;
  const rejects = result.rejects.judged + (result.notJudged.import_line ?? 0);
  return {
    format: 'ladderlog.audit/1',
    venue: result.venue,
    from: isoOrNull(result.from),
    to: isoOrNull(result.to),
    frames: result.frames,
    sessions: result.sessions,
    match_rate: judged === 0 ? null : sum(({ matched }) => matched) / judged,
    judged,
    matched: sum(({ matched }) => matched),
    different: sum(({ different }) => different),
    by_kind: {
      books: result.books,
      samples: result.samples,
      comparisons: result.comparisons,
      rejects: result.rejects,
    },
    suppressed_by_gaps: result.suppressed,
    not_judged: result.notJudged,
    rejects_per_million_frames: million(rejects, result.frames),
    gaps: result.gaps,
    gaps_per_million_books: million(result.gaps, result.books.judged),
    unreadable_records: result.unreadable,
    drift: { recorded: driftOf(result.drift.recorded), recomputed: driftOf(result.drift.recomputed) },
    clock_offset_ms: offsetsOf(result),
    differences: differencesOf(result),
  };
}

const driftOf = ({ count, equal, levels, drift: size }: AuditResult['drift']['recorded']) => ({
  comparisons: count,
  equal,
  levels_differing: levels,
  size_drift: toNumber(size),
});

const offsetsOf = (result: AuditResult) => ({
  count: result.offsets.count,
  ...Object.fromEntries(
    PARTS.map((part) => {
      const offset = result.offsets.quantile(part);
      const name = part === 0 ? 'min' : part === 1 ? 'max' : `p${part * 100}`;
      return [name, offset === null ? null : offset / MICROS_PER_MS];
    }),
  ),
});

const differencesOf = (result: AuditResult) =>
  result.differences.map((one) => ({
    kind: one.kind,
    type: one.type,
    field: one.field ?? null,
    recorded: one.recorded ?? null,
    recomputed: one.recomputed ?? null,
    frame: one.frame,
    event: one.event,
    session: one.session,
    ordinal: one.ordinal,
    market_id: one.market,
    outcome_id: one.outcome,
    time: toIso(one.observedAt),
  }));

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
};

export function auditText(report: AuditReport): string {
  const rate = report.match_rate === null ? '-' : `${(report.match_rate * 100).toFixed(4)} %`;
  const offset = report.clock_offset_ms as Record<string, number | null>;
  const lines = [
    `${report.venue}: ${report.frames} frames of ${report.sessions} connections`,
    `match rate          ${rate}  (${report.matched} of ${report.judged} judged)`,
    ...Object.entries(report.by_kind).map(
      ([kind, { judged, matched, different }]) =>
        `  ${kind.padEnd(18)}${matched} of ${judged}${different > 0 ? `, ${different} differ` : ''}`,
    ),
    `in a recorded gap   ${report.suppressed_by_gaps} books, rightly not recorded`,
    `not judged          ${
      Object.entries(report.not_judged)
        .map(([why, count]) => `${why} ${count}`)
        .join(', ') || 'none'
    }`,
    `rejects             ${report.rejects_per_million_frames ?? '-'} per million frames`,
    `gaps                ${report.gaps}, ${report.gaps_per_million_books ?? '-'} per million books`,
    `drift, recorded     ${driftText(report.drift.recorded)}`,
    `drift, recomputed   ${driftText(report.drift.recomputed)}`,
    `observed - source   min ${offset['min'] ?? '-'}, p1 ${offset['p1'] ?? '-'}, p50 ${offset['p50'] ?? '-'}, p99 ${offset['p99'] ?? '-'}, max ${offset['max'] ?? '-'} ms`,
  ];
  if (report.unreadable_records > 0) lines.push(`unreadable          ${report.unreadable_records} records`);
  for (const one of report.differences) {
    const what =
      one.kind === 'field'
        ? `${one.field}: recorded ${shown(one.recorded)}, now ${shown(one.recomputed)}`
        : one.kind === 'missing'
          ? 'given now, not recorded'
          : 'recorded, not given now';
    lines.push(
      `DIFFERENT ${one.type} ${one.market_id} ${one.outcome_id ?? ''} at ${one.time}`,
      `  ${what}`,
      `  frame ${one.frame ?? '-'} (${one.session} #${one.ordinal}), event ${one.event ?? '-'}`,
    );
  }
  if (report.different > report.differences.length)
    lines.push(`… and ${report.different - report.differences.length} more differences`);
  return lines.join('\n');
}

const driftText = (drift: AuditReport['drift']['recorded']): string =>
  `${drift.equal} of ${drift.comparisons} comparisons equal; ${drift.levels_differing} levels differ by ${drift.size_drift} in all`;
