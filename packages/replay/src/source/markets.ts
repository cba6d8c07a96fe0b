// What the log says of the markets of a replay: which have a wanted asset or window, and who they were when the range began.

import type { MarketObserved, Micros, Position, Venue } from '@ladderlog/core';
import { Markets, emptyMarket, marketKey, withRows, withoutNative } from '@ladderlog/core';
import type { EventLog, LogRecord } from '@ladderlog/log';
import { positionsFromBeginning } from '@ladderlog/log';

export type SurveyRequest = {
  readonly venues: readonly Venue[];
  readonly from: Micros;
  readonly to: Micros;
  /** How far before `from` metadata is looked for. */
  readonly lookback?: Micros;
  readonly signal?: AbortSignal;
};

const WEEK: Micros = 7 * 86_400_000_000;

type Told = { readonly event: MarketObserved; readonly position: Position };

/** The newest metadata of each market before `from`, as far back as `lookback`, as the state of that market. */
export async function marketsBefore(log: EventLog, request: SurveyRequest): Promise<Markets> {
  const { from, lookback = WEEK } = request;
  const markets = new Markets();
  await eachMarket(log, request, { from: from - lookback, to: from }, null, ({ event, position }) => {
    const state = markets.get(event.venue, event.market) ?? emptyMarket(event.venue, event.market);
    const metadata = { event: withoutNative(event), position };
    markets.set(withRows(state, { books: [], metadata, gaps: [], lastSeen: [] }, from));
  });
  return markets;
}

/**
 * Native ids of the markets of these assets (and windows) with anything in the range. An asset never changes, so metadata of any
 * time decides; only where the range and the time just before it say nothing of a market, the whole log is read for it.
 */
export async function marketsOfAssets(
  log: EventLog,
  request: SurveyRequest & { readonly assets?: readonly string[]; readonly windows?: readonly string[] },
): Promise<string[]> {
  const { from, to, lookback = WEEK } = request;
  const seen = new Set<string>();
  const facts = new Map<string, MarketObserved>();
  const learn = ({ event }: Told): void => {
    facts.set(marketKey(event.venue, event.market), event);
  };
  await eachMarket(
    log,
    request,
    { from: from - lookback, to },
    (topic, record) => {
      if (record.time >= from && record.time < to && record.key !== '')
        seen.add(marketKey(topic, record.key));
    },
    learn,
  );
  if ([...seen].some((key) => !facts.has(key)))
    await eachMarket(log, request, { from: -Infinity, to: Infinity }, null, (one) => {
      if (!facts.has(marketKey(one.event.venue, one.event.market))) learn(one);
    });
  const assets = new Set((request.assets ?? []).map((asset) => asset.toLowerCase()));
  const { windows } = request;
  return [...facts.values()]
    .filter(
      (event) =>
        seen.has(marketKey(event.venue, event.market)) &&
        (assets.size === 0 || assets.has(event.asset?.toLowerCase() ?? '')) &&
        (!windows || windows.includes(event.window ?? '')),
    )
    .map((event) => event.market)
    .sort();
}

async function eachMarket(
  log: EventLog,
  request: SurveyRequest,
  times: { readonly from: Micros; readonly to: Micros },
  onRecord: ((topic: string, record: LogRecord) => void) | null,
  onMarket: (told: Told) => void,
): Promise<void> {
  const bounded = Number.isFinite(times.from) || Number.isFinite(times.to);
  for await (const { topic, partition, records } of log.read({
    from: await positionsFromBeginning(log, request.venues),
    ...(bounded ? { times } : {}),
    ...(request.signal ? { signal: request.signal } : {}),
  }))
    for (const record of records) {
      if (record.fault || record.time < times.from || record.time >= times.to) continue;
      onRecord?.(topic, record);
      if (record.type !== 'MarketObserved') continue;
      const decoded = record.peek();
      if (decoded.ok && decoded.event.type === 'MarketObserved')
        onMarket({
          event: decoded.event,
          position: { topic, partition, offset: record.offset },
        });
    }
}
