// What subscriptions that were just opened are sent first: the books and gaps of the replay's moment. The replay waits for it, and
// what the client says meanwhile is obeyed.

import type { MarketState } from '@ladderlog/core';
import { readingTurns } from '@ladderlog/log';
import type { ReplayClient } from './client.ts';
import type { ReplayState } from './state.ts';

export class CurrentBooks {
  private readonly client: ReplayClient;
  private readonly sending = new Set<Promise<void>>();

  constructor(client: ReplayClient) {
    this.client = client;
  }

  send(state: ReplayState, markets: readonly MarketState[], isWanted: () => boolean): void {
    const sent = this.sendAll(state, markets, isWanted).finally(() => this.sending.delete(sent));
    this.sending.add(sent);
  }

  /** Resolved when all is sent; null when nothing is under way. */
  sent(): Promise<void> | null {
    return this.sending.size === 0 ? null : this.allSent();
  }

  private async allSent(): Promise<void> {
    while (this.sending.size > 0) await Promise.all(this.sending);
  }

  private async sendAll(
    state: ReplayState,
    markets: readonly MarketState[],
    isWanted: () => boolean,
  ): Promise<void> {
    for (const market of markets) {
      if (readingTurns.isOver) await readingTurns.next();
      if (this.client.isBehind) await this.client.caughtUp();
      if (!isWanted()) return;
      for (const text of state.currentTexts(market)) this.client.sendText(text);
    }
  }
}
