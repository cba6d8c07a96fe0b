// Which REST answer of venue A, or of predict.fun, a channel names, and what an answer looks like that is an error.

import { isObject, textOf } from '../../kernel/exact-json.ts';

export type Route =
  | { readonly read: 'book' | 'last_trade' | 'topics' | 'predict_catalogue' | 'skip' }
  | { readonly read: 'predict_book'; readonly id: string };

const ROUTES: readonly { readonly path: RegExp; readonly route: (id: string) => Route }[] = [
  { path: /^\/order-book$/, route: () => ({ read: 'book' }) },
  { path: /^\/order-book\/last-trade-price$/, route: () => ({ read: 'last_trade' }) },
  { path: /^\/market\/(?:list|search|detail)$/, route: () => ({ read: 'topics' }) },
  { path: /^\/category\/list$/, route: () => ({ read: 'skip' }) },
  { path: /^\/markets\/(\d+)\/orderbook$/, route: (id) => ({ read: 'predict_book', id }) },
  { path: /^\/markets\/\d+\/(?:stats|last-sale|timeseries)$/, route: () => ({ read: 'skip' }) },
  { path: /^\/(?:markets|categories)(?:\/[^/]+)?$/, route: () => ({ read: 'predict_catalogue' }) },
  { path: /^\/search$/, route: () => ({ read: 'predict_catalogue' }) },
];

const BASES = ['/sapi/v1/w3w/wallet/prediction', '/v1'];

/** Which answer a REST path gives; the base path may be part of it. */
export function routeOf(path: string): Route | null {
  const base = BASES.find((prefix) => path.startsWith(`${prefix}/`)) ?? '';
  const below = path.slice(base.length);
  for (const { path: pattern, route } of ROUTES) {
    const match = pattern.exec(below);
    if (match) return route(match[1] ?? '');
  }
  return null;
}

/** predict.fun wraps its answers; venue A does not. */
export const unwrap = (answer: unknown): unknown =>
  isObject(answer) && answer['success'] === true && 'data' in answer ? answer['data'] : answer;

/** What the venue calls an answer that is an error; null: it is none. */
export function venueError(answer: unknown): string | null {
  if (!isObject(answer)) return null;
  const code = textOf(answer['code']);
  if (code !== null && ('msg' in answer || 'message' in answer)) return `venue_error_${code}`;
  return answer['success'] === false ? 'venue_error' : null;
}
