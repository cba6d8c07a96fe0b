export type { Ladders } from './capture/checks.ts';
export { bookState, checkBook, sameLadders } from './capture/checks.ts';
export type { CoverageAnswer, CoverageRow, GapRow, Interval } from './capture/coverage.ts';
export { coverageOf } from './capture/coverage.ts';
export { setBounded } from './kernel/bounded-map.ts';
export type { Micro, TextFormat } from './kernel/decimal.ts';
export {
  MICRO,
  complement,
  decimal,
  formatMicro,
  formatOf,
  parseDecimal,
  toNumber,
} from './kernel/decimal.ts';
export type { ErrorCode } from './kernel/errors.ts';
export { LadderlogError, isLadderlogError } from './kernel/errors.ts';
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
  GapOpened,
  LateFrames,
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
} from './events/events.ts';
export { BOOK_STATES, CHECK_FLAGS, EVENT_TYPES, PLANS, PROVENANCES } from './events/events.ts';
export type { MarketFieldKind } from './events/market-fields.ts';
export {
  MARKET_FIELDS,
  MARKET_FIELD_NAMES,
  MARKET_STATUSES,
  UNKNOWN_MARKET,
} from './events/market-fields.ts';
export type { BackoffLimits } from './kernel/backoff.ts';
export { backoffMs } from './kernel/backoff.ts';
export type { Clock, Micros } from './kernel/time.ts';
export {
  EARLIEST_MICROS,
  LATEST_MICROS,
  MICROS_PER_MS,
  MICROS_PER_SECOND,
  fromMillis,
  isoOrNull,
  parseClientTime,
  parseIso,
  toIso,
  toMillis,
} from './kernel/time.ts';
export type { Position } from './events/topics.ts';
export {
  CONTROL_TOPIC,
  TOPICS,
  formatPosition,
  framesTopic,
  keyOf,
  parsePosition,
  partitionName,
  timeOf,
  topicOf,
} from './events/topics.ts';
export type {
  BookFinding,
  CompareFinding,
  Finding,
  Frame,
  MarketFields,
  Normalizer,
  RejectFinding,
  SampleFinding,
  VenueCapture,
} from './capture/finding.ts';
export type { VenueAdapter } from './venues/adapter.ts';
export { sourceLevels } from './market/source-levels.ts';
export { hashText } from './kernel/hash.ts';
export type { SideLevel } from './market/ladder.ts';
export { Side } from './market/ladder.ts';
export type { CaptureOptions } from './capture/capture.ts';
export { isLateFrame } from './capture/late-frames.ts';
export type { CapturedVenue } from './capture/shared.ts';
export { Capture } from './capture/capture.ts';
export type { Evidence } from './capture/evidence.ts';
export { evidenceOf } from './capture/evidence.ts';
export { Session } from './capture/session.ts';
export type { Track } from './capture/tracks.ts';
export type { ApiKey, KeyCheck, KeyRing } from './access/keys.ts';
export {
  NO_KEYS,
  checkKey,
  equalText,
  evolveKeys,
  formatKey,
  isControlEvent,
  parseKey,
} from './access/keys.ts';
export type { PlanTable, RateLimit } from './access/plans.ts';
export { PLAN_TERMS, oldestAllowed, planAllows, planFor, planReaching } from './access/plans.ts';
export type { ArrayLadders, BookRecord, LadderShape, LevelLadders, MarketIdentity } from './market/record.ts';
export { toRecord } from './market/record.ts';
export { showFields } from './market/shown-fields.ts';
export type { RecordStyle } from './market/record-style.ts';
export { ownIds } from './market/record-style.ts';
export type { ColumnType, Columns, StoredRow, TableName, TableRow } from './tables/tables.ts';
export { EVENT_TABLES, POSITION_COLUMNS, TABLES, TABLE_NAMES } from './tables/tables.ts';
export { fingerprintOf, isNewer, type EventOf, type Projection } from './tables/projection.ts';
export { PROJECTIONS } from './tables/projections/all.ts';
export { bookFromRow } from './tables/projections/book-snapshots.ts';
export { coverage as coverageProjection, delayFromRow } from './tables/projections/coverage.ts';
export { gapFromRow, gaps as gapsProjection } from './tables/projections/gaps.ts';
export { MergedRows } from './tables/merged-rows.ts';
export { marketFromRow } from './tables/projections/markets.ts';
export { poisonRow } from './tables/projections/rejects.ts';
export type {
  Answer,
  BackfillPage,
  BackfillStep,
  CollectPlan,
  KnownMarket,
  PollLimits,
  Primitives,
  Requests,
  RestEndpoint,
  SocketDialogue,
  Target,
  VenueCollect,
  VenueRequest,
  VenueTiming,
} from './capture/collect.ts';
export { DEFAULT_TIMING, timingOf } from './capture/collect.ts';
export type { Parsed, Setting, VenueSettings } from './kernel/settings.ts';
export { defaultValues, venueSettingEnv, venueSettingName } from './kernel/settings.ts';
export * as parse from './kernel/setting-parsers.ts';
export { VENUES, VENUE_ADAPTERS, adapterOf, isVenue } from './venues/registry.ts';
export type { MarketColumn, ParameterSpec, RouteKind, Schema, VenueRoutes } from './venues/routes.ts';
export type { GapView, StreamEvent, StreamMessage } from './feed/messages.ts';
export { STREAM_ERRORS, STREAM_TYPES, STREAM_VERSION, gapView, streamText } from './feed/messages.ts';
export type { MarketFacts, ReplayControl, StreamFilter, StreamFrom, StreamRequest } from './feed/requests.ts';
export { filterKey, filterMatches, parseStreamRequest, speedOf } from './feed/requests.ts';
export {
  STREAM_CLOSE,
  STREAM_LIMITS,
  StreamRefusal,
  checkSubscription,
  malformed,
  resumeAfter,
  subscribedPlaces,
  unknownSubscription,
} from './feed/rules.ts';
export { RequestReader } from './feed/request-reader.ts';
export type { EngineOptions, EngineResult } from './backtest/run.ts';
export { BacktestEngine } from './backtest/engine.ts';
export type { FeeModel } from './backtest/fees.ts';
export { feeOf } from './backtest/fees.ts';
export type { Random } from './backtest/random.ts';
export type { BacktestReport, RunFacts } from './backtest/report.ts';
export { buildReport, reportJson } from './backtest/report.ts';
export { reportText } from './backtest/report-text.ts';
export { bookOf } from './backtest/traded-market.ts';
export type { Rules, VenueTrading } from './backtest/trading.ts';
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
export { Markets, marketKey } from './market/markets.ts';
export type { MarketRows, MarketState, Placed } from './market/state.ts';
export {
  KEPT,
  absenceOf,
  emptyMarket,
  evolve,
  factsOf,
  goesOn,
  isGoingOn,
  isOver,
  withRows,
  withoutBooks,
  withoutNative,
} from './market/state.ts';
export type { VenueHealth } from './market/venue-status.ts';
export { MessageAges } from './market/message-age.ts';
export { SILENT_MS, Statuses, silentMs } from './market/venue-status.ts';
export type { LastSeen, Recording } from './market/watching.ts';
export { lastSeenOf, newerSeen } from './market/watching.ts';
export { microText, recordText } from './market/record-text.ts';
export { mulberry32 } from './kernel/random.ts';
export { Query } from './venues/serving/query.ts';
export type { DerivedAnswer, Recalled, VenueReplayPart } from './venues/serving/replay.ts';
export { mix, numberOf } from './venues/serving/seeded.ts';
export type {
  KeepAlive,
  Output,
  ProtocolOptions,
  RequestHead,
  RestAnswer,
  RestRequest,
  ServerPrimitives,
  ServerProtocol,
  ServerSocket,
  Service,
  VenueFrame,
  VenueServerPart,
} from './venues/serving/server.ts';
export type { Side as BookSide } from './venues/serving/sim-book.ts';
export { GRIDS, SimBook, indexAtOrBelow } from './venues/serving/sim-book.ts';
export type {
  Series,
  SimMarket,
  SimMarketEvent,
  SimMarketState,
  SimulatedMarkets,
  VenueSimulatePart,
  WindowName,
  Winner,
} from './venues/serving/simulate.ts';
export { phaseAt } from './venues/serving/simulate.ts';
