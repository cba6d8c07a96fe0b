// US Eastern wall-clock time, as the venues state it in slugs, tickers and titles. Daylight saving comes from the time-zone
// database.

const PARTS = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'long',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** Numbers as two digits, the year as four; the month by its English name. */
export type Eastern = Readonly<Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', string>>;

export const easternOf = (epochMs: number): Eastern =>
  Object.fromEntries(PARTS.formatToParts(epochMs).map(({ type, value }) => [type, value])) as Eastern;

/** 00 is 12am, 13 is 1pm. */
export const hour12 = ({ hour }: Eastern): { readonly hour: number; readonly half: 'AM' | 'PM' } => ({
  hour: Number(hour) % 12 === 0 ? 12 : Number(hour) % 12,
  half: Number(hour) < 12 ? 'AM' : 'PM',
});

function clockText(at: Eastern, seconds: boolean): string {
  const { hour, half } = hour12(at);
  return `${hour}:${at.minute}${seconds ? `:${at.second}` : ''}${half}`;
}

/** `November 14, 7:00PM-7:05PM ET`; seconds are shown only when a scaled window needs them. */
export function easternRange(startMs: number, endMs: number): string {
  const start = easternOf(startMs);
  const seconds = startMs % 60_000 !== 0 || endMs % 60_000 !== 0;
  return `${start.month} ${Number(start.day)}, ${clockText(start, seconds)}-${clockText(easternOf(endMs), seconds)} ET`;
}

/** `26NOV141915`: the close as venue B writes it. Seconds follow only where a scaled window needs them. */
export function tickerTime(atMs: number, hourly: boolean): string {
  const at = easternOf(atMs);
  const minutes = hourly && atMs % 3_600_000 === 0 ? '' : at.minute;
  const date = `${at.year.slice(2)}${at.month.slice(0, 3).toUpperCase()}${at.day}`;
  return `${date}${at.hour}${minutes}${atMs % 60_000 === 0 ? '' : at.second}`;
}
