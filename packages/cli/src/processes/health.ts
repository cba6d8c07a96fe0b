// What /v3/health says beside store and log: the projector's lag and, per venue, capturing, degraded, gap since. All of it is
// read off the log and the tables, so one process and many answer alike.

import type { Statuses } from '@ladderlog/core';
import { VENUES, toIso } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { CursorStore } from '@ladderlog/projector';
import type { Store } from '@ladderlog/store';

import { projectedPositions } from './runtime.ts';

export type Checks = Readonly<Record<string, unknown>>;

/** `expected`: venues this process itself records; one of them of which nothing is in the log yet is starting. */
export function venueChecks(statuses: Pick<Statuses, 'health'>, expected: readonly string[]): Checks {
  const checks: Record<string, unknown> = {};
  for (const venue of VENUES) {
    const found = statuses.health(venue);
    if (found && !(found.state === 'stopped' && expected.includes(venue)))
      checks[venue] = {
        ok: found.state === 'capturing' || found.state === 'stopped',
        state: found.state,
        markets: found.markets,
        books: found.books,
        gaps_open: found.uncovered,
        gap_since: found.gapSince === null ? null : toIso(found.gapSince),
        ...(found.messageAge === null ? {} : { message_age_ms: Math.round(found.messageAge / 1_000) }),
      };
    else if (expected.includes(venue))
      checks[venue] = {
        ok: true,
        state: 'starting',
        markets: 0,
        books: 0,
        gaps_open: 0,
        gap_since: null,
      };
  }
  return checks;
}

/** Events in the log that are not in the served tables; null when that cannot be told. */
export async function projectorCheck(log: EventLog, store: Store, cursors: CursorStore): Promise<Checks> {
  try {
    const next = new Map(
      (await projectedPositions(store, cursors)).map(({ topic, partition, offset }) => [
        `${topic}/${partition}`,
        offset,
      ]),
    );
    let lag = 0;
    for (const { topic, partitions } of await log.topics())
      if ((VENUES as readonly string[]).includes(topic))
        for (const { partition, begin, end } of partitions)
          lag += Math.max(0, end - Math.max(begin, next.get(`${topic}/${partition}`) ?? begin));
    return { projector: { ok: true, lag } };
  } catch {
    return { projector: { ok: false, lag: null } };
  }
}
