export { FEED_PATH, Feed } from './feed.ts';
export type { FeedKeys, FeedLimits, FeedObserver, FeedOptions } from './options.ts';
export { FEED_LIMITS } from './options.ts';
