import type { MarketStatus } from '@ladderlog/core';
import { marketsPage } from '@ladderlog/store';
import { sendOne, sendPage } from '../answers.ts';
import type { KnownMarket } from '../catalogue.ts';
import type { Context, Handler } from '../context.ts';
import { integer, text, venueOf } from '../context.ts';
import { ApiError } from '../errors.ts';
import type { CatalogueRow } from '../market-view.ts';
import { marketView } from '../market-view.ts';
import { cursorFor } from '../paging.ts';
import { plainRange } from '../ranges.ts';

export const listMarkets: Handler = async (context) => {
  const { parts } = context;
  const venue = venueOf(context);
  const range = plainRange(context);
  const limit = integer(context, 'limit');
  const asset = context.params['asset'] ?? text(context, 'coin');
  const cursor = await cursorFor(context);
  const [sortAt, market] = cursor.after ?? [];
  const rows = await parts.store.query<CatalogueRow>(
    marketsPage({
      generation: cursor.generation,
      venue,
      ...optional('asset', asset?.toUpperCase()),
      ...optional('window', text(context, 'window')),
      ...optional('status', text(context, 'status') as MarketStatus | null),
      ...optional('series', text(context, 'series')),
      ...optional('event', text(context, 'event')),
      ...optional('from', range.from),
      ...optional('to', range.to),
      after: cursor.after ? { sortAt: Number(sortAt), market: String(market) } : null,
      limit: limit + 1,
    }),
    { name: 'api.markets' },
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  sendPage(
    context,
    page.map((row) => Buffer.from(JSON.stringify(marketView(venue, row.market, row)))),
    {
      limit,
      count: page.length,
      nextCursor: rows.length > limit && last ? cursor.write([last.sort_at, last.market]) : null,
    },
  );
};

const optional = <K extends string, V>(name: K, value: V | null | undefined): { [P in K]?: V } =>
  value === null || value === undefined ? {} : ({ [name]: value } as { [P in K]: V });

/** The market of the path, or MARKET_NOT_FOUND. */
export async function marketOf(context: Context): Promise<KnownMarket> {
  const venue = venueOf(context);
  const market = context.params['market_id'] ?? context.params['market_ticker']!;
  const known = await context.parts.catalogue.find(venue, market);
  return checkAsset(context, known, market);
}

/** A market known only from its books has no asset that could contradict the path. */
export function checkAsset(context: Context, known: KnownMarket | null, named: string): KnownMarket {
  const asset = context.params['asset'];
  const contradicts = asset !== undefined && known?.row?.asset && known.row.asset.toLowerCase() !== asset;
  if (!known || contradicts)
    throw new ApiError('MARKET_NOT_FOUND', `No market '${named.slice(0, 128)}' was ever seen here.`, {
      market: named.slice(0, 256),
      ...(contradicts ? { asset: known.row?.asset } : {}),
    });
  return known;
}

export const getMarket: Handler = async (context) => {
  const known = await marketOf(context);
  sendOne(context, marketView(known.venue, known.market, known.row));
};

export const getMarketBySlug: Handler = async (context) => {
  const slug = context.params['slug']!;
  const found = await context.parts.catalogue.bySlug(venueOf(context), slug);
  const known = checkAsset(context, found, slug);
  sendOne(context, marketView(known.venue, known.market, known.row));
};
