// The state of all markets, hydrated from the tables and kept current from the log, for whoever needs it.
export const PACKAGE = 'live';
