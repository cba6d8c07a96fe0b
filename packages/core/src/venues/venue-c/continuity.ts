// How messages of venue C may be lost or out of order. They have no numbers: a book is lost when a change of it cannot be read,
// when a change comes before any full book, or when the price grid changes; a full book brings it back.

import type { Finding } from '../../capture/finding.ts';
import type { Micros } from '../../kernel/time.ts';

export type LossCause = 'awaiting_snapshot' | 'tick_change' | 'rejected_frame';

/** Tokens whose book is not known. Each loss is stated once, until the next full book. */
export class Losses {
  private readonly stated = new Set<string>();

  lose(market: string, token: string, cause: LossCause, detail: string, into: Finding[]): void {
    if (this.stated.has(token)) return;
    this.stated.add(token);
    into.push({ type: 'break', market, outcome: token, cause, scope: 'book', detail });
  }

  /** A full book came, or the token is over. */
  found(token: string): void {
    this.stated.delete(token);
  }

  clear(): void {
    this.stated.clear();
  }
}

/** By the venue's clock. A change older than a book by REST is in that book already. */
export const isBefore = (change: Micros | null, book: Micros | null): boolean =>
  change !== null && book !== null && change < book;
