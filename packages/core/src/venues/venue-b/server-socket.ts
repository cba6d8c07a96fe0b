// One client's WebSocket of venue B: commands, and subscriptions that each count their own sequence.

import { complement, decimal, formatMicro, type Micro } from '../../kernel/decimal.ts';
import { isObject, parseJson, type JsonObject } from '../../kernel/exact-json.ts';
import {
  isLost,
  sendControl,
  sendData,
  type Client,
  type Output,
  type ServerSocket,
} from '../serving/server.ts';

/** Numbers as the venue writes them: `0.5300` dollars, `212.50` contracts. */
export const dollars = (price: Micro): string => formatMicro(price, '4');
export const contracts = (size: Micro): string => formatMicro(size, '2');

const CHANNELS = ['orderbook_delta', 'trade', 'ticker', 'market_lifecycle_v2'] as const;
type Channel = (typeof CHANNELS)[number];

/** The server adds sid and seq, and turns no-side prices into YES prices where the subscription asked for them. */
export type FrameB = {
  /** Channel of the subscription that gets it. */
  readonly channel: Channel;
  readonly type: Channel | 'orderbook_snapshot' | 'event_lifecycle';
  readonly market: string;
  readonly msg: Readonly<Record<string, unknown>>;
  /** True when the no side of `msg` already is in YES prices (a recording made so). */
  readonly yesPrices: boolean;
};

/** Books, trades and acknowledgements are numbered; tickers and lifecycle are not. */
const NUMBERED: ReadonlySet<string> = new Set(['orderbook_snapshot', 'orderbook_delta', 'trade']);

/** A subscription whose socket holds more than this unsent is dropped with code 25. */
const OVERFLOW_BYTES = 8 * 1024 * 1024;
const MAX_MARKETS = 1_000;

type Subscription = {
  readonly sid: number;
  readonly channel: Channel;
  readonly tickers: Set<string>;
  /** Without tickers a trade or ticker subscription hears every market. */
  readonly all: boolean;
  readonly yesPrices: boolean;
  seq: number;
};

const reply = (value: object): Output => sendControl(JSON.stringify(value));
const refuse = (id: unknown, code: number, msg: string, more: object = {}): Output[] => [
  reply({ id, type: 'error', msg: { code, msg, ...more } }),
];

