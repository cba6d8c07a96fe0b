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
import type { EventLog, LogBatch, LogRecord } from '@ladderlog/log';
import { positionsAt, positionsAtEnd, positionsFromBeginning } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';
import type { Logger } from 'pino';
import type { LiveChange, LiveMarket } from './markets.ts';
import { LiveMarkets } from './markets.ts';
import type { Projected } from './projected.ts';
import { followProjected } from './projected.ts';
import type { Bounds } from './recent-capture.ts';
import { readRecentCapture } from './recent-capture.ts';
import { readMarket, readMarkets, readMetadata } from './tables.ts';
import { Tail } from './tail.ts';

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
  onRecord?(record: LiveRecord): void;
  /** The same records, some at a time, after everybody heard them one by one. */
  onSlice?(slice: LogBatch): void;
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

export class Live {
  readonly statuses: Statuses;
  private readonly options: LiveOptions;
  private readonly known: LiveMarkets;
  private readonly tables: Projected;
  private readonly bounds: Bounds;
  private readonly tail: Tail;
  private readonly listeners = new Set<LiveListener>();
  private readonly dropping: NodeJS.Timeout;

  /** Use openLive. */
  constructor(options: LiveOptions, tables: Projected, bounds: Bounds) {
    const { clock, log, logger } = options;
    this.options = options;
    this.tables = tables;
    this.bounds = bounds;
    this.known = new LiveMarkets(options.maxMarkets ?? MAX_MARKETS);
    this.statuses = new Statuses(clock, options.silentMs ?? SILENT_MS);
    const handler = {
      onRecord: (topic: string, partition: number, record: LogRecord, end: number) =>
        this.tell({ topic, partition, offset: record.offset }, record, end),
      onSlice: (slice: LogBatch) => {
        for (const listener of this.listeners) listener.onSlice?.(slice);
      },
    };
    this.tail = new Tail(log, bounds, handler, logger);
    this.dropping = setInterval(() => this.known.dropOver(clock()), DROP_EVERY_MS).unref();
  }

  get markets(): Pick<LiveMarkets, 'find' | 'state' | 'states' | 'size'> {
    return this.known;
  }

  /** Resolved when everything that was in the log at the start is known. */
  get caughtUp(): Promise<void> {
    return this.tail.caughtUp;
  }

  /** The next offset that will be read. */
  next(topic: string, partition: number): number {
    return this.tail.next(topic, partition);
  }

  partitions(topic: string): number {
    return this.tail.partitions(topic);
  }

  /** Where the reading of the log began. */
  began(topic: string, partition: number): number {
    const { start } = this.bounds;
    return start.find((one) => one.topic === topic && one.partition === partition)?.offset ?? 0;
  }

  /** The next offset that the tables lack; null where that is not known. */
  projected(topic: string, partition: number): number | null {
    return this.tables.next(topic, partition);
  }

  /** Whoever fills the tables in this process says how far they are. */
  tablesReached(positions: readonly Position[]): void {
    this.tables.reached(positions);
  }

  /** Before the log is followed: who records what, and all that the tables have. */
  async hydrate(): Promise<void> {
    const { log, clock, store, days } = this.options;
    const span = (this.options.silentMs ?? SILENT_MS) * 1_000;
    await readRecentCapture(log, this.bounds, span, (event, position) => this.apply(event, position));
    if (!store) return;
    const since = clock() - (days === undefined ? KEPT : days * DAY);
    for (const { venue, market, rows } of await readMarkets(store, await store.generation(), since)) {
      const next = this.began(venue, log.partitionOf(venue, market));
      // A market without a book may have older ones in the tables.
      const projected = rows.books.length > 0 ? next : null;
      const change = this.known.addRows(venue, market, rows, { next, projected, now: clock() });
      this.statuses.update(change.before, change.after);
    }
  }

  /** Reads what the tables have of a market that memory does not have as a whole. */
  async load(
    generation: number,
    venue: Venue,
    market: string,
    metadata: Placed<MarketObserved> | null,
  ): Promise<LiveMarket> {
    const { log, store, clock } = this.options;
    const partition = log.partitionOf(venue, market);
    const projected = this.projected(venue, partition);
    // First the place in memory: from here on the tail fills it.
    this.known.open(venue, market, this.next(venue, partition));
    const rows = store ? await readMarket(store, { generation, venue, market }) : NO_ROWS;
    const next = this.next(venue, partition);
    this.known.addRows(venue, market, { ...rows, metadata }, { next, projected, now: clock() });
    return this.known.find(venue, market)!;
  }

  /** From memory or from the tables. */
  async metadata(venue: Venue, market: string, signal?: AbortSignal): Promise<MarketObserved | null> {
    const { store } = this.options;
    const known = this.known.find(venue, market)?.state.metadata;
    return (known ?? (store ? await readMetadata(store, venue, market, signal) : null))?.event ?? null;
  }

  /** From the next record on; gives what ends it. */
  listen(listener: LiveListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * The recorder does not answer since then, as its supervisor found: feed states, health, latest books and coverage say so at
   * once, long before its silence in the log would. Null: it answers again.
   */
  unheard(since: Micros | null): void {
    this.statuses.unheard(since);
  }

  /** Begins to read the log. Who listens before this misses nothing. */
  follow(): void {
    this.tail.follow();
  }

  async close(): Promise<void> {
    clearInterval(this.dropping);
    this.tables.stop();
    await this.tail.close();
  }

  private tell(position: Position, record: LogRecord, end: number): void {
    const event = FOLDED.has(record.type) && record.decoded.ok ? record.decoded.event : null;
    const change = event && this.apply(event, position);
    const given = { position, record, end, event, key: change?.key ?? null, state: change?.after ?? null };
    for (const listener of this.listeners) listener.onRecord?.(given);
  }

  private apply(event: LadderEvent, position: Position): LiveChange | null {
    const change = this.known.apply(event, position);
    if (change) this.statuses.update(change.before, change.after);
    if (event.type === 'BookObserved') this.statuses.observed(event);
    return change;
  }
}

/** With what the tables and the newest capture events say; it follows the log when told to. */
export async function openLive(options: LiveOptions): Promise<Live> {
  // Before the rows: what was projected in between is then seen twice, which changes nothing.
  const tables = await followProjected(options.projected, options.logger);
  const live = new Live(options, tables, await boundsOf(options, tables));
  try {
    await live.hydrate();
    return live;
  } catch (error) {
    await live.close();
    throw error;
  }
}

const NO_ROWS = { books: [], metadata: null, gaps: [], lastSeen: [] };

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
