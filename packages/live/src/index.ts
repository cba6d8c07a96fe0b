// The state of all markets, read from the tables and kept current from the log, for whoever needs it.
export type { Live, LiveListener, LiveOptions, LiveRecord } from './live.ts';
export { openLive } from './live.ts';
export type { LiveMarket } from './markets.ts';
export { tablesInput } from './tables-input.ts';
