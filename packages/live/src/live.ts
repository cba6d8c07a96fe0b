// The state of all markets: read from the tables, then kept current from the log, which is read once for everyone. Works without
// tables too: then it begins with the newest part of the log.

import type {
  Clock,
  EventType,
  LadderEvent,
  MarketObserved,
  MarketState,
  Micros,
  Placed,
  Position,
  Venue,
} from '@ladderlog/core';
import { KEPT, SILENT_MS, Statuses, VENUES } from '@ladderlog/core';
import type { EventLog, LogRecord } from '@ladderlog/log';
import { positionsAt, positionsAtEnd, positionsFromBeginning } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';
import type { Logger } from 'pino';
import type { LiveMarket } from './markets.ts';
import { LiveMarkets } from './markets.ts';
import type { Projected } from './projected.ts';
import { followProjected } from './projected.ts';
import type { Bounds } from './recent-capture.ts';
import { readRecentCapture } from './recent-capture.ts';
import { readMarket, readMarkets, readMetadata } from './tables.ts';
import type { Tail } from './tail.ts';
import { createTail } from './tail.ts';

export type LiveOptions = {
  readonly log: EventLog;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The tables; without them only the log is read. */
  readonly store?: Store;
  /** The next offset that the tables lack, of each partition they have begun. The log is read from there on. */
  readonly projected?: () => Promise<readonly Position[]>;
  /** Without tables: how much of the log is read to know markets, books and gaps. Default two hours. */
  readonly warmUpMs?: number;
  /** Only markets with a book since so many days are read from the tables at the start. Default 2. */
  readonly days?: number;
  /** Markets in memory; those quiet for longest go first. Default 50,000. */
  readonly maxMarkets?: number;
  /** A capture that gave no sign for so long counts as dead. Default a minute. */
  readonly silentMs?: number;
};

/** A record of the tail, and the state of its market with it. */
export type LiveRecord = {
  readonly position: Position;
  readonly record: LogRecord;
  /** Of the partition, when the record was read. */
  readonly end: number;
  /** Null where it is unreadable, or of a type that tells nothing of a market's state. */
  readonly event: LadderEvent | null;
  /** By marketKey; null with an event of no market. */
  readonly key: string | null;
  readonly state: MarketState | null;
};

export type LiveListener = {
  /** Every record of the venues' topics, in the order of the log. Synchronous and quick. */
  onRecord(record: LiveRecord): void;
  /** From time to time; the tail waits for it. */
  onSlice?(): Promise<void> | null;
};

export type Live = Pick<Tail, 'next' | 'partitions' | 'caughtUp'> & {
  readonly markets: Pick<LiveMarkets, 'find' | 'state' | 'states' | 'size'>;
  readonly statuses: Statuses;
  /** Where the reading of the log began. */
  began(topic: string, partition: number): number;
  /** The next offset that the tables lack; null where that is not known. */
  projected(topic: string, partition: number): number | null;
  /** What the tables have of a market that memory does not have as a whole. */
  load(
    generation: number,
    venue: Venue,
    market: string,
    metadata: Placed<MarketObserved> | null,
  ): Promise<LiveMarket>;
  /** From memory or from the tables. */
  metadata(venue: Venue, market: string): Promise<MarketObserved | null>;
  /** From the next record on; gives what ends it. */
  listen(listener: LiveListener): () => void;
  /** Begins to read the log. Who listens before this misses nothing. */
  follow(): void;
  close(): Promise<void>;
};

/** Types that change the state of a market; the others are passed over by their schema id. */
const FOLDED: ReadonlySet<EventType | null> = new Set<EventType>([
  'BookObserved',
  'MarketObserved',
  'CaptureStarted',
  'CaptureBeat',
  'CaptureStopped',
  'GapOpened',
  'GapClosed',
]);

const MAX_MARKETS = 50_000;
const WARM_UP_MS = 7_200_000;
const DAY: Micros = 86_400_000_000;
const DROP_EVERY_MS = 60_000;

