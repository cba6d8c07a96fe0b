// What the log says of the markets of a replay: which have a wanted asset or window, and who they were when the range began.

import type { MarketIdentity, MarketObserved, Micros, Position, Venue } from '@ladderlog/core';
import type { EventLog, LogRecord } from '@ladderlog/log';
import { positionsFromBeginning } from '@ladderlog/log';
import { inOrder } from './order.ts';

export type SurveyRequest = {
  readonly venues: readonly Venue[];
  readonly from: Micros;
  readonly to: Micros;
  /** How far before `from` metadata is looked for. */
  readonly lookback?: Micros;
  readonly signal?: AbortSignal;
};

export const marketKey = (venue: string, market: string): string => `${venue}\n${market}`;
const WEEK: Micros = 7 * 86_400_000_000;

type Known = { readonly event: MarketObserved; readonly time: Micros; readonly position: Position };

/** The newest metadata of each market before `from`, as far back as `lookback`. */
export async function identitiesBefore(
  log: EventLog,
  request: SurveyRequest,
): Promise<Map<string, KnownMarket>> {
  const { from, lookback = WEEK } = request;
  const known = new Map<string, Known>();
  await eachMarket(log, request, { from: from - lookback, to: from }, null, (one) => {
    const key = marketKey(one.event.venue, one.event.market);
    const before = known.get(key);
    if (!before || inOrder(before, one) < 0) known.set(key, one);
  });
  return new Map([...known].map(([key, { event }]) => [key, knownMarket(event)]));
}

/** Without the venue's own object, which is large. */
export type KnownMarket = MarketIdentity & Pick<MarketObserved, 'asset' | 'window' | 'status' | 'closesAt'>;

export const knownMarket = (event: MarketObserved): KnownMarket => ({
  asset: event.asset,
  window: event.window,
  status: event.status,
  closesAt: event.closesAt,
  eventId: event.eventId,
  seriesId: event.seriesId,
  conditionId: event.conditionId,
  outcomes: event.outcomes,
});

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
  const learn = ({ event }: Known): void => {
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
  onMarket: (known: Known) => void,
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
      const { decoded } = record;
      if (decoded.ok && decoded.event.type === 'MarketObserved')
        onMarket({
          event: decoded.event,
          time: record.time,
          position: { topic, partition, offset: record.offset },
        });
    }
}
