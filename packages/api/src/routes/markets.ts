import type { MarketColumn, MarketStatus, Micros, VenueRoutes } from '@ladderlog/core';
import { adapterOf, marketFromRow } from '@ladderlog/core';
import type { MarketRecord, MarketsRequest } from '@ladderlog/store';
import { marketsPage, uncataloguedPage } from '@ladderlog/store';
import { sendOne, sendPage, written } from '../answers/answers.ts';
import type { KnownMarket } from '../answers/catalogue.ts';
import type { Context, Handler } from '../server/context.ts';
import { integer, marketIdOf, text, venueOf } from '../server/context.ts';
import { ApiError } from '../answers/errors.ts';
import { marketView } from '../answers/market-view.ts';
import { cursorFor } from '../answers/paging.ts';
import { plainRange } from '../answers/ranges.ts';

export const listMarkets: Handler = async (context) => {
  const venue = venueOf(context);
  const range = plainRange(context);
  const limit = integer(context, 'limit');
  const cursor = await cursorFor(context);
  const [sortAt, market] = cursor.after ?? [];
  const request: MarketsRequest = {
    generation: cursor.generation,
    venue,
    ...optional('from', range.from),
    ...optional('to', range.to),
    ...marketFilters(context, adapterOf(venue).routes),
    ...optional('status', text(context, 'status') as MarketStatus | null),
    after: cursor.after ? { sortAt: Number(sortAt), market: String(market) } : null,
    // One more says whether there is a next page.
    limit: limit + 1,
  };
  const rows = [...(await catalogued(context, request)), ...(await uncatalogued(context, request))].sort(
    newestFirst,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  sendPage(
    context,
    await written(page, ({ market: id, row }) => marketView(venue, id, row && marketFromRow(row).event)),
    {
      limit,
      count: page.length,
      nextCursor: rows.length > limit && last ? cursor.write([last.sort_at, last.market]) : null,
    },
  );
};

type Listed = { readonly market: string; readonly sort_at: Micros; readonly row: MarketRecord | null };

const catalogued = async ({ parts, signal }: Context, request: MarketsRequest): Promise<Listed[]> =>
  (await parts.store.query<MarketRecord>(marketsPage(request), { name: 'api.markets', signal })).map(
    (row) => ({
      market: row.market,
      sort_at: row.sort_at,
      row,
    }),
  );

/** Known from their books only: nothing to filter by, but the series where the market's id begins with it. */
async function uncatalogued({ parts, signal }: Context, request: MarketsRequest): Promise<Listed[]> {
  const { asset, window, status, series, event, ...rest } = request;
  const { afterSeries } = adapterOf(request.venue).record;
  const filtered = asset ?? window ?? status ?? event;
  if (filtered !== undefined || (series !== undefined && afterSeries === null)) return [];
  const prefix = series === undefined ? {} : { prefix: `${series}${afterSeries}` };
  const rows = await parts.store.query<Omit<Listed, 'row'>>(uncataloguedPage({ ...rest, ...prefix }), {
    name: 'api.markets-uncatalogued',
    signal,
  });
  return rows.map((one) => ({ ...one, row: null }));
}

/** What the path and the query filter by, by column. */
function marketFilters(context: Context, routes: VenueRoutes): { [K in MarketColumn]?: string } {
  const filters: { [K in MarketColumn]?: string } = {};
  for (const [parameter, column] of Object.entries(routes.marketFilters)) {
    const value = context.params[parameter] ?? text(context, parameter);
    if (value !== null) filters[column] = column === 'asset' ? value.toUpperCase() : value;
  }
  return filters;
}

/** The order of both queries: (sort_at, market) descending, text compared as the engine does, by its bytes. */
const newestFirst = (a: Listed, b: Listed): number =>
  b.sort_at - a.sort_at || Buffer.compare(Buffer.from(b.market), Buffer.from(a.market));

const optional = <K extends string, V>(name: K, value: V | null | undefined): { [P in K]?: V } =>
  value === null || value === undefined ? {} : ({ [name]: value } as { [P in K]: V });

/** The market of the path, or MARKET_NOT_FOUND. */
export async function marketOf(context: Context): Promise<KnownMarket> {
  const venue = venueOf(context);
  const market = marketIdOf(context);
  const known = await context.parts.catalogue.find(venue, market);
  return checkAsset(context, known, market);
}

/** A market known only from its books has no asset that could contradict the path. */
export function checkAsset(context: Context, known: KnownMarket | null, named: string): KnownMarket {
  const asset = context.params['asset'];
  const contradicts =
    asset !== undefined && known?.metadata?.asset && known.metadata.asset.toLowerCase() !== asset;
  if (!known || contradicts)
    throw new ApiError('MARKET_NOT_FOUND', `No market '${named.slice(0, 128)}' was ever seen here.`, {
      market: named.slice(0, 256),
      ...(contradicts ? { asset: known.metadata?.asset } : {}),
    });
  return known;
}

export const getMarket: Handler = async (context) => {
  const known = await marketOf(context);
  sendOne(context, marketView(known.venue, known.market, known.metadata));
};

export const getMarketBySlug: Handler = async (context) => {
  const slug = context.params['slug']!;
  const found = await context.parts.catalogue.bySlug(venueOf(context), slug);
  const known = checkAsset(context, found, slug);
  sendOne(context, marketView(known.venue, known.market, known.metadata));
};