const tickersOf = (params: JsonObject): string[] => [
  ...new Set([
    ...(Array.isArray(params['market_tickers']) ? params['market_tickers'].map(String) : []),
    ...(typeof params['market_ticker'] === 'string' ? [params['market_ticker']] : []),
  ]),
];

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export class SocketB implements ServerSocket<FrameB> {
  private readonly client: Client<FrameB>;
  private readonly subscriptions = new Map<number, Subscription>();
  private nextSid = 1;

  constructor(client: Client<FrameB>) {
    this.client = client;
  }

  message(text: string): Output[] {
    const message = parseJson(text);
    if (message === undefined) return refuse(undefined, 1, 'Unable to process message');
    const { id, cmd, params } = isObject(message) ? message : {};
    if (cmd === 'list_subscriptions') {
      const list = [...this.subscriptions.values()].map(({ channel, sid }) => ({ channel, sid }));
      return [reply({ id, type: 'ok', msg: list })];
    }
    if (cmd !== 'subscribe' && cmd !== 'update_subscription' && cmd !== 'unsubscribe')
      return refuse(id, 5, 'Unknown command');
    if (!params || typeof params !== 'object') return refuse(id, 2, 'Params required');
    const given = params as JsonObject;
    if (cmd === 'subscribe') return this.subscribe(id, given);
    return cmd === 'unsubscribe' ? this.unsubscribe(id, given) : this.update(id, given);
  }

  frame(frame: FrameB): Output[] {
    const outputs: Output[] = [];
    for (const subscription of this.subscriptions.values())
      if (
        subscription.channel === frame.channel &&
        (subscription.all || subscription.tickers.has(frame.market))
      )
        outputs.push(...this.push(subscription, frame));
    return outputs;
  }

  watches(id: string): boolean {
    return this.subscriptions.values().some(({ tickers }) => tickers.has(id));
  }

  overflow(): Output[] {
    return [...this.subscriptions.values()].map((subscription) => this.end(subscription));
  }

  private end({ sid }: Subscription): Output {
    this.subscriptions.delete(sid);
    return reply({ type: 'error', sid, msg: { code: 25, msg: 'Subscription buffer overflow' } });
  }

  /** One message of a subscription. Sequence numbers are used up even when a fault loses the frame. */
  private push(subscription: Subscription, frame: FrameB, extra: object = {}): Output[] {
    const isNumbered = NUMBERED.has(frame.type);
    const seq = isNumbered ? { seq: ++subscription.seq } : {};
    if (isLost(this.client, frame.market, isNumbered)) return [];
    if (this.client.unsent() > OVERFLOW_BYTES) return [this.end(subscription)];
    const msg = subscription.yesPrices === frame.yesPrices ? frame.msg : withYesPrices(frame.type, frame.msg);
    const text = JSON.stringify({ type: frame.type, ...extra, sid: subscription.sid, ...seq, msg });
    return [sendData(text, [frame.market])];
  }

  private snapshots(
    subscription: Subscription,
    tickers: readonly string[],
    id: unknown,
    extra: object = {},
  ): Output[] {
    if (subscription.channel !== 'orderbook_delta') return [];
    const frames = new Map(this.client.initial(tickers).map((frame) => [frame.market, frame]));
    return tickers.flatMap((ticker) => {
      const frame = frames.get(ticker);
      return frame
        ? this.push(subscription, frame, extra)
        : refuse(id, 16, 'Market not found', { market_ticker: ticker });
    });
  }

  private watch(): Output {
    const tickers = [...this.subscriptions.values()].flatMap((subscription) => [...subscription.tickers]);
    return { do: 'watch', ids: new Set(tickers) };
  }

  private subscribe(id: unknown, params: JsonObject): Output[] {
    const channels = listOf(params['channels']).map(String);
    if (channels.length === 0) return refuse(id, 3, 'Channels required');
    const tickers = tickersOf(params);
    for (const name of channels) {
      if (!CHANNELS.some((known) => known === name)) return refuse(id, 8, 'Unknown channel name');
      if (name === 'orderbook_delta' && tickers.length === 0) return refuse(id, 14, 'Market Ticker required');
    }
    if (tickers.length > MAX_MARKETS) return refuse(id, 26, 'Subscription market limit exceeded');
    return (channels as Channel[]).flatMap((channel) => {
      const subscription: Subscription = {
        sid: this.nextSid++,
        channel,
        tickers: new Set(tickers),
        all: tickers.length === 0 || channel === 'market_lifecycle_v2',
        yesPrices: params['use_yes_price'] === true,
        seq: 0,
      };
      this.subscriptions.set(subscription.sid, subscription);
      return [
        reply({ id, type: 'subscribed', msg: { channel, sid: subscription.sid } }),
        this.watch(),
        ...this.snapshots(subscription, tickers, id),
      ];
    });
  }

  private update(id: unknown, params: JsonObject): Output[] {
    const sids = Array.isArray(params['sids']) ? params['sids'] : [params['sid']];
    if (sids.length !== 1 || typeof sids[0] !== 'number')
      return refuse(id, 12, 'Exactly one subscription ID is required');
    const subscription = this.subscriptions.get(sids[0]);
    if (!subscription) return refuse(id, 7, 'Unknown subscription ID');
    const { action } = params;
    if (action === undefined) return refuse(id, 15, 'Action required');
    const tickers = tickersOf(params);
    if (tickers.length === 0) return refuse(id, 14, 'Market Ticker required');
    if (action === 'get_snapshot' && subscription.channel === 'orderbook_delta')
      return this.snapshots(subscription, tickers, id, { id });
    if (action !== 'add_markets' && action !== 'delete_markets') return refuse(id, 13, 'Unsupported action');
    const fresh = tickers.filter((ticker) => !subscription.tickers.has(ticker));
    const isAdding = action === 'add_markets';
    if (isAdding && subscription.tickers.size + fresh.length > MAX_MARKETS)
      return refuse(id, 26, 'Subscription market limit exceeded');
    for (const ticker of tickers)
      if (isAdding) subscription.tickers.add(ticker);
      else subscription.tickers.delete(ticker);
    const { sid } = subscription;
    const msg = { market_tickers: [...subscription.tickers].sort() };
    return [
      reply({ type: 'ok', id, sid, seq: ++subscription.seq, msg }),
      this.watch(),
      ...(isAdding ? this.snapshots(subscription, fresh, id) : []),
    ];
  }

  private unsubscribe(id: unknown, params: JsonObject): Output[] {
    const sids = listOf(params['sids']);
    if (sids.length === 0) return refuse(id, 4, 'Subscription IDs required');
    const outputs = sids.flatMap((sid) => {
      const subscription = this.subscriptions.get(sid as number);
      if (!subscription) return refuse(id, 7, 'Unknown subscription ID');
      this.subscriptions.delete(subscription.sid);
      return [reply({ id, sid: subscription.sid, seq: ++subscription.seq, type: 'unsubscribed' })];
    });
    return [...outputs, this.watch()];
  }
}

const flip = (price: unknown): string => dollars(complement(decimal(String(price)).value));

/**
 * A message with its no side turned over: NO prices to YES prices, or back (the rule is its own inverse). Turned prices, which
 * ascended, are put in ascending order again; all else stays as it is.
 */
export function withYesPrices(type: string, msg: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (type === 'orderbook_delta')
    return msg['side'] === 'no' ? { ...msg, price_dollars: flip(msg['price_dollars']) } : { ...msg };
  if (type !== 'orderbook_snapshot' || !Array.isArray(msg['no_dollars_fp'])) return { ...msg };
  const levels = (msg['no_dollars_fp'] as [string, string][]).map(([price, size]) => [flip(price), size]);
  return { ...msg, no_dollars_fp: levels.reverse() };
}
