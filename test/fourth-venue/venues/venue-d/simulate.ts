// Simulated venue D: matches of one league, one after another. The simulated market has two sides; half of every price belongs
// to them, and the draw has the other half.

import { complement, formatMicro, type Micro } from '../../kernel/decimal.ts';
import { MICROS_PER_MS } from '../../kernel/time.ts';
import { asJson, type RestAnswer, type RestRequest } from '../serving/server.ts';
import type { Level } from '../serving/sim-book.ts';
import {
  isoSeconds,
  phaseAt,
  type SimMarketState,
  type Phase,
  type SimulatedMarkets,
  type VenueSimulatePart,
} from '../serving/simulate.ts';
import { isAskedFor } from './server.ts';
import { routeOf, type WireBook } from './wire.ts';

export const simulate: VenueSimulatePart = {
  assets: ['CUP'],
  series: (asset) => [{ window: '5m', kind: 'updown', name: asset.toLowerCase(), grid: 'cent' }],
  markets: ({ series, startMs }) => [
    {
      id: `${series.name}-${Math.floor(startMs / 1_000)}`,
      eventId: '',
      slug: '',
      alias: '',
      conditionId: '',
      tokens: ['', ''],
      title: 'Reds v Blues',
      strike: null,
    },
  ],
  trailingMs: 0,
  resolutionMs: 45_000,
  tradesBeforeStart: true,
  hasSplit: true,
  refinesTick: false,
  sizes: { sixDecimals: 0, twoDecimals: 0.5 },
  garbage: '{"match":',
  unknownMessage: '{"weather":"fair"}',
  impossibleFrame: () => null,
  watchedId: ({ id }) => id,
  credentials: () => ({}),
  open: (markets) => ({
    on: () => [],
    initial: () => [],
    rest: (request) => answer(request, markets),
  }),
};

function answer({ path, query }: RestRequest, markets: SimulatedMarkets): RestAnswer | null {
  const route = routeOf(path);
  if (route === null) return null;
  if (route.read === 'matches') {
    const found = markets
      .listed()
      .filter(({ market: { series, endMs } }) => isAskedFor(query, series.name, endMs * MICROS_PER_MS));
    return asJson(
      200,
      { matches: found.map((state) => matchObject(state, markets)) },
      found.map(({ market }) => market.id),
    );
  }
  const id = path.split('/')[2]!;
  const state = markets.state(id);
  if (!state) return null;
  if (route.read === 'match') return asJson(200, matchObject(state, markets), [id]);
  return state.book ? asJson(200, { match: id, ...books(state) }, [id]) : null;
}

const STATES: Readonly<Record<Phase, string>> = {
  unlisted: 'scheduled',
  listed: 'scheduled',
  live: 'open',
  trailing: 'closed',
  closed: 'closed',
  resolved: 'settled',
};

function matchObject({ market }: SimMarketState, markets: SimulatedMarkets): object {
  const phase = phaseAt(market, markets.now());
  const winner = phase === 'resolved' ? markets.winner(market) : null;
  return {
    id: market.id,
    league: market.series.name,
    home: 'Reds',
    away: 'Blues',
    kickoff: isoSeconds(market.startMs),
    ends: isoSeconds(market.endMs),
    state: STATES[phase],
    result: winner === null ? null : winner === 'split' ? 'draw' : winner === 0 ? 'home' : 'away',
    ladderlog_simulated: true,
  };
}

const DRAW = { bid: 490_000, ask: 510_000 };

/** A bid for one side at p is an ask for the other at 1 − p. */
function books(state: SimMarketState): Readonly<Record<string, WireBook>> {
  const bids = state.book!.levels('bid');
  const asks = state.book!.levels('ask');
  const mirrored = (levels: readonly Level[]): Level[] =>
    levels.map(([price, size]) => [complement(price), size]);
  const drawSize = (100 + (state.updates % 50)) * 1_000_000;
  return {
    home: { bids: halved(bids), asks: halved(asks) },
    draw: { bids: [wireLevel(DRAW.bid, drawSize)], asks: [wireLevel(DRAW.ask, drawSize)] },
    away: { bids: halved(mirrored(asks)), asks: halved(mirrored(bids)) },
  };
}

const halved = (levels: readonly Level[]): [string, string][] =>
  levels.map(([price, size]) => wireLevel(price / 2, size));

const wireLevel = (price: Micro, size: Micro): [string, string] => [formatMicro(price), formatMicro(size)];
