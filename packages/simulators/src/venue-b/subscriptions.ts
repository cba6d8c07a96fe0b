// The WebSocket of venue B: commands, and subscriptions that each count their own sequence.

import type { FrameB, Gate, SourceConnection } from '../server/protocol.ts';
import { takeSkip, type Client, type Sockets } from '../server/sockets.ts';
import { withYesPrices } from './yes-prices.ts';

const CHANNELS = ['orderbook_delta', 'trade', 'ticker', 'market_lifecycle_v2'] as const;
type Channel = (typeof CHANNELS)[number];

/** Books, trades and acknowledgements are numbered; tickers and lifecycle are not. */
const SEQUENCED: ReadonlySet<string> = new Set(['orderbook_snapshot', 'orderbook_delta', 'trade']);

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

export type Subscriber = {
  readonly subscriptions: Map<number, Subscription>;
  nextSid: number;
  feed: SourceConnection<FrameB> | null;
};

export type Subscriptions = {
  /** One message of a client. */
  command(client: Client<Subscriber>, text: string): void;
  /** A frame, to the subscriptions that hear of it. */
  deliver(client: Client<Subscriber>, frame: FrameB): void;
  /** Every subscription of the client ends, as for a reader that is too slow. */
  overflow(client: Client<Subscriber>): void;
};

