// A replay as messages of the live feed, with the `replay` flag. What a market was is folded as the replay goes, beginning with
// what the log knew of it when the range began: no message knows the future.

import type { EventType, MarketState, Micros, Position, StreamEvent, VenueEvent } from '@ladderlog/core';
import { Markets, STREAM_TYPES, streamText, withoutNative } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { ReplayRange } from '../source/source.ts';
import { replayBatches } from '../source/source.ts';
import { marketsBefore, marketsOfAssets } from '../source/markets.ts';

export type ReplayRequest = Omit<ReplayRange, 'types'> & {
  readonly assets?: readonly string[];
  readonly windows?: readonly string[];
  /** How far before `from` metadata is looked for; 0: not at all. Default a week. */
  readonly lookback?: Micros;
};

/** An event in its turn, and the state of its market before it and with it. */
export type ReplayStep = {
  readonly event: VenueEvent;
  readonly position: Position;
  readonly time: Micros;
  readonly before: MarketState | null;
  readonly state: MarketState;
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

/** So often markets that are over are looked for and dropped. */
const DROP_EVERY = 100_000;

/** All venue events of these types, also those that are no messages. */
export async function* replaySteps(
  log: EventLog,
  request: ReplayRequest,
  types: ReadonlySet<EventType>,
): AsyncGenerator<ReplayStep[]> {
  const markets = await resolveMarkets(log, request);
  const states = request.lookback === 0 ? new Markets() : await marketsBefore(log, request);
  let played = 0;
  const range: ReplayRange = { ...request, ...(markets ? { markets } : {}), types };
  for await (const items of replayBatches(log, range))
    yield items.map(({ event, position, time }) => {
      const folded = event.type === 'MarketObserved' ? withoutNative(event) : event;
      if (++played % DROP_EVERY === 0) states.dropOver(event.observedAt);
      const { before, after } = states.apply(folded, position, played)!;
      return { event, position, time, before, state: after };
    });
}

export const replayMessages = (log: EventLog, request: ReplayRequest): AsyncGenerator<ReplayMessage[]> =>
  replaySteps(log, request, TYPES) as AsyncGenerator<ReplayMessage[]>;

export const isMessage = (step: ReplayStep): step is ReplayMessage => STREAM_TYPES.has(step.event.type);

export const messageText = ({ event, position, state }: ReplayMessage): string =>
  streamText(event, position, state.metadata?.event ?? null, { replay: true });
