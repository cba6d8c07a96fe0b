// Ranges of the recording that the requests ask for. All are over when the recording is served.

import { metadata } from './fixture.ts';

const { started_at, killed_at, restarted_at, stopped_at } = metadata.moments;

export const after = (time: string, seconds: number): string =>
  new Date(Date.parse(time) + seconds * 1_000).toISOString();

export type Range = { readonly start_time: string; readonly end_time: string };
const between = (start_time: string, end_time: string): Range => ({ start_time, end_time });

export const RANGES = {
  whole: between(after(started_at, -5), after(stopped_at, 5)),
  inside: between(after(restarted_at, 40), after(restarted_at, 70)),
  late: between(after(restarted_at, 120), after(stopped_at, -10)),
  acrossGap: between(after(killed_at, -10), after(restarted_at, 20)),
  insideGap: between(after(killed_at, 2), after(killed_at, 6)),
  acrossStart: between(after(started_at, -30), after(started_at, 15)),
  acrossEnd: between(after(stopped_at, -10), after(stopped_at, 15)),
  before: between(after(started_at, -3_600), after(started_at, -3_000)),
  dayBefore: between(after(started_at, -86_400), after(started_at, -82_800)),
  empty: between(after(restarted_at, 40), after(restarted_at, 40)),
} as const satisfies Record<string, Range>;

export const INSTANTS = {
  inside: after(restarted_at, 55),
  early: after(started_at, 20),
  late: after(stopped_at, -5),
  insideGap: after(killed_at, 4),
  before: after(started_at, -600),
  afterEnd: after(stopped_at, 20),
  epochMs: String(Date.parse(after(restarted_at, 55))),
  zoned: `${after(restarted_at, 55).slice(0, -1)}%2B00:00`,
} as const;

/** No plan but desk reaches it. */
export const LONG_AGO = '2026-01-02T03:04:05Z';
