// The names of the contract's schemas, for those who use the client.

import type { components } from './generated/openapi.ts';

type Schemas = components['schemas'];

export type Market = Schemas['Market'];
export type BookRecord = Schemas['BookRecord'];
export type ArrayLadders = Schemas['ArrayLadders'];
export type LevelLadders = Schemas['LevelLadders'];
export type Sample = Schemas['Sample'];
export type Gap = Schemas['Gap'];
export type GapRecord = Schemas['GapRecord'];
export type Coverage = Schemas['Coverage'];
export type Pagination = Schemas['Pagination'];
export type Metric = Schemas['Metric'];
export type Venue = Schemas['Venue'];
export type Dataset = Schemas['Dataset'];
export type MarketStatus = Schemas['MarketStatus'];
export type Whoami = Schemas['Whoami']['data'];
export type Health = Schemas['Health']['data'];
export type OverviewEntry = Schemas['Overview']['data'][number];
export type CoverageReport = Schemas['CoverageAnswer']['data'];
export type ErrorCode = Schemas['ErrorAnswer']['error']['code'];

/** ISO 8601 text, epoch milliseconds, or a Date. */
export type TimeInput = string | number | Date;
