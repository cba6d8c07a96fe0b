// What goes wrong now and then when LADDERLOG_SIMULATOR_FAULTS is on: one fault of each kind in turn, every half minute, for
// a day. Deterministic for a seed. Each is logged as it begins, so that what was recorded can be held against it.

import { VENUES } from '@ladderlog/core';
import type { Fault, SimulatorOptions, Simulators } from '@ladderlog/simulators';
import { FAULT_KINDS, startSimulators } from '@ladderlog/simulators';

import type { Context } from '../context.ts';
import type { SimulatedVenues } from './venues.ts';

const EVERY_SECONDS = 30;
const DAY_SECONDS = 86_400;

export function simulatorFaults(seed: number): Fault[] {
  const faults: Fault[] = [];
  for (let at = EVERY_SECONDS, turn = seed; at < DAY_SECONDS; at += EVERY_SECONDS, turn++) {
    faults.push({
      at,
      venue: VENUES[turn % VENUES.length]!,
      kind: FAULT_KINDS[turn % FAULT_KINDS.length]!,
      duration: 5,
    });
  }
  return faults;
}

/** The simulated venues as configured. */
export const simulate = (
  { config, logger }: Context,
  venues?: SimulatorOptions['venues'],
): Promise<Simulators> =>
  startSimulators({
    seed: config.simulatorSeed,
    ...(venues ? { venues } : {}),
    ...(config.simulatorFaults ? { faults: simulatorFaults(config.simulatorSeed) } : {}),
    onFault: ({ fault: { venue, kind, duration = 0 }, startedAt, market, sockets }) =>
      logger.info(
        { event: 'simulator.fault', venue, kind, at: startedAt, seconds: duration, market, sockets },
        `${venue} misbehaves as told: ${kind}`,
      ),
  });

/** Where they are, for a recorder. */
export const simulatedVenues = (simulators: Simulators): SimulatedVenues =>
  Object.fromEntries(VENUES.map((venue) => [venue, simulators.settings(venue)]));
