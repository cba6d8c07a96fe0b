export type { Ladders } from './checks.ts';
export { bookState, checkBook, sameLadders } from './checks.ts';
export type { CoverageAnswer, CoverageRow, GapRow, Interval } from './coverage.ts';
export { coverageOf } from './coverage.ts';
export type { Decimal, Micro, TextFormat } from './decimal.ts';
export { MICRO, complement, decimal, formatMicro, formatOf, parseDecimal } from './decimal.ts';
export type { ErrorCode, ErrorDetails } from './errors.ts';
export { ERROR_CODES, LadderlogError, isLadderlogError } from './errors.ts';
export type {
  BookCompared,
  BookObserved,
  BookState,
  CaptureBeat,
  CaptureStarted,
  CaptureStopped,
  CheckFlag,
  ControlEvent,
  Dataset,
  Envelope,
  EventType,
  FrameCaptured,
  FrameRejected,
  GapCause,
  GapClosed,
  GapEdge,
  GapOpened,
  GapScope,
  KeyIssued,
  KeyRevoked,
  LadderEvent,
  MarketObserved,
  MarketStatus,
  Metric,
  MetricSampled,
  Outcome,
  Plan,
  Provenance,
  TextException,
  Venue,
  VenueEvent,
} from './events.ts';
export {
  BOOK_STATES,
  CHECK_FLAGS,
  DATASETS,
  EVENT_TYPES,
  GAP_CAUSES,
  GAP_SCOPES,
  MARKET_STATUSES,
  METRICS,
  PLANS,
  PROVENANCES,
  VENUES,
} from './events.ts';
export type { Clock, Micros } from './time.ts';
export {
  EARLIEST_MICROS,
  LATEST_MICROS,
  MICROS_PER_MS,
  MICROS_PER_SECOND,
  fromMillis,
  parseClientTime,
  parseIso,
  toIso,
  toMillis,
} from './time.ts';
export type { Position } from './topics.ts';
export {
  CONTROL_TOPIC,
  TOPICS,
  formatPosition,
  framesTopic,
  keyOf,
  parsePosition,
  timeOf,
  topicOf,
} from './topics.ts';
export type {
  BookFinding,
  BreakFinding,
  CompareFinding,
  EndFinding,
  Finding,
  Frame,
  MarketFields,
  MarketFinding,
  Normalizer,
  RejectFinding,
  SampleFinding,
  SkipFinding,
  VenueAdapter,
} from './venue.ts';
export { sourceLevels } from './venue.ts';
export { hashText } from './hash.ts';
export type { SideLevel } from './ladder.ts';
export { Side } from './ladder.ts';
export type { CaptureOptions } from './capture.ts';
export { Capture } from './capture.ts';
export type { Evidence } from './evidence.ts';
export { EvidenceFold } from './evidence.ts';
export type { FrameResult } from './session.ts';
export { Session } from './session.ts';
export type { OpenGap, Track } from './tracks.ts';
export type { ApiKey, KeyCheck, KeyRing, KeyText } from './keys.ts';
export { NO_KEYS, checkKey, equalText, evolveKeys, formatKey, isControlEvent, parseKey } from './keys.ts';
export type { PlanTable, PlanTerms, RateLimit } from './plans.ts';
export { PLAN_TERMS, oldestAllowed, planAllows, planFor, planReaching } from './plans.ts';
export type {
  ArrayLadders,
  BookRecord,
  LadderShape,
  Level,
  LevelLadders,
  MarketIdentity,
  Observation,
  RecordIdentity,
} from './record.ts';
export { VENUE_B_LEVELS, identity, observation, toNumber, toRecord } from './record.ts';
export type { ColumnType, ColumnValue, Columns, TableName, TableRow } from './tables.ts';
export { EVENT_TABLES, POSITION_COLUMNS, TABLES, TABLE_NAMES } from './tables.ts';
export { fingerprintOf, isNewer, type EventOf, type Projection } from './projection.ts';
export { PROJECTIONS } from './projections/all.ts';
export { poisonRow } from './projections/rejects.ts';
export type { VenueRequest } from './venues/request.ts';
export { VENUE_ADAPTERS } from './venues/adapters.ts';
export { UNKNOWN_MARKET } from './venues/merge-market.ts';
export { venueA } from './venues/venue-a/normalize.ts';
export * as subscribeA from './venues/venue-a/subscribe.ts';
export { venueB } from './venues/venue-b/normalize.ts';
export * as subscribeB from './venues/venue-b/subscribe.ts';
export { venueC } from './venues/venue-c/normalize.ts';
export * as subscribeC from './venues/venue-c/subscribe.ts';
export type {
  BookMessage,
  FeedState,
  GapMessage,
  GapView,
  MarketMessage,
  MessageFlags,
  StreamErrorCode,
  StreamEvent,
  StreamMarket,
  StreamMessage,
  VenueStatus,
} from './stream.ts';
export { STREAM_ERRORS, STREAM_TYPES, STREAM_VERSION, gapView, streamText } from './stream.ts';
export type {
  MarketFacts,
  ParsedRequest,
  ReplayControl,
  StreamFilter,
  StreamFrom,
  StreamRequest,
} from './stream-requests.ts';
export { filterKey, filterMatches, parseStreamRequest, speedOf } from './stream-requests.ts';
export {
  STREAM_CLOSE,
  STREAM_LIMITS,
  StreamRefusal,
  checkSubscription,
  isGoingOn,
  malformed,
  resumeAfter,
  subscribedPlaces,
  unknownSubscription,
} from './stream-rules.ts';
export type { CrossedGap, EngineOptions, EngineResult } from './backtest/run.ts';
export { BacktestEngine } from './backtest/engine.ts';
export type { FeeModel, Traded } from './backtest/fees.ts';
export { DEFAULT_FEES, feeOf } from './backtest/fees.ts';
export type { Random } from './backtest/random.ts';
export type { BacktestReport, RunFacts } from './backtest/report.ts';
export { NOT_MODELLED, buildReport, reportJson, reportText } from './backtest/report.ts';
export type { Rules } from './backtest/rules.ts';
export { DEFAULT_RULES } from './backtest/rules.ts';
export type { VoidRule } from './backtest/settle.ts';
export type {
  Fill,
  GapNotice,
  Order,
  OrderEnd,
  OrderRequest,
  OrderState,
  Settlement,
  Strategy,
  StrategyContext,
} from './backtest/strategy.ts';
export { ORDER_ENDS } from './backtest/strategy.ts';
export { SILENT_MS, Statuses, silentMs } from './stream-status.ts';
export { microText, recordText } from './record-text.ts';
