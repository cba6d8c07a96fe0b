export type { Feed } from './feed.ts';
export { FEED_PATH, createFeed } from './feed.ts';
export type { FeedKeys, FeedLimits, FeedObserver, FeedOptions, FeedStart, KnownMarket } from './options.ts';
export { FEED_LIMITS } from './options.ts';
