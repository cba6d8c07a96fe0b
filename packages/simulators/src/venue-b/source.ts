// Venue B's content from the market process: deltas, trades, tickers, lifecycle, and the REST answers.

import { complement } from '@ladderlog/core';
import { bestPrice } from '../market/book.ts';
import type { MarketProcess, MarketState, ProcessEvent } from '../market/market-process.ts';
import type { FrameB } from '../server/protocol.ts';
import { mix } from '../market/random.ts';
import { phaseAt } from '../market/series.ts';
import type { SimulatedSource } from '../server/simulated-source.ts';
import { contracts, dollars, iso } from '../market/wire-text.ts';
import { priceRanges, snapshotMsg, tickerMsg, tradeMsg, type SimTrade } from './objects.ts';
import { restAnswerB } from './rest.ts';

/** Trades kept per market for /markets/trades. */
const KEPT_TRADES = 200;

export function createSimulatedSourceB(
  process: MarketProcess,
  stamp: (ms: number) => number,
): SimulatedSource<FrameB> {
  const readers = new Set<(frame: FrameB) => void>();
  const trades = new Map<string, SimTrade[]>();
  const bests = new Map<string, string>();

  const deliver = (
    state: MarketState,
    channel: FrameB['channel'],
    type: FrameB['type'],
    msg: Record<string, unknown>,
  ): void => {
    const frame: FrameB = { channel, type, market: state.market.id, msg, yesPrices: false };
    for (const read of readers) read(frame);
  };

  function on(event: ProcessEvent): void {
    const { state } = event;
    const { market } = state;
    const at = stamp(event.at);
    const seconds = Math.floor(at / 1_000);
    switch (event.kind) {
      case 'change': {
        if (readers.size === 0) return;
        // About one exchange time in 400 steps back a little, as on the wire.
        const claimed = at - (mix(state.updates, event.price) % 400 === 0 ? 4 : 0);
        deliver(state, 'orderbook_delta', 'orderbook_delta', {
          market_ticker: market.id,
          market_id: market.alias,
          price_dollars: dollars(event.side === 'bid' ? event.price : complement(event.price)),
          delta_fp: contracts(event.delta),
          side: event.side === 'bid' ? 'yes' : 'no',
          ts: iso(claimed),
          ts_ms: claimed,
        });
        return;
      }
      case 'trade': {
        const kept = trades.get(market.id) ?? [];
        const { price, size, taker } = event;
        const trade: SimTrade = { at, price, size, taker, number: state.trades };
        kept.push(trade);
        if (kept.length > KEPT_TRADES) kept.shift();
        trades.set(market.id, kept);
        if (readers.size > 0) deliver(state, 'trade', 'trade', tradeMsg(state, trade, at));
        return;
      }
      case 'updated': {
        if (readers.size === 0) return;
        const best = `${bestPrice(state.book!, 'bid')}/${bestPrice(state.book!, 'ask')}/${state.lastTrade}`;
        if (bests.get(market.id) === best) return;
        bests.set(market.id, best);
        deliver(state, 'ticker', 'ticker', tickerMsg(state, at));
        return;
      }
      case 'listed':
        deliver(state, 'market_lifecycle_v2', 'market_lifecycle_v2', {
          event_type: 'created',
          market_ticker: market.id,
          open_ts: Math.floor(market.startMs / 1_000),
          close_ts: Math.floor(market.endMs / 1_000),
          ...priceRanges(market.series.grid),
        });
        for (const id of trades.keys()) if (!process.state('venueb', id)) trades.delete(id);
        return;
      case 'opened':
        deliver(state, 'market_lifecycle_v2', 'market_lifecycle_v2', {
          event_type: 'activated',
          market_ticker: market.id,
        });
        return;
      case 'resolved': {
        const result = process.winner(market) === 0 ? 'yes' : 'no';
        bests.delete(market.id);
        deliver(state, 'market_lifecycle_v2', 'market_lifecycle_v2', {
          event_type: 'determined',
          market_ticker: market.id,
          result,
          determination_ts: seconds,
          settlement_value: result === 'yes' ? '1.0000' : '0.0000',
        });
        deliver(state, 'market_lifecycle_v2', 'market_lifecycle_v2', {
          event_type: 'settled',
          market_ticker: market.id,
          settled_ts: seconds,
        });
        return;
      }
      case 'ended':
      case 'stopped':
      case 'tick':
    }
  }

  return {
    on,
    push: (frame) => readers.forEach((read) => read(frame)),
    rest: (request) => restAnswerB(process, request, (id) => trades.get(id) ?? []),
    connect(read) {
      readers.add(read);
      return {
        initial: (ids) =>
          ids.flatMap((id): FrameB[] => {
            const state = process.state('venueb', id);
            if (!state || phaseAt(state.market, process.now()) === 'unlisted') return [];
            const msg = snapshotMsg(state);
            return [
              { channel: 'orderbook_delta', type: 'orderbook_snapshot', market: id, msg, yesPrices: false },
            ];
          }),
        close: () => void readers.delete(read),
      };
    },
  };
}
