// What is in the log of a running `up`, read by a process that has no part in it.

import { join } from 'node:path';

import type { EventType, GapClosed, GapOpened, LadderEvent, VenueEvent } from '@ladderlog/core';
import { VENUES } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { openSqliteLog, positionsFromBeginning, readEvents } from '@ladderlog/log';

async function withLog<T>(data: string, read: (log: EventLog) => Promise<T>): Promise<T> {
  const log = await openSqliteLog({ path: join(data, 'log.sqlite'), role: 'reader' });
  try {
    return await read(log);
  } finally {
    await log.close();
  }
}

export const recordedEvents = <T extends EventType>(
  data: string,
  types: readonly T[],
): Promise<Extract<LadderEvent, { type: T }>[]> =>
  withLog(data, async (log) => {
    const found: LadderEvent[] = [];
    const from = await positionsFromBeginning(log, VENUES);
    for await (const events of readEvents(log, { from, types: new Set<EventType>(types) }))
      for (const { event } of events) if (event) found.push(event);
    return found as Extract<LadderEvent, { type: T }>[];
  });

/** How many of these there are, by venue; venues without any are left out. */
export const observations = (data: string): Promise<Readonly<Record<string, number>>> =>
  withLog(data, async (log) => {
    const counts: Record<string, number> = {};
    for await (const { topic, records } of log.read({ from: await positionsFromBeginning(log, VENUES) })) {
      const books = records.filter(({ type }) => type === 'BookObserved').length;
      if (books > 0) counts[topic] = (counts[topic] ?? 0) + books;
    }
    return counts;
  });

export type RecordedGap = GapOpened & { readonly to: number | null };

/** Each gap of books once, with its end where it has one. */
export async function recordedGaps(data: string): Promise<RecordedGap[]> {
  const gaps = new Map<string, GapOpened | GapClosed>();
  for (const event of await recordedEvents(data, ['GapOpened', 'GapClosed']))
    if (event.dataset === 'books' && (event.type === 'GapClosed' || !gaps.has(event.gapId)))
      gaps.set(event.gapId, event);
  return [...gaps.values()].map((gap) => ({
    ...(gap as unknown as GapOpened),
    to: gap.type === 'GapClosed' ? gap.to : null,
  }));
}

export type BookName = Pick<VenueEvent & { outcome: string | null }, 'venue' | 'market' | 'outcome'>;

export const bookName = ({ venue, market, outcome }: BookName): string =>
  `${venue} ${market} ${outcome ?? '*'}`;

/** Books whose capture was begun and not ended, as far as the log goes. */
export async function watchedBooks(data: string): Promise<BookName[]> {
  const watched = new Map<string, BookName>();
  for (const event of await recordedEvents(data, ['CaptureStarted', 'CaptureStopped'])) {
    if (event.dataset !== 'books') continue;
    if (event.type === 'CaptureStarted') watched.set(bookName(event), event);
    else watched.delete(bookName(event));
  }
  return [...watched.values()];
}
