// Time inside Ladderlog is an integer count of microseconds since the epoch: venue B states microseconds, and one unit
// everywhere cannot be mixed up. Outside it is ISO 8601 UTC. The clock itself is passed in (see Clock).

/** Microseconds since 1970-01-01T00:00:00Z; an integer, safe in a JS number until the year 2255. */
export type Micros = number;

/** The only way this code base asks for the time. Tests pass their own. */
export type Clock = () => Micros;

export const MICROS_PER_MS = 1_000;
export const MICROS_PER_SECOND = 1_000_000;

/** Outside these, a timestamp is a mistake of unit, not a time (2000-01-01 .. 2200-01-01). */
export const EARLIEST_MICROS: Micros = 946_684_800_000_000;
export const LATEST_MICROS: Micros = 7_258_118_400_000_000;

export const fromMillis = (ms: number): Micros => Math.round(ms * MICROS_PER_MS);
export const toMillis = (at: Micros): number => Math.floor(at / MICROS_PER_MS);

const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d{1,9}))?\s*(Z|z|[+-]\d{2}(?::?\d{2})?)?)?$/;

/**
 * ISO 8601 text to microseconds, digits past the sixth dropped; null when it is not a time, or one too far away for a safe
 * integer (a venue's zero value, 0001-01-01). Text without a zone is UTC.
 * Also takes the venues' own spellings (a space for T, `+00` for the zone).
 */
export function parseIso(text: string): Micros | null {
  const match = ISO.exec(text.trim());
  if (!match) return null;
  const [, day, clock = '00:00:00', fraction = '', zone = 'Z'] = match;
  const offset =
    zone === 'Z' || zone === 'z'
      ? 'Z'
      : zone.length === 3
        ? `${zone}:00`
        : zone.length === 5
          ? `${zone.slice(0, 3)}:${zone.slice(3)}`
          : zone;
  // oxlint-disable-next-line no-restricted-globals
  const ms = Date.parse(`${day}T${clock.length === 5 ? `${clock}:00` : clock}.000${offset}`);
  if (Number.isNaN(ms)) return null;
  // Date.parse rolls 30 February over into March; a date that does not exist is not a time.
  if (Number(day!.slice(8, 10)) > daysInMonth(Number(day!.slice(0, 4)), Number(day!.slice(5, 7))))
    return null;
  const at = ms * MICROS_PER_MS + Number(fraction.padEnd(6, '0').slice(0, 6));
  return Number.isSafeInteger(at) ? at : null;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** ISO 8601 UTC, milliseconds unless the instant has microseconds. */
export function toIso(at: Micros): string {
  const ms = Math.floor(at / MICROS_PER_MS);
  // The one constructor call of core: a pure function of its argument, not a clock.
  // oxlint-disable-next-line no-restricted-globals
  const iso = new Date(ms).toISOString();
  const micros = at - ms * MICROS_PER_MS;
  return micros === 0 ? iso : `${iso.slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}

export const isoOrNull = (at: Micros | null): string | null => (at === null ? null : toIso(at));

/** A client's time: ISO 8601, or epoch milliseconds as digits. Null when it is neither, or out of range. */
export function parseClientTime(text: string): Micros | null {
  const at = /^\d{1,16}$/.test(text) ? Number(text) * MICROS_PER_MS : parseIso(text);
  return at !== null && at >= EARLIEST_MICROS && at <= LATEST_MICROS ? at : null;
}
