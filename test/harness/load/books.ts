// Made-up books of real size, as venues B and C send them: deltas on 99+99 levels, and whole books of 40+40 levels (2.9 KB).

import type { FrameB } from '../../../packages/core/src/venues/venue-b/server-socket.ts';
import type { FrameC } from '../../../packages/core/src/venues/venue-c/server-socket.ts';

const LEVELS_B = 99;
const LEVELS_C = 40;
/** Different books of each token; the next one always differs from the one before. */
const VARIANTS = 8;

export const random = (seed: number) => (): number =>
  (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;

/** Half cents up to 0.495, so that no bid meets an ask. */
const priceB = (level: number): string => ((level + 1) / 200).toFixed(4);

/** A book that is changed level by level. */
export class BookB {
  readonly market: string;
  private readonly ids: { readonly market_ticker: string; readonly market_id: string };
  private readonly next: () => number;
  private readonly sizes: Readonly<Record<'yes' | 'no', number[]>>;

  constructor(market: string, alias: string, seed: number) {
    this.market = market;
    this.ids = { market_ticker: market, market_id: alias };
    this.next = random(seed);
    const side = (): number[] =>
      Array.from({ length: LEVELS_B }, () => Math.round(this.next() * 90_000) + 10_000);
    this.sizes = { yes: side(), no: side() };
  }

  private pairs(side: 'yes' | 'no'): [string, string][] {
    return this.sizes[side].map((size, level) => [priceB(level), (size / 100).toFixed(2)]);
  }

  snapshot(): FrameB {
    const msg = { ...this.ids, yes_dollars_fp: this.pairs('yes'), no_dollars_fp: this.pairs('no') };
    return {
      channel: 'orderbook_delta',
      type: 'orderbook_snapshot',
      market: this.market,
      msg,
      yesPrices: false,
    };
  }

  /** As REST answers. */
  orderbook(): object {
    return { orderbook_fp: { yes_dollars: this.pairs('yes'), no_dollars: this.pairs('no') } };
  }

  delta(atMs: number, iso: string): FrameB {
    const side = this.next() < 0.5 ? 'yes' : 'no';
    const level = Math.floor(this.next() * LEVELS_B);
    this.sizes[side][level]! += 100;
    const change = { price_dollars: priceB(level), delta_fp: '1.00', side };
    return {
      channel: 'orderbook_delta',
      type: 'orderbook_delta',
      market: this.market,
      msg: { ...this.ids, ...change, ts: iso, ts_ms: atMs },
      yesPrices: false,
    };
  }
}

/** A book that is sent whole; its texts are made once, all but the time. */
export class BookC {
  readonly market: string;
  readonly token: string;
  private readonly before: string;
  private readonly after: readonly string[];
  private turn = 0;

  constructor(market: string, token: string, seed: number) {
    this.market = market;
    this.token = token;
    const next = random(seed);
    const side = (best: number, step: number): { price: string; size: string }[] =>
      Array.from({ length: LEVELS_C }, (_, level) => ({
        price: ((best + step * level) / 100).toFixed(2),
        size: (next() * 900 + 1).toFixed(2),
      })).reverse();
    this.before = `{"market":"${market}","asset_id":"${token}","timestamp":"`;
    this.after = Array.from({ length: VARIANTS }, () => {
      const book = { bids: side(49, -1), asks: side(51, 1) };
      const rest = { event_type: 'book', tick_size: '0.01', last_trade_price: '0.500' };
      return `","hash":"0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",${JSON.stringify({ ...book, ...rest }).slice(1)}`;
    });
  }

  /** The newest one, for who begins to watch. */
  current(atMs: number): FrameC {
    const text = `${this.before}${atMs}${this.after[this.turn]}`;
    return { tokens: [this.token], market: this.market, text, custom: false };
  }

  change(atMs: number): FrameC {
    this.turn = (this.turn + 1) % VARIANTS;
    return this.current(atMs);
  }
}
