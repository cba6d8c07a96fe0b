// Books that were asked for again and have not come: when a question was the last one before a new connection. Pure.

import type { Micros, Track } from '@ladderlog/core';

/** Questions for a book on one connection that may go without an answer before we reconnect for it. */
const ASKS = 3;
/** After every reconnect that did not bring the book either, so many times more questions. */
const MORE_PATIENCE = 4;

/** Since when each market of the connection is without a book of it. */
export function awaitedBooks(
  tracks: Iterable<Track>,
  session: string,
  openedAt: Micros,
): Map<string, Micros> {
  const awaited = new Map<string, Micros>();
  for (const { session: of, dataset, market, gap } of tracks) {
    if (of !== session || dataset !== 'books' || !gap) continue;
    const since = Math.max(gap.from, openedAt);
    awaited.set(market, Math.min(since, awaited.get(market) ?? since));
  }
  return awaited;
}

export class Asks {
  /** On this connection: when last, and how often in vain. */
  private readonly asked = new Map<string, { readonly at: Micros; readonly times: number }>();
  private readonly reconnects = new Map<string, number>();

  /** A new connection, on which nothing was asked yet. */
  begin(): void {
    this.asked.clear();
  }

  ask(market: string, at: Micros): void {
    this.asked.set(market, { at, times: this.asked.get(market)?.times ?? 0 });
  }

  /** Nothing came in time; asking again is next. */
  miss(market: string, at: Micros): void {
    this.asked.set(market, { at, times: (this.asked.get(market)?.times ?? 0) + 1 });
  }

  lastAt(market: string): Micros {
    return this.asked.get(market)?.at ?? 0;
  }

  /**
   * `awaited`: since when each market is without its book. What was last asked for before `before` is to be asked for again;
   * `inVain`: one that trades was asked for so often that only a new connection may bring it.
   */
  review(
    awaited: ReadonlyMap<string, Micros>,
    before: Micros,
    now: Micros,
    trades: (market: string) => boolean,
  ): { readonly again: readonly string[]; readonly inVain: boolean } {
    this.keepOnly(awaited);
    const again = [...awaited].flatMap(([market, since]) =>
      Math.max(since, this.lastAt(market)) < before ? [market] : [],
    );
    for (const market of again) this.miss(market, now);
    const inVain = again.filter((market) => this.inVain(market) && trades(market));
    for (const market of inVain) this.reconnect(market);
    return { again, inVain: inVain.length > 0 };
  }

  /** All others have their book, or are not watched any more. */
  keepOnly(waiting: { has(market: string): boolean }): void {
    for (const past of [this.asked, this.reconnects])
      for (const market of past.keys()) if (!waiting.has(market)) past.delete(market);
  }

  /** Enough questions went without an answer. */
  inVain(market: string): boolean {
    const patience = ASKS * MORE_PATIENCE ** (this.reconnects.get(market) ?? 0);
    return (this.asked.get(market)?.times ?? 0) >= patience;
  }

  reconnect(market: string): void {
    this.reconnects.set(market, (this.reconnects.get(market) ?? 0) + 1);
  }
}
