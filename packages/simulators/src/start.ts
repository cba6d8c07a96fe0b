// All simulators in one: the market process, a server for each venue, the fault script, and the record of what left.

import type { Clock, Venue } from '@ladderlog/core';
import { VENUES } from '@ladderlog/core';
import type { LostFrame, SentFrame, ServerSettings } from '@ladderlog/servers';

import { FaultScript, type AppliedFault, type Fault } from './faults/faults.ts';
import type { Emit } from './market/live-market.ts';
import { MarketProcess } from './market/market-process.ts';
import type { WindowName } from './market/series.ts';
import { startSimulatedVenue, type RunningVenue } from './venue.ts';

export type SimulatorOptions = {
  readonly seed: number;
  /** Microseconds. The machine's clock unless given. */
  readonly clock?: Clock;
  readonly host?: string;
  /** By venue and by the name of the service: `{ venuec: { clob: 9100, gamma: 9101 } }`. Free ones unless given. */
  readonly ports?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly venues?: readonly Venue[];
  /** How many times faster than the clock market time runs. Stated times then run ahead of the clock. */
  readonly speed?: number;
  /** Divides every duration: 15 turns 5 minutes into 20 s, and the 24 h life of a connection into 96 min. */
  readonly scale?: number;
  readonly windows?: readonly WindowName[];
  /** By venue. */
  readonly assets?: Readonly<Record<string, readonly string[]>>;
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
  /** By venue: what differs from the real venue's limits, and credentials to use instead of fresh ones. */
  readonly servers?: Readonly<Record<string, ServerSettings>>;
};

export type SentRecord = {
  /** Everything that left: WebSocket texts and REST answers. */
  readonly count: number;
  /** Of those, market content. */
  readonly data: number;
  /** Empty unless `record` was set. */
  readonly frames: readonly SentFrame[];
};

export type LostRecord = { readonly count: number; readonly frames: readonly LostFrame[] };

/** By setting name: addresses and credentials, as a recorder is configured with them. */
export type SimulatedSettings = Readonly<Record<string, string>>;

export type Simulators = {
  /** Empty for a venue that was not started. */
  settings(venue: Venue): SimulatedSettings;
  /** The market behind the servers, to compare with; read it, do not advance it. */
  readonly process: MarketProcess;
  inject(fault: Fault): void;
  faultsApplied(): readonly AppliedFault[];
  sent(venue: Venue): SentRecord;
  /** Market frames that were due for a client and that a fault kept back. */
  lost(venue: Venue): LostRecord;
  /** Sockets now open. */
  connections(venue: Venue): number;
  /** Moves markets and faults on to the clock's time; called by a timer unless autoRun is false. */
  step(): void;
  close(): Promise<void>;
};

const STEP_MS = 25;

/** Counts what leaves and what is lost, of each venue; keeps it, where asked. */
function createRecord(keep: boolean) {
  const sent = eachVenue(() => ({ count: 0, data: 0, frames: [] as SentFrame[] }));
  const lost = eachVenue(() => ({ count: 0, frames: [] as LostFrame[] }));
  return {
    sent,
    lost,
    onSent(frame: SentFrame): void {
      const record = sent(frame.venue);
      record.count++;
      if (frame.kind === 'data') record.data++;
      if (keep) record.frames.push(frame);
    },
    onLost(frame: LostFrame): void {
      const record = lost(frame.venue);
      record.count++;
      if (keep) record.frames.push(frame);
    },
  };
}

/** One of these for each venue. */
function eachVenue<T>(create: () => T): (venue: Venue) => T {
  const made = new Map<Venue, T>();
  return (venue) => {
    const found = made.get(venue) ?? create();
    made.set(venue, found);
    return found;
  };
}

const openMarkets = (
  options: SimulatorOptions & {
    readonly venues: readonly Venue[];
    readonly scale: number;
    readonly speed: number;
  },
  startMs: number,
): MarketProcess =>
  new MarketProcess({
    windows: ['5m', '15m', '1h'],
    assets: {},
    levels: 40,
    prelisted: 3,
    history: 24,
    ...options,
    startMs,
    updatesPerSecond: (options.updatesPerSecond ?? 2) / options.speed,
  });

export async function startSimulators(options: SimulatorOptions): Promise<Simulators> {
  const { seed, clock = () => Date.now() * 1_000, venues = VENUES, speed = 1, scale = 1 } = options;
  const startedUs = clock();
  const startMs = Math.floor(startedUs / 1_000);
  const process = openMarkets({ ...options, venues, scale, speed }, startMs);
  const { sent, lost, ...taps } = createRecord(options.record ?? false);
  const running = new Map<Venue, RunningVenue>();
  const emit: Emit = (event) => running.get(event.state.market.venue)?.on(event);
  const script = new FaultScript(options.faults ?? [], clock, (venue) => running.get(venue), options.onFault);
  for (const venue of venues)
    running.set(
      venue,
      await startSimulatedVenue({
        ...taps,
        venue,
        seed,
        scale,
        speed,
        process,
        clock,
        emit,
        host: options.host ?? '127.0.0.1',
        ports: options.ports?.[venue] ?? {},
        gate: script.gate(venue),
        stamp: (ms) => ms + script.clockOffsetMs(venue),
        settings: options.servers?.[venue] ?? {},
      }),
    );

  function step(): void {
    script.step();
    process.advance(startMs + Math.floor(((clock() - startedUs) / 1_000) * speed), emit);
  }
  const timer = options.autoRun === false ? null : setInterval(step, STEP_MS);
  return {
    settings: (venue) => running.get(venue)?.settings ?? {},
    process,
    inject: (fault) => script.inject(fault),
    faultsApplied: () => script.applied(),
    sent,
    lost,
    connections: (venue) => running.get(venue)?.server.clients.count() ?? 0,
    step,
    async close() {
      if (timer) clearInterval(timer);
      script.close();
      await Promise.all([...running.values()].map(({ server }) => server.close()));
    },
  };
}
