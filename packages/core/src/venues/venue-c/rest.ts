// Which REST answer of venue C a channel names.

type Reading = 'books' | 'gamma' | 'clob' | 'skip';

const REST_ROUTES: readonly { readonly source: string; readonly path: RegExp; readonly read: Reading }[] = [
  { source: 'clob', path: /^\/books?$/, read: 'books' },
  { source: 'clob', path: /^\/markets(\/[^/]+)?$/, read: 'clob' },
  {
    source: 'clob',
    path: /^\/(tick-size|neg-risk|prices?|midpoints?|spreads?|last-trades?-prices?|prices-history|batch-prices-history|time)(\/|$)/,
    read: 'skip',
  },
  { source: 'gamma', path: /^\/(events|markets|public-search)(\/|$)/, read: 'gamma' },
  { source: 'gamma', path: /^\/(series|tags)(\/|$)/, read: 'skip' },
];

/** How the answer to a REST call is read; null: the call is not known. */
export const readingOf = (source: string, path: string): Reading | null =>
  REST_ROUTES.find((route) => route.source === source && route.path.test(path))?.read ?? null;
