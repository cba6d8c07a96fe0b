// One simulated venue: its protocol on sockets, with the market process behind it.

import type {
  SimMarketEvent,
  SimMarketState,
  Venue,
  VenueFrame,
  VenueServerPart,
  VenueSimulatePart,
} from '@ladderlog/core';
import { adapterOf, phaseAt } from '@ladderlog/core';
import type {
  Gate,
  LostFrame,
  NativeSource,
  SentFrame,
  ServerSettings,
  VenueServer,
} from '@ladderlog/servers';
import { nodePrimitives, startVenueServer } from '@ladderlog/servers';

import type { MarketProcess } from './market/market-process.ts';

export type SimulatedVenueOptions = {
  readonly venue: Venue;
  readonly seed: number;
  readonly scale: number;
  readonly process: MarketProcess;
  readonly host: string;
  readonly ports: Readonly<Record<string, number>>;
  readonly clock: () => number;
  readonly gate: Gate;
  /** Turns the market's time into the time that the venue states. */
  readonly stamp: (ms: number) => number;
  readonly settings: ServerSettings;
  readonly onSent: (frame: SentFrame) => void;
  readonly onLost: (frame: LostFrame) => void;
};

export class RunningVenue {
  readonly server: VenueServer;
  readonly part: VenueSimulatePart;
  /** By setting name: what a recorder of this venue is configured with. */
  readonly settings: Readonly<Record<string, string>>;
  private readonly options: SimulatedVenueOptions;
  private readonly content: ReturnType<VenueSimulatePart['open']>;
  private readonly readers: Set<(frame: VenueFrame) => void>;

  static async start(options: SimulatedVenueOptions): Promise<RunningVenue> {
    const { venue, seed, scale, process, stamp } = options;
    const { server, simulate } = adapterOf(venue);
    const content = simulate.open(process.marketsOf(venue), stamp, nodePrimitives);
    const readers = new Set<(frame: VenueFrame) => void>();
    const source: NativeSource = {
      rest: (request) => content.rest(request),
      connect(deliver) {
        readers.add(deliver);
        return { initial: (ids) => content.initial(ids), close: () => void readers.delete(deliver) };
      },
    };
    const credentials = options.settings.credentials ?? simulate.credentials(seed, nodePrimitives);
    const settings = { ...scaledLife(server, scale), ...options.settings, credentials };
    const running = await startVenueServer({ ...options, source, settings });
    return new RunningVenue(options, content, readers, running, credentials);
  }

  private constructor(
    options: SimulatedVenueOptions,
    content: RunningVenue['content'],
    readers: RunningVenue['readers'],
    server: VenueServer,
    credentials: Readonly<Record<string, string>>,
  ) {
    this.options = options;
    this.part = adapterOf(options.venue).simulate;
    this.content = content;
    this.readers = readers;
    this.server = server;
    const urls = Object.entries(server.urls).map(([name, url]) => [`${name}Url`, url] as const);
    this.settings = { ...Object.fromEntries(urls), ...credentials };
  }

  on(event: SimMarketEvent): void {
    for (const frame of this.content.on(event, this.readers.size > 0)) this.push(frame);
  }

  private push(frame: VenueFrame): void {
    for (const read of this.readers) read(frame);
  }

  /** The market a fault is to hit: the one asked for (by market or token id), or the first live two-sided one. */
  target(asked: string | null): SimMarketState | null {
    const { process, venue } = this.options;
    const isAsked = ({ market }: SimMarketState): boolean =>
      market.id === asked || market.tokens.includes(asked!);
    const isLive = ({ market, book }: SimMarketState): boolean =>
      book !== null && book.bestBid >= 0 && book.bestAsk >= 0 && phaseAt(market, process.now()) === 'live';
    return process.states(venue).find(asked === null ? isLive : isAsked) ?? null;
  }

  /** What clients watch for a market that a fault names by its id. */
  watchedId(asked: string | null): string | null {
    const market = asked === null ? undefined : this.target(asked)?.market;
    return market?.id === asked && market ? this.part.watchedId(market) : asked;
  }

  /** Sends a frame that no book can hold. Returns the market it was about; null where none could be. */
  sendImpossible(asked: string | null): string | null {
    const state = this.target(asked);
    if (!state?.book || state.book.bestBid < 0) return null;
    const { process, stamp } = this.options;
    const frame = this.part.impossibleFrame(state, stamp(process.now()));
    if (!frame) return null;
    this.push(frame);
    return state.market.id;
  }
}

/** The life of a connection is scaled with everything else. */
const scaledLife = ({ keepAlive: { lifeMs } }: VenueServerPart, scale: number): { lifeMs?: number } =>
  lifeMs === undefined ? {} : { lifeMs: lifeMs / scale };
