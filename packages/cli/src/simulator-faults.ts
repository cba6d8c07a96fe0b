// What goes wrong now and then when LADDERLOG_SIMULATOR_FAULTS is on: one fault of each kind in turn, every half minute, for
// a day. Deterministic for a seed.

import type { Fault } from '@ladderlog/simulators';
import { FAULT_KINDS } from '@ladderlog/simulators';

const EVERY_SECONDS = 30;
const DAY_SECONDS = 86_400;

export function simulatorFaults(seed: number): Fault[] {
  const venues = ['venuea', 'venueb', 'venuec'] as const;
  const faults: Fault[] = [];
  for (let at = EVERY_SECONDS, turn = seed; at < DAY_SECONDS; at += EVERY_SECONDS, turn++) {
    faults.push({
      at,
      venue: venues[turn % venues.length]!,
      kind: FAULT_KINDS[turn % FAULT_KINDS.length]!,
      duration: 5,
    });
  }
  return faults;
}
