// The routes of a venue in the API's contract, as data: the API makes its OpenAPI document, its path matching and its market
// filters of it, the command its welcome text.

/** A schema object of OpenAPI. */
export type Schema = Readonly<Record<string, unknown>>;

/** A parameter object of OpenAPI. */
export type ParameterSpec = {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: true;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: string;
};

/**
 * What a route answers. `latest-book` and `book-at` answer one record: that of the outcome asked for, or of the venue's default
 * outcome. `latest-books` and `books-at` answer a list, one record per outcome.
 */
export type RouteKind =
  | 'markets'
  | 'market'
  | 'market-by-slug'
  | 'latest-book'
  | 'latest-books'
  | 'snapshots'
  | 'book-at'
  | 'books-at'
  | 'samples'
  | 'trades';

/** How a venue's route differs from others of its kind; what is left out is taken from the kind. */
export type RouteText = {
  readonly summary?: string;
  readonly description?: string;
  /** Description of the 200 answer. */
  readonly answer?: string;
  /** Its own query parameters, by their names in `parameters`: filters of a market list, the outcome of a book. */
  readonly parameters?: readonly string[];
  /** Shared parameters that mean something else at this venue: shared name → name in `parameters`. */
  readonly replaced?: Readonly<Record<string, string>>;
  /** Show `exampleBook` as the example of the answer. */
  readonly example?: true;
};

/** A column of the market list that a query parameter may filter by. */
export type MarketColumn = 'asset' | 'window' | 'series' | 'event';

export type VenueRoutes = {
  /** In operation ids: listVenueAMarkets. */
  readonly operationName: string;
  /** What the contract's introduction says of the venue; `short` is its letter in lists of all venues. */
  readonly words: {
    readonly short: string;
    readonly about: string;
    readonly marketId: string;
    readonly outcomeId: string;
  };
  /** Where its routes are. Further ones are aliases: the same routes with the same behaviour. */
  readonly bases: readonly {
    readonly path: string;
    readonly tag: string;
    readonly tagDescription: string;
    /** At the end of an alias's operation ids, which must differ. */
    readonly operationSuffix?: string;
  }[];
  /** Parameters in the base path, by their names in `parameters`. */
  readonly baseParameters: readonly string[];
  /** The parameter that names a market. */
  readonly marketParameter: string;
  /** Where the books of one market are below the base, with the market's parameter: `/{market_id}`. */
  readonly marketPath: string;
  /** Filters of the market list: query parameter → column. */
  readonly marketFilters: Readonly<Record<string, MarketColumn>>;
  /** Added to the contract's components, under names that no other venue uses. */
  readonly parameters: Readonly<Record<string, ParameterSpec>>;
  /** Descriptions of the fields that its record style adds to markets and ladders. */
  readonly fieldTexts: Readonly<Record<string, string>>;
  readonly routes: Readonly<Partial<Record<RouteKind, RouteText>>>;
  readonly exampleBook: Readonly<Record<string, unknown>>;
  /** Requests that a newcomer may paste, below /v3/. `{now}` is a range of markets open now. `variable` keeps the first market's id. */
  readonly tour: readonly (string | { readonly variable: string; readonly path: string })[];
};
