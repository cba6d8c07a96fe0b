// Seeded events as a recorder would write them: catalogue, starts, books that walk, samples, beats, gaps, rejects and
// comparisons over several markets of three venues. The same options give the same events.

import type { BookObserved, Envelope, LadderEvent, MarketObserved, Venue } from '@ladderlog/core';
import { VENUES, hashText } from '@ladderlog/core';

import { book, compared, market, rejected, sample } from '../../../test/builders/events.ts';

export type GenerateOptions = {
  readonly seed?: number;
  /** BookObserved events; other kinds come on top. */
  readonly observations: number;
  readonly markets?: number;
  /** Levels a side. */
  readonly levels?: number;
  readonly venues?: readonly Venue[];
};

const BEGIN = 1_790_000_000_000_000;

/** The first observations bring every other kind with them, so that short runs have all. */
const ONE_OF_EACH = [0.001, 0.01, 0.03, 0.061, 0.065, 0.068];

/** mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type State = {
  readonly venue: Venue;
  readonly market: string;
  readonly outcome: string;
  mid: number;
  bidSizes: number[];
  askSizes: number[];
  ordinal: number;
  session: number;
  lastAt: number;
};

export function* generate(options: GenerateOptions): Generator<LadderEvent> {
  const { seed = 1, observations, markets = 24, levels = 10, venues = VENUES } = options;
  const random = randomOf(seed);
  const below = (bound: number): number => Math.floor(random() * bound);
  let now = BEGIN;
  const states: State[] = [];
  for (let at = 0; at < markets; at++) {
    const venue = venues[at % venues.length]!;
    const outcome = venue === 'venuea' ? '0' : venue === 'venueb' ? 'yes' : `token-${at}`;
    const state = { venue, market: marketId(venue, at), outcome, mid: 200_000 + below(600_000) };
    const sizes = (): number[] => Array.from({ length: levels }, () => (1 + below(5_000)) * 1_000_000);
    states.push({ ...state, bidSizes: sizes(), askSizes: sizes(), ordinal: 0, session: 1, lastAt: now });
  }
  const envelope = (state: State): Envelope => ({
    venue: state.venue,
    market: state.market,
    observedAt: now,
    sourceTs: state.venue === 'venuea' ? null : now - 1_000 - below(20_000),
    session: `${state.venue}-${seed}-${state.session}`,
    ordinal: state.ordinal,
    provenance: 'captured',
  });
  const tick = (): void => {
    now += 500 + below(20_000);
  };

  for (const [at, state] of states.entries()) {
    tick();
    yield marketObserved(envelope(state), at, 'open');
    yield { ...envelope(state), ...track(state), type: 'CaptureStarted' };
  }

  for (let made = 0; made < observations; made++) {
    tick();
    const at = below(states.length);
    const state = states[at]!;
    state.ordinal++;
    const chance = made < ONE_OF_EACH.length ? ONE_OF_EACH[made]! : random();
    if (chance < 0.004) {
      const gap = {
        gapId: hashText(`${state.market}|${now}`),
        dataset: 'books',
        outcome: state.outcome,
        cause: 'disconnected',
        scope: 'connection',
        from: state.lastAt,
        lastBefore: {
          session: envelope(state).session,
          ordinal: state.ordinal - 1,
          observedAt: state.lastAt,
        },
        late: [],
      } as const;
      yield { ...envelope(state), ...gap, type: 'GapOpened', detail: 'code 1006' };
      state.session++;
      state.ordinal = 0;
      now += 3_000_000;
      const after = envelope(state);
      const firstAfter = { session: after.session, ordinal: 0, observedAt: now };
      yield { ...after, ...gap, type: 'GapClosed', to: now, firstAfter };
    } else if (chance < 0.02)
      yield { ...envelope(state), ...track(state), type: 'CaptureBeat', stampDelay: null };
    else if (chance < 0.06)
      yield sample({
        ...envelope(state),
        outcome: state.outcome,
        metric: (['chance', 'price', 'last_trade'] as const)[below(3)]!,
        value: state.mid,
        text: (state.mid / 1e6).toString(),
      });
    else if (chance < 0.063)
      yield rejected({
        ...envelope(state),
        body: Uint8Array.from({ length: 32 }, () => below(256)),
        detail: 'Größe unbekannt',
      });
    else if (chance < 0.066) yield marketObserved(envelope(state), at, 'closed');
    else if (chance < 0.07)
      yield compared({
        ...envelope(state),
        outcome: state.outcome,
        levelsOurs: levels * 2,
        levelsTheirs: levels * 2,
      });
    // As real books do: mostly one level changes, and now and then the price moves.
    if (below(20) === 0) state.mid = Math.min(800_000, Math.max(200_000, state.mid + (below(3) - 1) * 1_000));
    if (levels > 0) {
      const side = below(2) === 0 ? 'bidSizes' : 'askSizes';
      state[side] = state[side].with(below(levels), (1 + below(5_000)) * 1_000_000);
    }
    state.lastAt = now;
    yield bookObserved(envelope(state), state, levels, below(50) === 0);
  }
  for (const state of states) {
    tick();
    yield { ...envelope(state), ...track(state), type: 'CaptureStopped', reason: 'end' };
  }
}

const track = (state: State) =>
  ({ dataset: 'books', outcome: state.outcome, collector: 'generated' }) as const;

const marketId = (venue: Venue, at: number): string =>
  venue === 'venuea'
    ? `${1_000 + at}`
    : venue === 'venueb'
      ? `KXBTC15M-26NOV15-${at}`
      : `0x${hashText(`${at}`)}`;

function bookObserved(envelope: Envelope, state: State, levels: number, odd: boolean): BookObserved {
  const { bidSizes, askSizes } = state;
  const bidPrices = bidSizes.map((_, level) => state.mid - (level + 1) * 1_000);
  const askPrices = askSizes.map((_, level) => state.mid + (level + 1) * 1_000);
  return book({
    ...envelope,
    outcome: state.outcome,
    kind: state.venue === 'venueb' ? 'delta' : 'snapshot',
    bidPrices,
    bidSizes,
    askPrices,
    askSizes,
    flags: odd ? ['inexact'] : [],
    priceFormat: 'min',
    sizeFormat: 'min',
    exceptions: odd && levels > 0 ? [{ side: 'bid', level: 0, price: '0.50', size: '1.0000000001' }] : [],
    hash: state.venue === 'venuec' ? hashText(`${envelope.observedAt}`) : null,
    sequence: state.venue === 'venueb' ? envelope.ordinal : null,
    nativeIds: state.venue === 'venuea' ? {} : { asset_id: state.outcome },
  });
}

const marketObserved = (envelope: Envelope, at: number, status: 'open' | 'closed'): MarketObserved =>
  market({
    ...envelope,
    slug: `market-${at}`,
    title: `Market ${at} – über 100 000 $?`,
    asset: 'BTC',
    window: '15m',
    status,
    nativeStatus: status,
    eventId: `event-${at % 5}`,
    seriesId: 'KXBTC15M',
    outcomes: [
      { id: 'yes', label: 'Yes', index: 0, tokenId: `t-${at}`, winner: status === 'closed' ? true : null },
      { id: 'no', label: 'No', index: 1, tokenId: null, winner: null },
    ],
    opensAt: envelope.observedAt,
    closesAt: envelope.observedAt + 900_000_000,
    strike: '97000.5',
    volume: envelope.ordinal * 1_000_000,
    participantCount: at,
    tickSize: 1_000,
    simulated: true,
    native: JSON.stringify({ id: at, status }),
  });

/** The events in arrays of at most `size`. */
export function* inBatches<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
