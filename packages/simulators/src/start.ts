// All simulators in one: the market process, three venue servers on loopback, the fault script, and the record of what left.

import type { Clock, Venue } from '@ladderlog/core';
import { GARBAGE, UNKNOWN, belowZeroB, negativeSizeA, negativeSizeC } from './faults/fault-frames.ts';
import { createFaultScript, type AppliedFault, type Fault, type FaultActions } from './faults/faults.ts';
import { createMarketProcess, type MarketProcess, type MarketState } from './market/market-process.ts';
import type { LostFrame, SentFrame, VenueServer } from './server/protocol.ts';
import { hexOf } from './market/random.ts';
import { phaseAt, type WindowName } from './market/series.ts';
import { createVenueAServer, REST_PREFIX as A_REST, WS_PATH as A_WS } from './venue-a/server.ts';
import { createSimulatedSourceA } from './venue-a/source.ts';
import { createVenueBServer, REST_PREFIX as B_REST, WS_PATH as B_WS } from './venue-b/server.ts';
import { generateKeys, type KeyPair } from './venue-b/signing.ts';
import { createSimulatedSourceB } from './venue-b/source.ts';
import { createVenueCServer, type VenueCServer } from './venue-c/server.ts';
import { createSimulatedSourceC } from './venue-c/source.ts';

export type SimulatorOptions = {
  readonly seed: number;
  /** Microseconds. The machine's clock unless given. */
  readonly clock?: Clock;
  readonly host?: string;
  readonly ports?: Partial<Readonly<Record<'venuea' | 'venueb' | 'venuecClob' | 'venuecGamma', number>>>;
  readonly venues?: readonly Venue[];
  /** How many times faster than the clock market time runs. Stated times then run ahead of the clock. */
  readonly speed?: number;
  /** Divides every duration: 15 turns 5 minutes into 20 s, and the 24 h life of a connection into 96 min. */
  readonly scale?: number;
  readonly windows?: readonly WindowName[];
  readonly assets?: Partial<Readonly<Record<Venue, readonly string[]>>>;
  /** Levels a side. */
  readonly levels?: number;
  /** Mean updates a second of each live book. */
  readonly updatesPerSecond?: number;
  /** Windows listed ahead of the live one. */
  readonly prelisted?: number;
  /** Past windows kept in each series' catalogue. */
  readonly history?: number;
  readonly faults?: readonly Fault[];
  /** Called as each fault begins. */
  readonly onFault?: (applied: AppliedFault) => void;
  /** Keep every frame sent, for tests; otherwise only counts. */
  readonly record?: boolean;
  /** False: nothing moves until step() is called; for tests that pass their own clock. */
  readonly autoRun?: boolean;
  readonly venueA?: {
    readonly weightPerMinute?: number;
    readonly pingTimeoutMs?: number;
    /** Life of a connection; 24 h divided by `scale` unless given. */
    readonly lifeMs?: number;
  };
  readonly venueB?: {
    readonly readsPerSecond?: number;
    readonly requireRestAuth?: boolean;
    readonly heartbeatMs?: number;
    /** A new pair on every start unless given. */
    readonly keys?: KeyPair;
  };
};

export type SentRecord = {
  /** Everything that left: WebSocket texts and REST answers. */
  readonly count: number;
  /** Of those, market content. */
  readonly data: number;
  /** Empty unless `record` was set. */
  readonly frames: readonly SentFrame[];
};

export type Simulators = {
  readonly venuea: {
    readonly restUrl: string;
    readonly wsUrl: string;
    readonly apiKey: string;
    readonly apiSecret: string;
  };
  readonly venueb: {
    readonly restUrl: string;
    readonly wsUrl: string;
    readonly keyId: string;
    readonly privateKeyPem: string;
  };
  readonly venuec: { readonly gammaUrl: string; readonly clobUrl: string; readonly wsUrl: string };
  /** The market behind the servers, to compare with; read it, do not advance it. */
  readonly process: MarketProcess;
  inject(fault: Fault): void;
  faultsApplied(): readonly AppliedFault[];
  sent(): Readonly<Record<Venue, SentRecord>>;
  /** Market frames that were due for a client and that a fault kept back. */
  lost(): Readonly<Record<Venue, { readonly count: number; readonly frames: readonly LostFrame[] }>>;
  /** Sockets now open. */
  connections(venue: Venue): number;
  /** Moves markets and faults on to the clock's time; called by a timer unless autoRun is false. */
  step(): void;
  close(): Promise<void>;
};

