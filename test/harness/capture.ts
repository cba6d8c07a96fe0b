// Real simulators, real collectors, a real SQLite log in a temporary folder: capture as tests see it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Clocks, CollectOptions } from '@ladderlog/collectors';
import { collect, createPrimitives, systemClocks } from '@ladderlog/collectors';
import type { Venue, VenueEvent, VenueTiming } from '@ladderlog/core';
import { DEFAULT_TIMING, VENUES, adapterOf, defaultValues, framesTopic } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { openSqliteLog, positionsFromBeginning, readEvents } from '@ladderlog/log';
import type { SimulatorOptions, Simulators } from '@ladderlog/simulators';
import { startSimulators } from '@ladderlog/simulators';
import { pino } from 'pino';

/**
 * Discovery, probes and beats much quicker than for real venues. Limits past which a gap opens are not: a machine that stands
 * still for a few seconds must not add honest gaps of its own to the one that a test expects.
 */
export const QUICK: VenueTiming = {
  ...DEFAULT_TIMING,
  discoverMs: 700,
  leadMs: 2_000,
  graceMs: 2_000,
  silenceMs: 10_000,
  quietMs: 1_200,
  compareMs: null,
  keepAliveMs: 300,
  staleMs: 6_000,
};

/** The hour at which these tests play, whenever they run: what the simulated venues do is then the same every time. */
export const NOON = Date.UTC(2026, 10, 15, 12);

export type CaptureOptions = {
  readonly venues?: readonly Venue[];
  readonly simulator?: Partial<SimulatorOptions>;
  readonly timing?: Partial<VenueTiming>;
  /** Venue B: the socket (default) or polling. */
  readonly poll?: boolean;
  /** Milliseconds; a minute into the windows unless told otherwise. */
  readonly startsAt?: number;
  /** Microseconds by which the collector's wall clock is off. */
  readonly wallShift?: () => number;
  /** Default: so long that a busy machine does not matter. */
  readonly stampLimitMs?: number;
  readonly log?: EventLog;
  readonly outbox?: CollectOptions['outbox'];
  readonly readsPerSecond?: number;
  /** Venue C: what stands between its socket and the collector. */
  readonly wire?: (url: string) => string;
};

export type TestCapture = {
  readonly simulators: Simulators;
  /** Microseconds: the time that it is there. */
  readonly clock: () => number;
  readonly log: EventLog;
  /** All events of the venues so far, in log order per partition. */
  events(): Promise<VenueEvent[]>;
  /** Waits until the log satisfies this. */
  until(
    what: string,
    holds: (events: readonly VenueEvent[]) => boolean,
    timeoutMs?: number,
  ): Promise<VenueEvent[]>;
  stop(): Promise<VenueEvent[]>;
  close(): Promise<void>;
};

/** What a test sets of each venue, over the simulator's own addresses and keys. */
function valuesOf(
  venue: Venue,
  simulators: Pick<Simulators, 'settings'>,
  options: CaptureOptions,
): Record<string, unknown> {
  const own: Readonly<Record<string, unknown>> = simulators.settings(venue);
  const { settings, collect: of } = adapterOf(venue);
  return {
    ...defaultValues(settings),
    ...of.simulated.values,
    ...own,
    ...('readsPerSecond' in settings ? { readsPerSecond: options.readsPerSecond ?? 15 } : {}),
    ...(options.poll ? { keyId: null } : {}),
    ...(options.wire ? { wsUrl: options.wire(own['wsUrl'] as string) } : {}),
  };
}

/** How each venue is collected, from the addresses and keys of its simulator. */
export function plansOf(
  simulators: Pick<Simulators, 'settings'>,
  options: CaptureOptions,
  wallMs: () => number,
): CollectOptions['venues'] {
  const timing = { ...QUICK, ...options.timing };
  return (options.venues ?? VENUES).map((venue) => {
    const adapter = adapterOf(venue);
    const values = valuesOf(venue, simulators, options);
    const plan = adapter.collect.plan(values, timing, createPrimitives(wallMs));
    if ('missing' in plan) throw new Error(`${venue} needs ${plan.missing.join(' and ')}`);
    return { adapter, plan };
  });
}

export async function readAll(log: EventLog, venues: readonly Venue[] = VENUES): Promise<VenueEvent[]> {
  const topics = venues.flatMap((venue) => [venue, framesTopic(venue)]);
  const found: VenueEvent[] = [];
  for await (const batch of readEvents(log, { from: await positionsFromBeginning(log, topics) })) {
    for (const item of batch) {
      if (item.error) throw item.error;
      found.push(item.event as VenueEvent);
    }
  }
  return found;
}

/** How many of each type, by venue. */
const summary = (events: readonly VenueEvent[]): string =>
  [...Map.groupBy(events, ({ venue, type }) => `${venue} ${type}`)]
    .map(([name, of]) => `${of.length} ${name}`)
    .sort()
    .join(', ');

export async function startCapture(options: CaptureOptions = {}): Promise<TestCapture> {
  const venues = options.venues ?? VENUES;
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-capture-'));
  const offset = (options.startsAt ?? NOON + 60_000) - Date.now();
  const clock = (): number => (Date.now() + offset) * 1_000;
  const clocks: Clocks = {
    wall: () => clock() + (options.wallShift?.() ?? 0),
    monotonic: systemClocks.monotonic,
  };
  const simulators = await startSimulators({
    seed: 7,
    clock,
    record: true,
    venues,
    updatesPerSecond: 4,
    ...options.simulator,
  });
  const log = options.log ?? (await openSqliteLog({ path: join(folder, 'log.sqlite') }));
  const stop = new AbortController();
  const logger = pino({ level: process.env['LADDERLOG_TEST_LOG'] ?? 'silent' });
  const running = await collect(
    {
      log,
      venues: plansOf(simulators, { ...options, venues }, () => clocks.wall() / 1_000),
      collector: 'test',
      logger,
      beatMs: 300,
      clockJumpMs: 20_000,
      stampLimitMs: options.stampLimitMs ?? 600_000,
      backoff: { baseMs: 50, maxMs: 200 },
      clocks,
      ...(options.outbox ? { outbox: options.outbox } : {}),
    },
    stop.signal,
  );
  running.done.catch(() => undefined);
  const events = (): Promise<VenueEvent[]> => readAll(log, venues);
  return {
    simulators,
    clock,
    log,
    events,
    async until(what, holds, timeoutMs = 150_000) {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        const now = await events();
        if (holds(now)) return now;
        if (performance.now() > deadline)
          throw new Error(`waited ${timeoutMs} ms for ${what}; the log has ${summary(now)}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    async stop() {
      stop.abort();
      await running.done;
      return events();
    },
    async close() {
      stop.abort();
      await running.done.catch(() => undefined);
      if (!options.log) await log.close();
      await simulators.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
