// A replay as messages of the live feed, with the `replay` flag. What a market was is folded as the replay goes, beginning with
// what the log knew of it when the range began: no message knows the future.

import type { EventType, Micros, Position, StreamEvent, VenueEvent } from '@ladderlog/core';
import { STREAM_TYPES, streamText } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { ReplayRange } from '../source/source.ts';
import { replayBatches } from '../source/source.ts';
import type { KnownMarket } from '../source/markets.ts';
import { identitiesBefore, knownMarket, marketKey, marketsOfAssets } from '../source/markets.ts';

export type ReplayRequest = Omit<ReplayRange, 'types'> & {
  readonly assets?: readonly string[];
  readonly windows?: readonly string[];
  /** How far before `from` metadata is looked for; 0: not at all. Default a week. */
  readonly lookback?: Micros;
};

/** An event in its turn, and what was known of its market then. */
export type ReplayStep = {
  readonly event: VenueEvent;
  readonly position: Position;
  readonly time: Micros;
  readonly known: KnownMarket | null;
};
export type ReplayMessage = ReplayStep & { readonly event: StreamEvent };

const TYPES = STREAM_TYPES as ReadonlySet<EventType>;

/** Assets and windows as market ids; the request itself when it names none. Null: nothing matches. */
async function resolveMarkets(log: EventLog, request: ReplayRequest): Promise<readonly string[] | undefined> {
  if (!request.assets && !request.windows) return request.markets;
  const found = await marketsOfAssets(log, request);
  const { markets } = request;
  return markets ? found.filter((market) => markets.includes(market)) : found;
}

/** All venue events of these types, also those that are no messages. */
export async function* replaySteps(
  log: EventLog,
  request: ReplayRequest,
  types: ReadonlySet<EventType>,
): AsyncGenerator<ReplayStep[]> {
  const markets = await resolveMarkets(log, request);
  const known =
    request.lookback === 0 ? new Map<string, KnownMarket>() : await identitiesBefore(log, request);
  const range: ReplayRange = { ...request, ...(markets ? { markets } : {}), types };
  for await (const items of replayBatches(log, range))
    yield items.map(({ event, position, time }) => {
      const key = marketKey(event.venue, event.market);
      if (event.type === 'MarketObserved') known.set(key, knownMarket(event));
      return { event, position, time, known: known.get(key) ?? null };
    });
}

export const replayMessages = (log: EventLog, request: ReplayRequest): AsyncGenerator<ReplayMessage[]> =>
  replaySteps(log, request, TYPES) as AsyncGenerator<ReplayMessage[]>;

export const isMessage = (step: ReplayStep): step is ReplayMessage => STREAM_TYPES.has(step.event.type);

export const messageText = ({ event, position, known }: ReplayMessage): string =>
  streamText(event, position, known, { replay: true });
