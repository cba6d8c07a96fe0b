// One simulated venue: its protocol on sockets, with the market process behind it.

import type { SimMarketEvent, SimMarketState, VenueFrame, VenueSimulatePart } from '@ladderlog/core';
import { adapterOf, phaseAt } from '@ladderlog/core';
import type { NativeSource, VenueServer, VenueServerOptions } from '@ladderlog/servers';
import { nodePrimitives, startVenueServer } from '@ladderlog/servers';

import type { FaultTarget } from './faults/faults.ts';
import type { Emit } from './market/live-market.ts';
import type { MarketProcess } from './market/market-process.ts';

export type SimulatedVenueOptions = Omit<VenueServerOptions, 'source'> & {
  readonly seed: number;
  readonly process: MarketProcess;
  /** Every duration is divided by it; market time runs `speed` times faster than the clock. */
  readonly scale: number;
  readonly speed: number;
  /** Turns the market's time into the time that the venue states. */
  readonly stamp: (ms: number) => number;
  readonly emit: Emit;
};

export type RunningVenue = FaultTarget & {
  readonly server: VenueServer;
  /** By setting name: what a recorder of this venue is configured with. */
  readonly settings: Readonly<Record<string, string>>;
  on(event: SimMarketEvent): void;
};

export async function startSimulatedVenue(options: SimulatedVenueOptions): Promise<RunningVenue> {
  const { venue, seed, scale, process, stamp, settings = {} } = options;
  const { simulate, server: part } = adapterOf(venue);
  const content = simulate.open(process.marketsOf(venue, stamp));
  const readers = new Set<(frame: VenueFrame) => void>();
  const source: NativeSource = {
    rest: (request) => content.rest(request),
    connect(deliver) {
      readers.add(deliver);
      return { initial: (ids) => content.initial(ids), close: () => void readers.delete(deliver) };
    },
  };
  const push = (frame: VenueFrame): void => readers.forEach((read) => read(frame));
  const credentials = settings.credentials ?? simulate.credentials(seed, nodePrimitives);
  const { lifeMs } = part.keepAlive;
  const life = lifeMs === undefined ? {} : { lifeMs: lifeMs / scale };
  const server = await startVenueServer({
    ...options,
    source,
    settings: { ...life, ...settings, credentials },
  });
  const urls = Object.entries(server.urls).map(([name, url]) => [`${name}Url`, url] as const);
  return {
    server,
    settings: { ...Object.fromEntries(urls), ...credentials },
    on: (event) => content.on(event, readers.size > 0).forEach(push),
    ...faultTarget(options, simulate, server, push),
  };
}

function faultTarget(
  { process, venue, speed, stamp, emit }: SimulatedVenueOptions,
  part: VenueSimulatePart,
  { clients }: VenueServer,
  push: (frame: VenueFrame) => void,
): FaultTarget {
  const isLive = ({ market, book }: SimMarketState): boolean =>
    book !== null &&
    book.best('bid') >= 0 &&
    book.best('ask') >= 0 &&
    phaseAt(market, process.now()) === 'live';
  /** The market to hit: the one asked for (by market or token id), or the first live two-sided one. */
  const find = (asked: string | null): SimMarketState | undefined =>
    process
      .states(venue)
      .find((state) =>
        asked === null ? isLive(state) : [state.market.id, ...state.market.tokens].includes(asked),
      );
  return {
    clients,
    send(text, asked) {
      const market = asked === null ? undefined : find(asked)?.market;
      return clients.broadcast(part[text], market?.id === asked ? part.watchedId(market!) : asked);
    },
    choose() {
      const state = find(null);
      return state ? part.watchedId(state.market) : null;
    },
    cross(asked, durationMs) {
      const state = find(asked);
      return state && process.cross(state, durationMs * speed, emit) ? state.market.id : null;
    },
    sendImpossible(asked) {
      const state = find(asked);
      const frame =
        state?.book && state.book.best('bid') >= 0 && part.impossibleFrame(state, stamp(process.now()));
      if (!frame) return null;
      push(frame);
      return state.market.id;
    },
  };
}
