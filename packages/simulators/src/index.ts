export { startSimulators } from './start.ts';
export type { LostRecord, SentRecord, SimulatedSettings, SimulatorOptions, Simulators } from './start.ts';
export type { LostFrame, SentFrame } from '@ladderlog/servers';
export { FAULT_KINDS } from './faults/faults.ts';
export type { AppliedFault, Fault, FaultKind } from './faults/faults.ts';