export async function openLive(options: LiveOptions): Promise<Live> {
  const { log, logger, clock, store } = options;
  const silentMs = options.silentMs ?? SILENT_MS;
  const markets = new LiveMarkets(options.maxMarkets ?? MAX_MARKETS);
  const statuses = new Statuses(clock, silentMs);
  // Before the rows: what was projected in between is then seen twice, which changes nothing.
  const projected = await followProjected(options.projected, logger);
  const bounds = await boundsOf(options, projected);
  const apply = (event: LadderEvent, position: Position): ReturnType<LiveMarkets['apply']> => {
    const change = markets.apply(event, position);
    if (change) statuses.update(change.before, change.after);
    return change;
  };
  await readRecentCapture(log, bounds, silentMs * 1_000, apply);
  if (store) {
    const since = clock() - (options.days === undefined ? KEPT : options.days * DAY);
    for (const { venue, market, rows } of await readMarkets(store, await store.generation(), since)) {
      const next = startOf(bounds, venue, log.partitionOf(venue, market));
      // A market without a book may have older ones in the tables.
      const whole = rows.books.length > 0 ? next : null;
      const change = markets.addRows(venue, market, rows, { next, projected: whole, now: clock() });
      statuses.update(change.before, change.after);
    }
  }
  const listeners = new Set<LiveListener>();
  const tail = createTail(
    log,
    bounds.start,
    bounds.ends,
    {
      onRecord(topic, partition, record, end) {
        const position = { topic, partition, offset: record.offset };
        const event = FOLDED.has(record.type) && record.decoded.ok ? record.decoded.event : null;
        const change = event && apply(event, position);
        const given = {
          position,
          record,
          end,
          event,
          key: change?.key ?? null,
          state: change?.after ?? null,
        };
        for (const listener of listeners) listener.onRecord(given);
      },
      onSlice: () => settled(listeners),
    },
    logger,
  );
  const dropping = setInterval(() => markets.dropOver(clock()), DROP_EVERY_MS).unref();
  return {
    markets,
    statuses,
    next: tail.next,
    partitions: tail.partitions,
    caughtUp: tail.caughtUp,
    began: (topic, partition) => startOf(bounds, topic, partition),
    projected: projected.next,
    async load(generation, venue, market, metadata) {
      const partition = log.partitionOf(venue, market);
      const reached = projected.next(venue, partition);
      // First the place in memory: from here on the tail fills it.
      markets.open(venue, market, tail.next(venue, partition));
      const rows = store ? await readMarket(store, { generation, venue, market }) : NO_ROWS;
      const next = tail.next(venue, partition);
      markets.addRows(venue, market, { ...rows, metadata }, { next, projected: reached, now: clock() });
      return markets.find(venue, market)!;
    },
    async metadata(venue, market) {
      const known = markets.find(venue, market)?.state.metadata;
      return (known ?? (store ? await readMetadata(store, venue, market) : null))?.event ?? null;
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    follow: tail.follow,
    async close() {
      clearInterval(dropping);
      projected.stop();
      await tail.close();
    },
  };
}

const NO_ROWS = { books: [], metadata: null, gaps: [], lastSeen: [] };

/** Waits for the listeners that ask for it; null where none does. */
function settled(listeners: ReadonlySet<LiveListener>): Promise<void> | null {
  let waiting: Promise<void> | null = null;
  for (const listener of listeners) {
    const one = listener.onSlice?.() ?? null;
    if (one) waiting = waiting ? Promise.all([waiting, one]).then(() => undefined) : one;
  }
  return waiting;
}

/** Where the tables end; a partition that they have not begun is read from its beginning. Without tables: by time. */
async function boundsOf({ log, clock, store, warmUpMs }: LiveOptions, projected: Projected): Promise<Bounds> {
  const begins = await positionsFromBeginning(log, VENUES);
  const ends = await positionsAtEnd(log, VENUES);
  const warm = store ? null : await positionsAt(log, VENUES, clock() - (warmUpMs ?? WARM_UP_MS) * 1_000);
  const start = ends.map((end, at) => {
    const begin = begins[at]!.offset;
    const wanted = warm ? warm[at]!.offset : (projected.next(end.topic, end.partition) ?? begin);
    return { ...end, offset: Math.min(Math.max(wanted, begin), end.offset) };
  });
  return { begins, start, ends };
}

const startOf = ({ start }: Bounds, topic: string, partition: number): number =>
  start.find((one) => one.topic === topic && one.partition === partition)?.offset ?? 0;
