import type { ProcessEvent } from '../market/market-process.ts';
import type { NativeSource } from './protocol.ts';

/** A source fed by the market process: `on` is called with every event of its venue, in order. */
export type SimulatedSource<Frame> = NativeSource<Frame> & {
  readonly on: (event: ProcessEvent) => void;
  /** Delivers a frame of a fault's making. */
  push(frame: Frame): void;
};
