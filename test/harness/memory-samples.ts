// Is memory flat? The first quarter fills caches; the second is held against the last, by their medians, since collections
// make single samples jump.

export type MemoryReport = {
  readonly secondQuarterMb: number;
  readonly lastQuarterMb: number;
  readonly maxMb: number;
  /** What was allowed. */
  readonly rule: string;
  readonly problem: string | null;
};

/** The aim for all processes of `npm start` together, docs/operations.md. */
const LIMIT_MB = 700;
const LONG_MINUTES = 20;
/** In a short run the second quarter is still warming up. */
const GROWTH = { long: 0.1, short: 0.25 };
const ENOUGH_SAMPLES = 20;

/** Samples at equal distances over the whole run. */
export function memoryReport(samples: readonly number[], minutes: number): MemoryReport {
  const quarter = (from: number): number =>
    median(
      samples.slice(Math.floor((samples.length * from) / 4), Math.ceil((samples.length * (from + 1)) / 4)),
    );
  const second = quarter(1);
  const last = quarter(3);
  const max = Math.max(...samples);
  const growth = minutes >= LONG_MINUTES ? GROWTH.long : GROWTH.short;
  const judged = samples.length >= ENOUGH_SAMPLES;
  const problem =
    max > LIMIT_MB
      ? `memory reached ${max.toFixed(0)} MB; the aim is ${LIMIT_MB}`
      : judged && last > second * (1 + growth)
        ? `memory is not flat: ${second.toFixed(0)} MB grew to ${last.toFixed(0)}, more than ${growth * 100} %`
        : null;
  return {
    secondQuarterMb: Math.round(second),
    lastQuarterMb: Math.round(last),
    maxMb: Math.round(max),
    rule: `${judged ? `may grow by ${growth * 100} %` : 'too short to judge growth'}, at most ${LIMIT_MB} MB`,
    problem,
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
