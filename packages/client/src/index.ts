export type {
  Asset,
  ClientOptions,
  LadderQuery,
  LadderlogClient,
  MarketQuery,
  Range,
  SnapshotQuery,
} from './client.ts';
export { createClient } from './client.ts';
export { LadderlogApiError, LadderlogConnectionError, LadderlogGapError, isApiError } from './errors.ts';
export type { OnGap, Page, Paged } from './paged.ts';
export { sourceText } from './source-text.ts';
export type {
  ArrayLadders,
  BookRecord,
  Coverage,
  CoverageReport,
  Dataset,
  ErrorCode,
  Gap,
  GapRecord,
  Health,
  LevelLadders,
  Market,
  MarketStatus,
  Metric,
  OverviewEntry,
  Pagination,
  Sample,
  TimeInput,
  Venue,
  Whoami,
} from './types.ts';
