// Looking a market up: its metadata, or the fact that it is known from its books only. Remembered, since a client that pages
// asks for the same market again and again.

import type { MarketObserved, Position, Venue } from '@ladderlog/core';
import { marketFromRow } from '@ladderlog/core';
import type { MarketRecord, Store } from '@ladderlog/store';
import { marketById, marketBySlug, marketSeen } from '@ladderlog/store';
import type { Memo } from './memo.ts';
import type { Revisions } from './revisions.ts';

export type KnownMarket = {
  readonly venue: Venue;
  readonly market: string;
  /** Null: no metadata was ever seen, only books or capture. */
  readonly metadata: MarketObserved | null;
  /** Where in the log that was told. */
  readonly position: Position | null;
};

export type Catalogue = {
  find(venue: Venue, market: string): Promise<KnownMarket | null>;
  bySlug(venue: Venue, slug: string): Promise<KnownMarket | null>;
};

export function createCatalogue(
  store: Store,
  generation: () => Promise<number>,
  memo: Memo,
  revisions: Revisions,
): Catalogue {
  const known = (row: MarketRecord): KnownMarket => {
    const { event: metadata, position } = marketFromRow(row);
    return { venue: metadata.venue, market: metadata.market, metadata, position };
  };
  return {
    async find(venue, market) {
      const request = { generation: await generation(), venue, market };
      const found = await memo(
        `market\n${venue}\n${market}`,
        async () => {
          const [row] = await store.query<MarketRecord>(marketById(request), { name: 'api.market' });
          return row ? known(row) : null;
        },
        revisions.facts(venue, market, request.generation),
      );
      if (found) return found;
      return memo(`seen\n${venue}\n${market}`, async () => {
        const [seen] = await store.query<{ has_books: boolean | number; was_watched: boolean | number }>(
          marketSeen(request),
          { name: 'api.market-seen' },
        );
        return seen && (seen.has_books || seen.was_watched)
          ? { venue, market, metadata: null, position: null }
          : null;
      });
    },
    bySlug: (venue, slug) =>
      memo(`slug\n${venue}\n${slug}`, async () => {
        const request = { generation: await generation(), venue, slug };
        const [row] = await store.query<MarketRecord>(marketBySlug(request), { name: 'api.market-by-slug' });
        return row ? known(row) : null;
      }),
  };
}
