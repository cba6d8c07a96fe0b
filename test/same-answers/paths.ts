// Paths with their parameters, as they stand in a request.

import type { Asked } from './asking.ts';

export type Parameters = Readonly<Record<string, string | number>>;

export const withQuery = (path: string, parameters: Parameters = {}): string => {
  const text = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return text.length === 0 ? path : `${path}?${text.join('&')}`;
};

export const get = (path: string, parameters: Parameters = {}): Asked => ({
  path: withQuery(path, parameters),
});

export type MarketChoice = {
  readonly id: string;
  readonly slug: string | null;
  readonly outcomes: readonly string[];
};
