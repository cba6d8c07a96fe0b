// US Eastern wall-clock time, as the venues state it in tickers and titles. Daylight saving comes from Intl.

const PARTS = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  hourCycle: 'h23',
  year: '2-digit',
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const LONG_MONTH = new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', month: 'long' });

export type Eastern = {
  readonly year: string;
  readonly month: string;
  readonly longMonth: string;
  readonly day: string;
  readonly hour: string;
  readonly minute: string;
  readonly second: string;
};

export function eastern(atMs: number): Eastern {
  const found: Record<string, string> = {};
  for (const { type, value } of PARTS.formatToParts(atMs)) found[type] = value;
  return {
    year: found['year']!,
    month: found['month']!.toUpperCase(),
    longMonth: LONG_MONTH.format(atMs),
    day: found['day']!,
    hour: found['hour']!,
    minute: found['minute']!,
    second: found['second']!,
  };
}

function clockText(at: Eastern, seconds: boolean): string {
  const hour = Number(at.hour);
  return `${hour % 12 === 0 ? 12 : hour % 12}:${at.minute}${seconds ? `:${at.second}` : ''}${hour < 12 ? 'AM' : 'PM'}`;
}

/** `November 14, 7:00PM-7:05PM ET`; seconds are shown only when a scaled window needs them. */
export function easternRange(startMs: number, endMs: number): string {
  const start = eastern(startMs);
  const seconds = startMs % 60_000 !== 0 || endMs % 60_000 !== 0;
  return `${start.longMonth} ${Number(start.day)}, ${clockText(start, seconds)}-${clockText(eastern(endMs), seconds)} ET`;
}

/** `26NOV141915`: the close as venue B writes it. Seconds follow only where a scaled window needs them. */
export function tickerTime(atMs: number, hourly: boolean): string {
  const at = eastern(atMs);
  const minutes = hourly && atMs % 3_600_000 === 0 ? '' : at.minute;
  return `${at.year}${at.month}${at.day}${at.hour}${minutes}${atMs % 60_000 === 0 ? '' : at.second}`;
}
