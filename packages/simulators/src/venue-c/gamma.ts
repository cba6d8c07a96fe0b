// Venue C's catalogue routes. As on the wire: lists leave out closed markets unless asked, short-dated markets are hidden
// from the plain market list, pages are capped at 100 and offsets past 2,100 are refused.

import { asJson } from '../server/host.ts';
import type { MarketProcess, MarketState } from '../market/market-process.ts';
import type { RestAnswer, RestRequest } from '../server/protocol.ts';
import { gammaEvent, gammaMarketWithEvent, gammaSeries } from './objects.ts';

const MAX_PAGE = 100;
const MAX_OFFSET = 2_100;

type Render = (state: MarketState, process: MarketProcess) => Record<string, unknown>;

export function gammaAnswer(process: MarketProcess, request: RestRequest): RestAnswer | null {
  const { path, query } = request;
  const parts = path.split('/').filter(Boolean);
  const [kind, second, third] = parts;
  if (kind === 'series' && parts.length === 1) {
    const seen = new Map<string, Record<string, unknown>>();
    for (const { market } of process.states('venuec'))
      if (!seen.has(market.series.name)) seen.set(market.series.name, gammaSeries(market));
    const slug = query.get('slug');
    return asJson(
      200,
      [...seen.values()].filter((series) => !slug || series['slug'] === slug),
    );
  }
  if (kind === 'tags' && parts.length === 1)
    return asJson(200, [
      { id: '102127', label: 'Up or Down', slug: 'up-or-down' },
      { id: '21', label: 'Crypto', slug: 'crypto' },
    ]);
  if (kind !== 'events' && kind !== 'markets') return null;
  const render: Render = kind === 'events' ? gammaEvent : gammaMarketWithEvent;
  const idOf = ({ market }: MarketState): string => (kind === 'events' ? market.eventId : market.alias);
  if (parts.length === 1) return list(process, query, kind, render, idOf);
  if (second === 'keyset' && parts.length === 2) return keyset(process, query, kind, render, idOf);
  const one = listed(process).find((state) =>
    parts.length === 3 && second === 'slug' ? state.market.slug === third : idOf(state) === second,
  );
  if (parts.length > 3 || (parts.length === 3 && second !== 'slug')) return null;
  return one
    ? { ...asJson(200, render(one, process)), markets: [one.market.id] }
    : asJson(404, { type: 'not found error', error: `${kind.slice(0, -1)} not found` });
}

const listed = (process: MarketProcess): MarketState[] =>
  process.states('venuec').filter(({ market }) => market.listMs <= process.now());

function matching(
  process: MarketProcess,
  query: URLSearchParams,
  kind: 'events' | 'markets',
  idOf: (state: MarketState) => string,
): MarketState[] {
  const many = (name: string): Set<string> | null => {
    const values = [...query.getAll(name), ...query.getAll(`${name}[]`)].flatMap((value) => value.split(','));
    return values.length > 0 ? new Set(values) : null;
  };
  const time = (name: string): number | null => {
    const text = query.get(name);
    return text === null ? null : Date.parse(text);
  };
  const ids = many('id');
  const slugs = many('slug');
  const conditions = many('condition_ids');
  const tokens = many('clob_token_ids');
  const series = query.get('series_slug');
  const closed = query.get('closed') === 'true';
  const endMin = time('end_date_min');
  const endMax = time('end_date_max');
  const startMin = time('start_date_min');
  const startMax = time('start_date_max');
  if (kind === 'markets' && !ids && !slugs && !conditions && !tokens && query.get('active') === 'true')
    return [];
  const found = listed(process).filter((state) => {
    const { market } = state;
    if (market.resolveMs <= process.now() !== closed) return false;
    return (
      (!ids || ids.has(idOf(state))) &&
      (!slugs || slugs.has(market.slug)) &&
      (!conditions || conditions.has(market.conditionId)) &&
      (!tokens || tokens.has(market.tokens[0]) || tokens.has(market.tokens[1])) &&
      (!series || market.series.name === series) &&
      (endMin === null || market.endMs >= endMin) &&
      (endMax === null || market.endMs <= endMax) &&
      (startMin === null || market.listMs >= startMin) &&
      (startMax === null || market.listMs <= startMax)
    );
  });
  const key = query.get('order') ?? 'id';
  const value = (state: MarketState): number =>
    key === 'endDate'
      ? state.market.endMs
      : key === 'startDate'
        ? state.market.listMs
        : key.startsWith('volume')
          ? state.volume
          : Number(idOf(state));
  const direction = query.get('ascending') === 'false' ? -1 : 1;
  return found.sort((a, b) => direction * (value(a) - value(b)) || Number(idOf(a)) - Number(idOf(b)));
}

const pageSize = (query: URLSearchParams): number =>
  Math.min(MAX_PAGE, Math.max(1, Number(query.get('limit') ?? '20') || 20));

function list(
  process: MarketProcess,
  query: URLSearchParams,
  kind: 'events' | 'markets',
  render: Render,
  idOf: (state: MarketState) => string,
): RestAnswer {
  const offset = Number(query.get('offset') ?? '0');
  if (!Number.isInteger(offset) || offset < 0 || offset > MAX_OFFSET)
    return asJson(422, { type: 'validation error', error: 'invalid offset' });
  const page = matching(process, query, kind, idOf).slice(offset, offset + pageSize(query));
  return {
    ...asJson(
      200,
      page.map((state) => render(state, process)),
    ),
    markets: page.map(({ market }) => market.id),
  };
}

function keyset(
  process: MarketProcess,
  query: URLSearchParams,
  kind: 'events' | 'markets',
  render: Render,
  idOf: (state: MarketState) => string,
): RestAnswer {
  if (query.has('offset'))
    return asJson(422, { type: 'validation error', error: 'offset is not supported by keyset pagination' });
  const plain = new URLSearchParams(query);
  plain.delete('active');
  const all = matching(process, plain, kind, idOf);
  const after = query.get('after_cursor');
  let from = 0;
  if (after !== null) {
    const last = Buffer.from(after, 'base64url').toString();
    const at = all.findIndex((state) => idOf(state) === last);
    if (at < 0) return asJson(422, { type: 'validation error', error: 'invalid cursor' });
    from = at + 1;
  }
  const page = all.slice(from, from + pageSize(query));
  const more = from + page.length < all.length;
  const last = page.at(-1);
  return {
    ...asJson(200, {
      [kind]: page.map((state) => render(state, process)),
      ...(more && last ? { next_cursor: Buffer.from(idOf(last)).toString('base64url') } : {}),
    }),
    markets: page.map(({ market }) => market.id),
  };
}
