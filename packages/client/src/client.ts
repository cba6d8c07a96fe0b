import type { OnGap, Paged, Report } from './paged.ts';
import { paged, reporter } from './paged.ts';
import type { Params, Transport, TransportOptions } from './transport.ts';
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
  const transport = createTransport(options);
  const warn = options.warn ?? ((message: string) => console.warn(message));
  const report = (onGap: OnGap = options.onGap ?? 'warn'): Report => reporter(onGap, warn);
  const list = <T>(path: string, params: Params, onGap?: OnGap): Paged<T> =>
    paged<T>(transport, path, params, report(onGap));
  const book = async <T>(path: string, { onGap, ...params }: BookQuery): Promise<T> => {
    const { data, meta } = await transport<Book<T>>(path, params);
    report(onGap)(meta.coverage?.gaps ?? (meta.gap ? [meta.gap] : []), false);
    return data;
  };
  return {
    health: () => one<Health>(transport, 'v3/health'),
    overview: () => one<readonly OverviewEntry[]>(transport, 'v3/overview'),
    whoami: () => one<Whoami>(transport, 'v3/whoami'),
    coverage: (
      query: { venue: Venue; market: string; dataset?: Dataset; outcome?: string } & Omit<Range, 'limit'>,
    ) =>
      one<CoverageReport>(transport, 'v3/coverage', {
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
    venueA: {
      markets: (query: MarketQuery & { coin?: 'BTC' | 'ETH' | 'BNB'; window?: '5m' | '15m' } = {}) =>
        list<Market>('v3/venuea-prediction/markets', {
          coin: query.coin,
          window: query.window,
          status: query.status,
          ...rangeParams(query),
        }),
      market: (id: string) => one<Market>(transport, `v3/venuea-prediction/markets/${encode(id)}`),
      marketBySlug: (slug: string) =>
        one<Market>(transport, `v3/venuea-prediction/markets/by-slug/${encode(slug)}`),
      latest: (id: string, query: LadderQuery & { outcome?: '0' | '1' } = {}) =>
        book<BookRecord>(`v3/venuea-prediction/${encode(id)}/orderbook/latest`, query),
      snapshots: (id: string, query: SnapshotQuery & { outcome?: '0' | '1' } = {}) =>
        list<BookRecord>(
          `v3/venuea-prediction/${encode(id)}/snapshots`,
          { ...snapshotParams(query), outcome: query.outcome },
          query.onGap,
        ),
      snapshotAt: (id: string, at: TimeInput, query: LadderQuery & { outcome?: '0' | '1' } = {}) =>
        book<BookRecord>(`v3/venuea-prediction/${encode(id)}/snapshots/at/${encode(time(at))}`, query),
      samples: (id: string, query: Range & { metric: Metric; outcome?: '0' | '1'; onGap?: OnGap }) =>
        list<Sample>(
          `v3/venuea-prediction/${encode(id)}/timeseries`,
          { metric: query.metric, outcome: query.outcome, ...rangeParams(query) },
          query.onGap,
        ),
      trades: (id: string) => list<never>(`v3/venuea-prediction/${encode(id)}/trades`, {}),
    },
    venueB: {
      markets: (query: MarketQuery & { series?: string; event?: string } = {}) =>
        list<Market>('v3/venueb/markets', {
          series: query.series,
          event: query.event,
          status: query.status,
          ...rangeParams(query),
        }),
      market: (ticker: string) => one<Market>(transport, `v3/venueb/markets/${encode(ticker)}`),
      latest: (ticker: string, query: LadderQuery = {}) =>
        book<BookRecord>(`v3/venueb/${encode(ticker)}/orderbook/latest`, query),
      snapshots: (ticker: string, query: SnapshotQuery = {}) =>
        list<BookRecord>(`v3/venueb/${encode(ticker)}/snapshots`, snapshotParams(query), query.onGap),
      snapshotAt: (ticker: string, at: TimeInput, query: LadderQuery = {}) =>
        book<BookRecord>(`v3/venueb/${encode(ticker)}/snapshots/at/${encode(time(at))}`, query),
    },
    venueC: (asset: Asset) => ({
      markets: (query: MarketQuery & { window?: '5m' | '15m' | '1h' | '4h' | '1d' } = {}) =>
        list<Market>(`v3/${asset}/markets`, {
          window: query.window,
          status: query.status,
          ...rangeParams(query),
        }),
      market: (id: string) => one<Market>(transport, `v3/${asset}/markets/${encode(id)}`),
      marketBySlug: (slug: string) => one<Market>(transport, `v3/${asset}/markets/by-slug/${encode(slug)}`),
      latest: (id: string, query: LadderQuery & { outcome?: string } = {}) =>
        book<readonly BookRecord[]>(`v3/${asset}/markets/${encode(id)}/orderbook/latest`, query),
      snapshots: (id: string, query: SnapshotQuery & { outcome?: string } = {}) =>
        list<BookRecord>(
          `v3/${asset}/markets/${encode(id)}/snapshots`,
          { ...snapshotParams(query), outcome: query.outcome },
          query.onGap,
        ),
      snapshotAt: (id: string, at: TimeInput, query: LadderQuery & { outcome?: string } = {}) =>
        book<readonly BookRecord[]>(
          `v3/${asset}/markets/${encode(id)}/snapshots/at/${encode(time(at))}`,
          query,
        ),
    }),
  };
}

const one = async <T>(transport: Transport, path: string, params: Params = {}): Promise<T> =>
  (await transport<{ data: T }>(path, params)).data;

type BookQuery = LadderQuery & { readonly outcome?: string };
type Book<T> = {
  readonly data: T;
  readonly meta: { readonly gap?: Gap | null; readonly coverage?: Coverage };
};

const encode = encodeURIComponent;

const time = (at: TimeInput): string => (at instanceof Date ? at.toISOString() : String(at));

const rangeParams = (query: Range): Params => ({
  start_time: query.start === undefined ? undefined : time(query.start),
  end_time: query.end === undefined ? undefined : time(query.end),
  limit: query.limit,
});

const snapshotParams = (query: SnapshotQuery): Params => ({
  ...rangeParams(query),
  interval: query.interval,
  include_orderbook: query.includeOrderbook,
  ladder: query.ladder,
});
