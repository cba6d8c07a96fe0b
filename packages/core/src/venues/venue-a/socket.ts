// What is said on venue A's socket: it is opened with a signed query, and each market is a topic.

import type { Primitives, SocketDialogue, Target, VenueTiming } from '../../capture/collect.ts';
import {
  API_KEY_HEADER,
  MESSAGES_PER_SECOND,
  PING_INTERVAL_MS,
  bookTopic,
  signedQuery,
  socketQuery,
  subscribeMessage,
  unsubscribeMessage,
} from './requests.ts';

export function createDialogue(
  values: { readonly wsUrl: string; readonly apiKey: string; readonly apiSecret: string },
  timing: VenueTiming,
  { wallMs, randomHex, hmacSha256Hex }: Primitives,
): SocketDialogue {
  const subscribe = (targets: readonly Target[]): string[] =>
    targets.map(({ market }) => subscribeMessage(bookTopic(market)));
  return {
    endpoint: () => {
      const query = socketQuery({ topics: [], random: randomHex(12), timestampMs: wallMs() });
      return {
        url: `${values.wsUrl}?${signedQuery(query, hmacSha256Hex(values.apiSecret, query))}`,
        headers: { [API_KEY_HEADER]: values.apiKey },
      };
    },
    settings: {},
    hello: subscribe,
    add: subscribe,
    remove: (targets) => targets.map(({ market }) => unsubscribeMessage(bookTopic(market))),
    // Every push is a whole book: the next one mends, or a book by REST.
    resync: () => [],
    keepAlive: { everyMs: Math.min(timing.keepAliveMs, PING_INTERVAL_MS), text: null },
    // Half of what the venue allows: messages that a slow network or machine bunches must not cross its limit and cost a gap.
    minSendGapMs: Math.ceil(2_000 / MESSAGES_PER_SECOND),
  };
}
