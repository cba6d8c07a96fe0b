// What a simulated venue needs: which markets it lists, what it calls them, when they end, and the simulated market in the
// venue's own words (venue-x/simulate.ts). The market behind it, its order flow and its faults are in packages/simulators.

import type { Venue } from '../../events/events.ts';
import { toIso } from '../../kernel/time.ts';
import type { RestAnswer, RestRequest, ServerPrimitives, VenueFrame } from './server.ts';
import type { GridName, Side, SimBook } from './sim-book.ts';

export type WindowName = '5m' | '15m' | '1h';

/** A series as a venue plans it. */
export type SeriesPlan = {
  readonly window: WindowName;
  /** `ladder`: one event of several strikes. */
  readonly kind: 'updown' | 'ladder';
  /** The venue's own name: `btc-up-or-down-5m`, `KXBTC15M`. */
  readonly name: string;
  readonly grid: GridName;
};

export type Series = SeriesPlan & {
  readonly venue: Venue;
  readonly asset: string;
  readonly durationMs: number;
  /** Number among the venue's series, for the numeric ids. */
  readonly index: number;
};

/** What a venue calls one market of a window. Empty text where it has no such name. */
export type SimIdentity = {
  /** Native market id. */
  readonly id: string;
  /** The event that the market belongs to. */
  readonly eventId: string;
  readonly slug: string;
  /** A second id of the market. */
  readonly alias: string;
  readonly conditionId: string;
  /** Both outcome tokens. */
  readonly tokens: readonly [string, string];
  readonly title: string;
  /** Strike of a ladder market; null where the price at the start is the strike. */
  readonly strike: number | null;
};

export type SimMarket = SimIdentity & {
  readonly venue: Venue;
  readonly series: Series;
  readonly listMs: number;
  readonly startMs: number;
  readonly endMs: number;
  /** Trading stops here; on some venues it runs on past the end. */
  readonly stopMs: number;
  readonly resolveMs: number;
};

export type Phase = 'unlisted' | 'listed' | 'live' | 'trailing' | 'closed' | 'resolved';

export function phaseAt(market: SimMarket, atMs: number): Phase {
  if (atMs < market.listMs) return 'unlisted';
  if (atMs < market.startMs) return 'listed';
  if (atMs < market.endMs) return 'live';
  if (atMs < market.stopMs) return 'trailing';
  return atMs < market.resolveMs ? 'closed' : 'resolved';
}

export type SimMarketState = {
  readonly market: SimMarket;
  /** Prices of the first outcome. Null for markets that were over before the simulation began. */
  readonly book: SimBook | null;
  /** Time of the newest change of the book. */
  readonly updatedMs: number;
  /** Updates so far: the seed of everything optional in the wire text. */
  readonly updates: number;
  readonly lastTrade: number | null;
  /** Shares traded, 1e-6. */
  readonly volume: number;
  readonly trades: number;
};

/** 0: the first outcome (Up, YES) won; 1: the other; `split`: a tie, where the venue has such an end. */
export type Winner = 0 | 1 | 'split';

/** Something that happens in the simulated market. Prices and sizes are integers of 1e-6. */
export type SimMarketEvent = { readonly at: number; readonly state: SimMarketState } & (
  | {
      readonly kind: 'change';
      readonly side: Side;
      readonly price: number;
      /** The new total. */
      readonly size: number;
      readonly delta: number;
    }
  | { readonly kind: 'trade'; readonly price: number; readonly size: number; readonly taker: 'buy' | 'sell' }
  /** The last event of one update of a book. */
  | { readonly kind: 'updated'; readonly traded: boolean }
  | { readonly kind: 'tick'; readonly from: number; readonly to: number }
  | { readonly kind: 'listed' | 'opened' | 'ended' | 'stopped' | 'resolved' }
);

/** The simulated markets of one venue. */
export type SimulatedMarkets = {
  /** Every duration is divided by it. */
  readonly scale: number;
  readonly primitives: ServerPrimitives;
  readonly series: readonly Series[];
  now(): number;
  /** The time that the venue states for a time of the market; a fault may move it. */
  stamp(ms: number): number;
  state(id: string): SimMarketState | undefined;
  /** Every market of the catalogue, by window start; `listed` are those that the venue shows by now. */
  states(): SimMarketState[];
  listed(): SimMarketState[];
  price(asset: string, atMs: number): number;
  /** Fixed for a ladder, else the price when the window began; null before that. */
  strike(market: SimMarket): number | null;
  /** Null before the window ended. */
  winner(market: SimMarket): Winner | null;
};

/** The simulated markets in the venue's words. */
export type SimulatedVenue<F extends VenueFrame = VenueFrame> = {
  /** `isHeard`: some client is connected; else no frame need be made. */
  on(event: SimMarketEvent, isHeard: boolean): readonly F[];
  /** What a client gets at once for ids that it newly watches. */
  initial(ids: readonly string[]): readonly F[];
  /** Null: the venue has no such route. */
  rest(request: RestRequest): RestAnswer | null;
};

/** One window of a series, to be named. */
export type SimWindow = {
  readonly series: Series;
  readonly startMs: number;
  readonly endMs: number;
  /** SHA-256 of seed, venue, series and start. */
  readonly digest: string;
  /** Differs between all windows of a venue. */
  readonly ordinal: number;
  /** Price of the asset when the window was listed. */
  readonly reference: number;
  sha256(text: string): string;
};

export type VenueSimulatePart<F extends VenueFrame = VenueFrame> = {
  /** Listed unless told otherwise. */
  readonly assets: readonly string[];
  series(asset: string): readonly SeriesPlan[];
  markets(window: SimWindow): readonly SimIdentity[];
  /** How long trading goes on after the end of a window. */
  readonly trailingMs: number;
  /** From the end of trading to the resolution. */
  readonly resolutionMs: number;
  /** False: books are empty until their window begins. */
  readonly tradesBeforeStart: boolean;
  readonly hasSplit: boolean;
  /** True: the price grid becomes finer near 0 and 1. */
  readonly refinesTick: boolean;
  /** Which sizes are not whole: the part with six decimals, and of the rest the part with two. */
  readonly sizes: { readonly sixDecimals: number; readonly twoDecimals: number };
  /** Texts that faults send: one that is no JSON, and JSON of a kind that nobody knows. */
  readonly garbage: string;
  readonly unknownMessage: string;
  /** A frame that no book can hold, a size below zero. The book behind it is not touched. Null: the venue sends no frames. */
  impossibleFrame(state: SimMarketState, at: number): F | null;
  /** What clients subscribe to for this market: its id, or a token. */
  watchedId(market: SimMarket): string;
  /** By setting name. */
  credentials(seed: number, primitives: ServerPrimitives): Readonly<Record<string, string>>;
  open(markets: SimulatedMarkets): SimulatedVenue<F>;
};

const NAMES: Readonly<Record<string, string>> = {
  BTC: 'Bitcoin',
  ETH: 'Ethereum',
  BNB: 'BNB',
  SOL: 'Solana',
  XRP: 'XRP',
  DOGE: 'Dogecoin',
  HYPE: 'Hyperliquid',
};
export const assetName = (asset: string): string => NAMES[asset] ?? asset;

/** `2026-11-15T00:05:00.000Z` of milliseconds. */
export const isoOf = (ms: number): string => toIso(ms * 1_000);
/** Whole seconds: `2026-11-15T00:05:00Z`. */
export const isoSeconds = (ms: number): string => isoOf(ms).replace('.000Z', 'Z');
