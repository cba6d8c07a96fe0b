import type { OnGap, Paged, Report } from './paged.ts';
import { paged, reporter } from './paged.ts';
import type { Params, TransportOptions } from './transport.ts';
import { createTransport } from './transport.ts';
import type {
  BookRecord,
  Coverage,
  CoverageReport,
  Dataset,
  Gap,
  GapRecord,
  Health,
  Market,
  MarketStatus,
  Metric,
  OverviewEntry,
  Sample,
  TimeInput,
  Venue,
  Whoami,
} from './types.ts';

export type ClientOptions = TransportOptions & {
  /** Default 'warn'. */
  readonly onGap?: OnGap;
  /** Where 'warn' goes. Default console.warn. */
  readonly warn?: (message: string) => void;
};

export type Range = { readonly start?: TimeInput; readonly end?: TimeInput; readonly limit?: number };
export type MarketQuery = Range & { readonly status?: MarketStatus };
/** `onGap` of one book: it is the last one known, not the present one, or not every outcome was recorded then. */
export type LadderQuery = { readonly ladder?: 'arrays' | 'levels'; readonly onGap?: OnGap };
export type SnapshotQuery = Range &
  LadderQuery & {
    readonly interval?: '1s' | '10s' | '1m' | '5m' | '15m' | '1h';
    readonly includeOrderbook?: boolean;
  };
export type Asset = 'btc' | 'eth' | 'sol' | 'xrp' | 'doge' | 'bnb' | 'hype';

export type LadderlogClient = ReturnType<typeof createClient>;

export function createClient(options: ClientOptions) {
  const requests = createRequests(options);
  const { one, list } = requests;
  return {
    health: () => one<Health>('v3/health'),
    overview: () => one<readonly OverviewEntry[]>('v3/overview'),
    whoami: () => one<Whoami>('v3/whoami'),
    coverage: (
      query: { venue: Venue; market: string; dataset?: Dataset; outcome?: string } & Omit<Range, 'limit'>,
    ) =>
      one<CoverageReport>('v3/coverage', {
        venue: query.venue,
        market_id: query.market,
        dataset: query.dataset,
        outcome: query.outcome,
        ...rangeParams(query),
      }),
    gaps: (query: { venue: Venue; market?: string; dataset?: Dataset } & Range) =>
      list<GapRecord>('v3/gaps', {
        venue: query.venue,
        market_id: query.market,
        dataset: query.dataset,
        ...rangeParams(query),
      }),
    venueA: venueARoutes(requests, 'v3/venuea-prediction'),
    venueB: {
      ...marketRoutes<{ series?: string; event?: string }>(requests, 'v3/venueb', ['series', 'event']),
      ...bookRoutes<unknown, BookRecord>(requests, 'v3/venueb'),
    },
    venueC: (asset: Asset) => ({
      ...marketRoutes<{ window?: '5m' | '15m' | '1h' | '4h' | '1d' }>(requests, `v3/${asset}`, ['window']),
      ...bookRoutes<{ outcome?: string }, readonly BookRecord[]>(requests, `v3/${asset}/markets`),
      marketBySlug: bySlug(requests, `v3/${asset}`),
    }),
  };
}

/** Venue A is the one that has samples and, reserved, trades. */
const venueARoutes = (requests: Requests, base: string) => ({
  ...marketRoutes<{ coin?: 'BTC' | 'ETH' | 'BNB'; window?: '5m' | '15m' }>(requests, base, [
    'coin',
    'window',
  ]),
  ...bookRoutes<{ outcome?: '0' | '1' }, BookRecord>(requests, base),
  marketBySlug: bySlug(requests, base),
  samples: (id: string, query: Range & { metric: Metric; outcome?: '0' | '1'; onGap?: OnGap }) =>
    requests.list<Sample>(
      `${base}/${encode(id)}/timeseries`,
      { metric: query.metric, outcome: query.outcome, ...rangeParams(query) },
      query.onGap,
    ),
  trades: (id: string) => requests.list<never>(`${base}/${encode(id)}/trades`, {}),
});

/** One answer, one page after the other, or one book: the three shapes that the API answers in. */
type Requests = {
  one<T>(path: string, params?: Params): Promise<T>;
  list<T>(path: string, params: Params, onGap?: OnGap): Paged<T>;
  book<T>(path: string, query: BookQuery): Promise<T>;
};

function createRequests(options: ClientOptions): Requests {
  const transport = createTransport(options);
  const warn = options.warn ?? ((message: string) => console.warn(message));
  const report = (onGap: OnGap = options.onGap ?? 'warn'): Report => reporter(onGap, warn);
  return {
    one: async <T>(path: string, params: Params = {}) => (await transport<{ data: T }>(path, params)).data,
    list: <T>(path: string, params: Params, onGap?: OnGap) =>
      paged<T>(transport, path, params, report(onGap)),
    async book<T>(path: string, { onGap, ...params }: BookQuery) {
      const { data, meta } = await transport<Book<T>>(path, params);
      report(onGap)(meta.coverage?.gaps ?? (meta.gap ? [meta.gap] : []), false);
      return data;
    },
  };
}

type BookQuery = LadderQuery & { readonly outcome?: string };
type Book<T> = {
  readonly data: T;
  readonly meta: { readonly gap?: Gap | null; readonly coverage?: Coverage };
};

/** The catalogue of a venue; its filters are query parameters of the same names. */
const marketRoutes = <Filters>(
  { one, list }: Requests,
  base: string,
  filters: readonly (keyof Filters & string)[],
) => ({
  markets: (query: MarketQuery & Filters = {} as MarketQuery & Filters) =>
    list<Market>(`${base}/markets`, {
      ...Object.fromEntries(filters.map((name) => [name, query[name] as string | undefined])),
      status: query.status,
      ...rangeParams(query),
    }),
  market: (id: string) => one<Market>(`${base}/markets/${encode(id)}`),
});

const bySlug =
  ({ one }: Requests, base: string) =>
  (slug: string) =>
    one<Market>(`${base}/markets/by-slug/${encode(slug)}`);

/** The books of a venue: `Which` chooses the outcome, `Books` is what a request about one moment answers. */
const bookRoutes = <Which, Books>({ list, book }: Requests, base: string) => ({
  latest: (id: string, query: LadderQuery & Which = {} as LadderQuery & Which) =>
    book<Books>(`${base}/${encode(id)}/orderbook/latest`, query),
  snapshots: (id: string, query: SnapshotQuery & Which = {} as SnapshotQuery & Which) =>
    list<BookRecord>(`${base}/${encode(id)}/snapshots`, snapshotParams(query), query.onGap),
  snapshotAt: (id: string, at: TimeInput, query: LadderQuery & Which = {} as LadderQuery & Which) =>
    book<Books>(`${base}/${encode(id)}/snapshots/at/${encode(time(at))}`, query),
});

const encode = encodeURIComponent;

const time = (at: TimeInput): string => (at instanceof Date ? at.toISOString() : String(at));

const rangeParams = (query: Range): Params => ({
  start_time: query.start === undefined ? undefined : time(query.start),
  end_time: query.end === undefined ? undefined : time(query.end),
  limit: query.limit,
});

const snapshotParams = (query: SnapshotQuery & { readonly outcome?: string }): Params => ({
  ...rangeParams(query),
  outcome: query.outcome,
  interval: query.interval,
  include_orderbook: query.includeOrderbook,
  ladder: query.ladder,
});
