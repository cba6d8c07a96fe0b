// What one normalizer remembers of the catalogue. Short-dated markets come by the thousand a day: those that ended are kept
// only for a while, so that late answers still meet what was known, and then let go.

import type { MarketFields } from '../../capture/finding.ts';

const ENDED_KEPT = 1_000;

export const isEnded = ({ status }: Pick<MarketFields, 'status'>): boolean =>
  status === 'resolved' || status === 'voided';

export class KnownMarkets {
  private readonly markets = new Map<string, MarketFields>();
  private readonly ended = new Set<string>();
  private readonly letGo: (market: string, fields: MarketFields) => void;

  /** `letGo` is told of each market that is forgotten. */
  constructor(letGo: (market: string, fields: MarketFields) => void) {
    this.letGo = letGo;
  }

  get(market: string): MarketFields | undefined {
    return this.markets.get(market);
  }

  has(market: string): boolean {
    return this.markets.has(market);
  }

  set(market: string, fields: MarketFields): void {
    this.markets.set(market, fields);
    if (!isEnded(fields)) return;
    this.ended.add(market);
    if (this.ended.size <= ENDED_KEPT) return;
    const [oldest] = this.ended;
    const forgotten = this.markets.get(oldest!)!;
    this.ended.delete(oldest!);
    this.markets.delete(oldest!);
    this.letGo(oldest!, forgotten);
  }
}
