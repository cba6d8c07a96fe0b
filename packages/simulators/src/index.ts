export { startSimulators } from './start.ts';
export type { SentRecord, SimulatorOptions, Simulators } from './start.ts';
export { FAULT_KINDS } from './faults/faults.ts';
export type { AppliedFault, Fault, FaultKind } from './faults/faults.ts';
export type { SimMarket } from './market/series.ts';
export type {
  FrameA,
  FrameB,
  FrameC,
  Gate,
  LostFrame,
  NativeSource,
  RestAnswer,
  RestRequest,
  RestService,
  SentFrame,
  SentTap,
  ServerOptions,
  SourceConnection,
  VenueServer,
} from './server/protocol.ts';
export { createVenueAServer } from './venue-a/server.ts';
export type { VenueAOptions } from './venue-a/server.ts';
export { createVenueBServer } from './venue-b/server.ts';
export type { VenueBOptions } from './venue-b/server.ts';
export { generateKeys } from './venue-b/signing.ts';
export type { KeyPair } from './venue-b/signing.ts';
export { createVenueCServer } from './venue-c/server.ts';
export type { VenueCServer } from './venue-c/server.ts';
export { bookHash, tokensAsked } from './venue-c/books.ts';
export type { BookSummary } from './venue-c/books.ts';
