// The live feed beside the API: its counters, and what the tables know at the start, so that the tail of the log is read from
// where the tables end and not from further back.

import { fromBookRow } from '@ladderlog/api';
import type { LatestBookRow } from '@ladderlog/api';
import type { Clock, GapOpened, GapRow, Position, Venue } from '@ladderlog/core';
import { VENUES, marketFromRow } from '@ladderlog/core';
import type { FeedObserver, FeedStart, KnownMarket } from '@ladderlog/feed';
import type { EventLog } from '@ladderlog/log';
import type { CursorStore } from '@ladderlog/projector';
import type { MarketRecord, Store } from '@ladderlog/store';
import { gapsPage, latestRows, marketById, marketRows } from '@ladderlog/store';
import type { Registry } from 'prom-client';
import { Counter, Gauge } from 'prom-client';

export function feedObserver(registry: Registry): FeedObserver {
  const registers = [registry];
  const clients = new Gauge({
    name: 'ladderlog_feed_clients',
    help: 'Clients of the live feed.',
    registers,
  });
  const messages = new Counter({
    name: 'ladderlog_feed_messages_total',
    help: 'Messages of the log sent to clients.',
    registers,
  });
  const bytes = new Counter({ name: 'ladderlog_feed_bytes_total', help: 'Bytes of them.', registers });
  const conflated = new Counter({
    name: 'ladderlog_feed_conflated_total',
    help: 'Messages that slow clients did not get.',
    registers,
  });
  const closed = new Counter({
    name: 'ladderlog_feed_closed_total',
    help: 'Connections ended, by close code.',
    labelNames: ['code'] as const,
    registers,
  });
  return {
    onClients: (count) => clients.set(count),
    onSent: (count, size) => {
      messages.inc(count);
      bytes.inc(size);
    },
    onConflated: (count) => conflated.inc(count),
    onClosed: (code) => closed.inc({ code: String(code) }),
  };
}

/** Books older than this are nobody's current book. */
const RECENT = 2 * 86_400_000_000;
const GAPS_A_PAGE = 1_000;

/** Null where the tables have nothing to begin with; then the feed reads the log. */
export async function feedStart(
  log: EventLog,
  store: Store,
  cursors: CursorStore,
  clock: Clock,
): Promise<FeedStart | null> {
  const generation = await store.generation();
  // Before the rows: what was projected in between is then seen twice, which changes nothing.
  const positions: Position[] = (await cursors.list(generation)).map(({ topic, partition, hwm }) => ({
    topic,
    partition,
    offset: hwm + 1,
  }));
  if (positions.length === 0) return null;
  // A partition that the projector has not begun is read from its beginning.
  for (const { topic, partitions } of await log.topics())
    if ((VENUES as readonly string[]).includes(topic))
      for (const { partition, begin } of partitions)
        if (!positions.some((one) => one.topic === topic && one.partition === partition))
          positions.push({ topic, partition, offset: begin });
  const options = { name: 'feed.start', deadlineMs: 120_000 };
  const since = clock() - RECENT;
  const markets = (await store.query<MarketRecord>(marketRows({ generation, since }), options)).map(known);
  const books: FeedStart['books'][number][] = [];
  for (const venue of VENUES)
    for (const row of await store.query<LatestBookRow>(latestRows({ generation, since, venue }), options))
      books.push({
        event: fromBookRow(row),
        position: { topic: String(row.topic), partition: row.partition, offset: row.offset },
      });
  return { positions, markets, books, gaps: await openGaps(log, store, generation, positions, clock()) };
}

const known = (row: MarketRecord): KnownMarket => ({
  venue: row.venue as Venue,
  market: row.market,
  asset: row.asset,
  window: row.window,
  status: row.status,
  closesAt: row.closes_at,
  identity: marketFromRow(row).event,
});

async function openGaps(
  log: EventLog,
  store: Store,
  generation: number,
  positions: readonly Position[],
  now: number,
): Promise<FeedStart['gaps']> {
  const gaps: FeedStart['gaps'][number][] = [];
  let after: { fromAt: number; gapId: string } | null = null;
  do {
    const page: GapRow[] = await store.query<GapRow>(
      gapsPage({ generation, dataset: 'books', from: now, to: now + 1, after, limit: GAPS_A_PAGE }),
      { name: 'feed.start', deadlineMs: 120_000 },
    );
    for (const row of page)
      if (row.to_at === null) gaps.push({ event: gapEvent(row), position: placeOf(log, positions, row) });
    const last = page.at(-1);
    after = page.length === GAPS_A_PAGE && last ? { fromAt: last.from_at, gapId: last.gap_id } : null;
  } while (after);
  return gaps;
}

/** The tables do not say where in the log a gap opened: its seq is where they end, which is where this is known. */
function placeOf(log: EventLog, positions: readonly Position[], row: GapRow): Position {
  const partition = log.partitionOf(row.venue, row.market);
  const next = positions.find((one) => one.topic === row.venue && one.partition === partition)?.offset ?? 0;
  return { topic: row.venue, partition, offset: Math.max(0, next - 1) };
}

const gapEvent = (row: GapRow): GapOpened => ({
  type: 'GapOpened',
  venue: row.venue,
  market: row.market,
  observedAt: row.from_at,
  sourceTs: null,
  session: row.last_before_session ?? '',
  ordinal: 0,
  provenance: 'captured',
  gapId: row.gap_id,
  dataset: row.dataset,
  outcome: row.outcome === '' ? null : row.outcome,
  cause: row.cause,
  scope: row.scope,
  from: row.from_at,
  lastBefore:
    row.last_before_at === null
      ? null
      : { session: row.last_before_session ?? '', ordinal: 0, observedAt: row.last_before_at },
  detail: row.detail === '' ? null : row.detail,
});

/** For subscriptions that resume so far back that the feed has forgotten the market. */
export async function catalogueMarket(
  store: Store,
  venue: Venue,
  market: string,
): Promise<KnownMarket | null> {
  const [row] = await store.query<MarketRecord>(
    marketById({ generation: await store.generation(), venue, market }),
    { name: 'feed.market', deadlineMs: 5_000 },
  );
  return row ? known(row) : null;
}
