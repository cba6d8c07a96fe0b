export { nodePrimitives } from './primitives.ts';
export type { Gate, LostFrame, NativeSource, SentFrame, SourceConnection } from './source.ts';
export type { ServerSettings, VenueServer, VenueServerOptions } from './venue-server.ts';
export { startVenueServer } from './venue-server.ts';
