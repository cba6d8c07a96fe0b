// Which REST answer a channel names, and what an answer looks like that is an error.

import { isObject, textOf } from '../../kernel/exact-json.ts';
import type { Json } from './wire.ts';
import { tickerOf } from './wire.ts';

/** REST channels: `rest:/markets/KX…/orderbook?depth=10`, with or without host and version prefix. */
export type RestRoute =
  | { readonly kind: 'book'; readonly market: string; readonly depth: number | null }
  | { readonly kind: 'books' }
  | { readonly kind: 'catalogue' }
  | { readonly kind: 'other'; readonly reason: string };

const ROUTES: readonly { readonly path: RegExp; route: (match: RegExpExecArray) => RestRoute | null }[] = [
  { path: /^\/markets\/orderbooks$/, route: () => ({ kind: 'books' }) },
  {
    path: /^\/markets\/([^/]+)\/orderbook$/,
    route: (match) => {
      const market = decoded(match[1]!);
      return market === null ? null : { kind: 'book', market, depth: null };
    },
  },
  { path: /^\/(historical\/)?(markets\/)?trades$/, route: () => ({ kind: 'other', reason: 'rest_trades' }) },
  { path: /\/candlesticks$/, route: () => ({ kind: 'other', reason: 'rest_candlesticks' }) },
  { path: /^\/(historical\/)?(markets|events)(\/[^/]+)?$/, route: () => ({ kind: 'catalogue' }) },
  { path: /^\/series(\/[^/]+)?$/, route: () => ({ kind: 'other', reason: 'rest_series' }) },
  {
    path: /^\/(exchange|account|historical)\/[^/]+$/,
    route: () => ({ kind: 'other', reason: 'rest_service' }),
  },
];

export function restRoute(channel: string): RestRoute | null {
  if (!channel.startsWith('rest:')) return null;
  const [address = '', query = ''] = channel.slice('rest:'.length).split('?', 2);
  const path = address
    .replace(/^https?:\/\/[^/]*/, '')
    .replace(/^\/trade-api\/v\d+/, '')
    .replace(/\/$/, '');
  for (const { path: pattern, route } of ROUTES) {
    const match = pattern.exec(path);
    if (!match) continue;
    const found = route(match);
    if (found?.kind !== 'book') return found;
    const depth = Number(/(?:^|&)depth=(\d{1,3})(?:&|$)/.exec(query)?.[1] ?? 0);
    return { ...found, depth: depth === 0 ? null : depth };
  }
  return null;
}

function decoded(part: string): string | null {
  try {
    return tickerOf(decodeURIComponent(part));
  } catch {
    return null;
  }
}

/** `{"error": …}` or `{"code", "message"}` instead of what was asked for; null when it is neither. */
export function restError(body: Json): string | null {
  const { error, code, message } = body as { error?: unknown; code?: unknown; message?: unknown };
  if (error !== undefined && error !== null)
    return isObject(error) ? describe(error['code'], error['message']) : describe(error);
  return code !== undefined && message !== undefined ? describe(code, message) : null;
}

const describe = (...parts: unknown[]): string =>
  parts
    .map(textOf)
    .filter((part) => part !== null)
    .join(': ')
    .slice(0, 200);