export function createSubscriptions(sockets: Sockets<Subscriber>, gate: Gate): Subscriptions {
  const reply = (client: Client<Subscriber>, value: object): void => {
    if (gate.silent('')) return;
    sockets.send(client, JSON.stringify(value), 'control', []);
  };
  const refuse = (
    client: Client<Subscriber>,
    id: unknown,
    code: number,
    msg: string,
    more: object = {},
  ): void => reply(client, { id, type: 'error', msg: { code, msg, ...more } });

  function end(client: Client<Subscriber>, { sid }: Subscription): void {
    client.state.subscriptions.delete(sid);
    reply(client, { type: 'error', sid, msg: { code: 25, msg: 'Subscription buffer overflow' } });
  }

  /** Sends one message of a subscription. Sequence numbers are used up even when a fault loses the frame. */
  function push(
    client: Client<Subscriber>,
    subscription: Subscription,
    frame: FrameB,
    extra: object = {},
  ): void {
    const sequenced = SEQUENCED.has(frame.type);
    const seq = sequenced ? ++subscription.seq : 0;
    if ((gate.anySilence() && gate.silent(frame.market)) || (sequenced && takeSkip(client, [frame.market]))) {
      sockets.lose(client, frame.market);
      return;
    }
    if (client.socket.bufferedAmount > OVERFLOW_BYTES) {
      end(client, subscription);
      return;
    }
    const msg = subscription.yesPrices === frame.yesPrices ? frame.msg : withYesPrices(frame.type, frame.msg);
    sockets.send(
      client,
      JSON.stringify({
        type: frame.type,
        ...extra,
        sid: subscription.sid,
        ...(sequenced ? { seq } : {}),
        msg,
      }),
      'data',
      [frame.market],
    );
  }

  function deliver(client: Client<Subscriber>, frame: FrameB): void {
    for (const subscription of client.state.subscriptions.values())
      if (
        subscription.channel === frame.channel &&
        (subscription.all || subscription.tickers.has(frame.market))
      )
        push(client, subscription, frame);
  }

  const tickersOf = (params: Record<string, unknown>): string[] => [
    ...new Set([
      ...(Array.isArray(params['market_tickers']) ? params['market_tickers'].map(String) : []),
      ...(typeof params['market_ticker'] === 'string' ? [params['market_ticker']] : []),
    ]),
  ];

  function snapshots(
    client: Client<Subscriber>,
    subscription: Subscription,
    tickers: readonly string[],
    id: unknown,
    extra: object = {},
  ): void {
    if (subscription.channel !== 'orderbook_delta') return;
    const frames = new Map((client.state.feed?.initial(tickers) ?? []).map((frame) => [frame.market, frame]));
    for (const ticker of tickers) {
      const frame = frames.get(ticker);
      if (frame) push(client, subscription, frame, extra);
      else refuse(client, id, 16, 'Market not found', { market_ticker: ticker });
    }
  }

  const watch = (client: Client<Subscriber>): void => {
    const { feed, subscriptions } = client.state;
    feed?.watching?.(new Set([...subscriptions.values()].flatMap(({ tickers }) => [...tickers])));
  };

  function subscribe(client: Client<Subscriber>, id: unknown, params: Record<string, unknown>): void {
    const channels = Array.isArray(params['channels']) ? params['channels'].map(String) : [];
    if (channels.length === 0) return refuse(client, id, 3, 'Channels required');
    const tickers = tickersOf(params);
    for (const name of channels) {
      const channel = CHANNELS.find((known) => known === name);
      if (!channel) return refuse(client, id, 8, 'Unknown channel name');
      if (channel === 'orderbook_delta' && tickers.length === 0)
        return refuse(client, id, 14, 'Market Ticker required');
    }
    if (tickers.length > MAX_MARKETS) return refuse(client, id, 26, 'Subscription market limit exceeded');
    for (const channel of channels as Channel[]) {
      const subscription: Subscription = {
        sid: client.state.nextSid++,
        channel,
        tickers: new Set(tickers),
        all: tickers.length === 0 || channel === 'market_lifecycle_v2',
        yesPrices: params['use_yes_price'] === true,
        seq: 0,
      };
      client.state.subscriptions.set(subscription.sid, subscription);
      reply(client, { id, type: 'subscribed', msg: { channel, sid: subscription.sid } });
      watch(client);
      snapshots(client, subscription, tickers, id);
    }
  }

  function update(client: Client<Subscriber>, id: unknown, params: Record<string, unknown>): void {
    const sids = Array.isArray(params['sids']) ? params['sids'] : [params['sid']];
    if (sids.length !== 1 || typeof sids[0] !== 'number')
      return refuse(client, id, 12, 'Exactly one subscription ID is required');
    const subscription = client.state.subscriptions.get(sids[0]);
    if (!subscription) return refuse(client, id, 7, 'Unknown subscription ID');
    const { action } = params;
    if (action === undefined) return refuse(client, id, 15, 'Action required');
    const tickers = tickersOf(params);
    if (tickers.length === 0) return refuse(client, id, 14, 'Market Ticker required');
    const { sid } = subscription;
    if (action === 'get_snapshot') {
      if (subscription.channel !== 'orderbook_delta') return refuse(client, id, 13, 'Unsupported action');
      snapshots(client, subscription, tickers, id, { id });
      return;
    }
    if (action !== 'add_markets' && action !== 'delete_markets')
      return refuse(client, id, 13, 'Unsupported action');
    const fresh = tickers.filter((ticker) => !subscription.tickers.has(ticker));
    if (action === 'delete_markets') for (const ticker of tickers) subscription.tickers.delete(ticker);
    else if (subscription.tickers.size + fresh.length > MAX_MARKETS)
      return refuse(client, id, 26, 'Subscription market limit exceeded');
    else for (const ticker of fresh) subscription.tickers.add(ticker);
    const seq = ++subscription.seq;
    reply(client, { type: 'ok', id, sid, seq, msg: { market_tickers: [...subscription.tickers].sort() } });
    watch(client);
    if (action === 'add_markets') snapshots(client, subscription, fresh, id);
  }

  function unsubscribe(client: Client<Subscriber>, id: unknown, params: Record<string, unknown>): void {
    const sids = Array.isArray(params['sids']) ? params['sids'] : [];
    if (sids.length === 0) return refuse(client, id, 4, 'Subscription IDs required');
    for (const sid of sids) {
      const subscription = client.state.subscriptions.get(sid as number);
      if (!subscription) refuse(client, id, 7, 'Unknown subscription ID');
      else {
        client.state.subscriptions.delete(subscription.sid);
        reply(client, { id, sid: subscription.sid, seq: ++subscription.seq, type: 'unsubscribed' });
      }
    }
    watch(client);
  }

  function command(client: Client<Subscriber>, text: string): void {
    let message: { id?: unknown; cmd?: unknown; params?: Record<string, unknown> };
    try {
      message = JSON.parse(text) as typeof message;
    } catch {
      return refuse(client, undefined, 1, 'Unable to process message');
    }
    const { id, cmd, params } = message ?? {};
    if (cmd === 'list_subscriptions') {
      const list = [...client.state.subscriptions.values()].map(({ channel, sid }) => ({ channel, sid }));
      return reply(client, { id, type: 'ok', msg: list });
    }
    const known = { subscribe, update_subscription: update, unsubscribe };
    if (typeof cmd !== 'string' || !Object.hasOwn(known, cmd))
      return refuse(client, id, 5, 'Unknown command');
    if (!params || typeof params !== 'object') return refuse(client, id, 2, 'Params required');
    known[cmd as keyof typeof known](client, id, params);
  }

  return {
    command,
    deliver,
    overflow: (client) => {
      for (const subscription of client.state.subscriptions.values()) end(client, subscription);
    },
  };
}