const ALL_VENUES: readonly Venue[] = ['venuea', 'venueb', 'venuec'];
const STEP_MS = 25;
const DAY_MS = 86_400_000;
const NOT_STARTED = '';

export async function startSimulators(options: SimulatorOptions): Promise<Simulators> {
  const {
    seed,
    clock = () => Date.now() * 1_000,
    host = '127.0.0.1',
    venues = ALL_VENUES,
    speed = 1,
    scale = 1,
    ports = {},
  } = options;
  const startedUs = clock();
  const startedMs = Math.floor(startedUs / 1_000);
  const process = createMarketProcess({
    seed,
    startMs: startedMs,
    scale,
    venues,
    windows: options.windows ?? ['5m', '15m', '1h'],
    assets: options.assets ?? {},
    levels: options.levels ?? 40,
    updatesPerSecond: (options.updatesPerSecond ?? 2) / speed,
    prelisted: options.prelisted ?? 3,
    history: options.history ?? 24,
  });

  const counts: Record<Venue, { count: number; data: number; frames: SentFrame[] }> = {
    venuea: { count: 0, data: 0, frames: [] },
    venueb: { count: 0, data: 0, frames: [] },
    venuec: { count: 0, data: 0, frames: [] },
  };
  const onSent = (frame: SentFrame): void => {
    const of = counts[frame.venue];
    of.count++;
    if (frame.kind === 'data') of.data++;
    if (options.record) of.frames.push(frame);
  };

  const losses: Record<Venue, { count: number; frames: LostFrame[] }> = {
    venuea: { count: 0, frames: [] },
    venueb: { count: 0, frames: [] },
    venuec: { count: 0, frames: [] },
  };
  const onLost = (frame: LostFrame): void => {
    losses[frame.venue].count++;
    if (options.record) losses[frame.venue].frames.push(frame);
  };

  const servers: Partial<Record<Venue, VenueServer>> = {};
  const stampFor = (venue: Venue) => (ms: number) => ms + script.clockOffsetMs(venue);
  const sourceA = createSimulatedSourceA(process, stampFor('venuea'));
  const sourceB = createSimulatedSourceB(process, stampFor('venueb'));
  const sourceC = createSimulatedSourceC(process, stampFor('venuec'));
  const dispatch = { venuea: sourceA.on, venueb: sourceB.on, venuec: sourceC.on };
  const emit: Parameters<MarketProcess['advance']>[1] = (event) => dispatch[event.state.market.venue](event);

  /** The market a fault is to hit: the one asked for (by market or token id), or the first live two-sided one. */
  function target(venue: Venue, asked: string | null): MarketState | null {
    const states = process.states(venue);
    if (asked !== null)
      return states.find(({ market }) => market.id === asked || market.tokens.includes(asked)) ?? null;
    const live = states.filter(
      ({ market, book }) =>
        book && book.bestBid >= 0 && book.bestAsk >= 0 && phaseAt(market, process.now()) === 'live',
    );
    return live[0] ?? null;
  }

  /** What clients subscribe to for this market: on C a token, elsewhere its id. */
  const watched = (venue: Venue, asked: string | null): string | null =>
    venue === 'venuec' && asked?.startsWith('0x') ? (target(venue, asked)?.market.tokens[0] ?? asked) : asked;

  const actions: FaultActions = {
    disconnect: (venue) => servers[venue]?.disconnect() ?? 0,
    closeAll: (venue) => servers[venue]?.closeAll(1001, 'connection life ended') ?? 0,
    skipNext: (venue, market) => servers[venue]?.skipNext(market),
    overflow: (venue) => servers[venue]?.overflow?.() ?? 0,
    sendGarbage: (venue, market) => servers[venue]?.broadcast(GARBAGE[venue], watched(venue, market)) ?? 0,
    sendUnknown: (venue, market) => servers[venue]?.broadcast(UNKNOWN[venue], watched(venue, market)) ?? 0,
    choose(venue) {
      const market = target(venue, null)?.market;
      return (venue === 'venuec' ? market?.tokens[0] : market?.id) ?? null;
    },
    cross(venue, asked, durationMs) {
      const state = target(venue, asked);
      return state && process.cross(state, durationMs * speed, emit) ? state.market.id : null;
    },
    belowZero(venue, asked) {
      const state = target(venue, asked);
      if (!state?.book || state.book.bestBid < 0) return null;
      const at = process.now() + script.clockOffsetMs(venue);
      if (venue === 'venuea') sourceA.push(negativeSizeA(state, at));
      else if (venue === 'venueb') sourceB.push(belowZeroB(state, at));
      else sourceC.push(negativeSizeC(state, at));
      return state.market.id;
    },
  };
  const script = createFaultScript(options.faults ?? [], clock, actions, options.onFault);

  const apiKey = hexOf(`venuea-key:${seed}`, 64);
  const apiSecret = hexOf(`venuea-secret:${seed}`, 64);
  const { keys: givenKeys, ...venueB } = options.venueB ?? {};
  const keys = venues.includes('venueb')
    ? (givenKeys ?? generateKeys(hexOf(`venueb-key:${seed}`, 32)))
    : null;
  const common = { host, clock, onSent, onLost };
  let venueC: VenueCServer | null = null;
  if (venues.includes('venuea'))
    servers.venuea = await createVenueAServer({
      ...common,
      source: sourceA,
      gate: script.gate('venuea'),
      port: ports.venuea ?? 0,
      credentials: { apiKey, apiSecret },
      lifeMs: DAY_MS / scale,
      ...options.venueA,
    });
  if (keys)
    servers.venueb = await createVenueBServer({
      ...common,
      source: sourceB,
      gate: script.gate('venueb'),
      port: ports.venueb ?? 0,
      keys,
      ...venueB,
    });
  if (venues.includes('venuec')) {
    venueC = await createVenueCServer({
      ...common,
      source: sourceC,
      gate: script.gate('venuec'),
      port: ports.venuecClob ?? 0,
      gammaPort: ports.venuecGamma ?? 0,
    });
    servers.venuec = venueC;
  }

  function step(): void {
    script.step();
    process.advance(startedMs + Math.floor(((clock() - startedUs) / 1_000) * speed), emit);
  }
  const timer = options.autoRun === false ? null : setInterval(step, STEP_MS);

  const url = (scheme: string, server: VenueServer | undefined, path: string, port = server?.port): string =>
    server ? `${scheme}://${host}:${port}${path}` : NOT_STARTED;
  return {
    venuea: {
      restUrl: url('http', servers.venuea, A_REST),
      wsUrl: url('ws', servers.venuea, A_WS),
      apiKey,
      apiSecret,
    },
    venueb: {
      restUrl: url('http', servers.venueb, B_REST),
      wsUrl: url('ws', servers.venueb, B_WS),
      keyId: keys?.keyId ?? NOT_STARTED,
      privateKeyPem: keys?.privateKeyPem ?? NOT_STARTED,
    },
    venuec: {
      gammaUrl: url('http', servers.venuec, '', venueC?.gammaPort),
      clobUrl: url('http', servers.venuec, ''),
      wsUrl: url('ws', servers.venuec, '/ws/market'),
    },
    process,
    inject: script.inject,
    faultsApplied: script.applied,
    sent: () => counts,
    lost: () => losses,
    connections: (venue) => servers[venue]?.connections() ?? 0,
    step,
    async close() {
      if (timer) clearInterval(timer);
      script.close();
      await Promise.all(Object.values(servers).map((server) => server.close()));
    },
  };
}
