// What is said on venue C's market channel: token ids, first all of them, later what is added or removed.

import type { SocketDialogue, Target, VenueTiming } from '../../capture/collect.ts';
import { PING, addTokensMessage, removeTokensMessage, subscribeMessage } from './requests.ts';

const tokens = (targets: readonly Target[]): string[] => targets.flatMap(({ outcomes }) => outcomes);

export const createDialogue = (wsUrl: string, timing: VenueTiming): SocketDialogue => ({
  endpoint: () => ({ url: wsUrl, headers: {} }),
  settings: {},
  hello: (targets) => [subscribeMessage(tokens(targets))],
  add: (targets) => [addTokensMessage(tokens(targets))],
  remove: (targets) => [removeTokensMessage(tokens(targets))],
  // The venue sends a whole book to whoever subscribes.
  resync: (targets) => [removeTokensMessage(tokens(targets)), addTokensMessage(tokens(targets))],
  keepAlive: { everyMs: timing.keepAliveMs, text: PING },
  minSendGapMs: 0,
});
