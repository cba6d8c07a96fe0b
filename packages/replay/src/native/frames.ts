// Recorded socket frames as the venue servers of the simulators want them. Text is passed on as it was recorded; what only
// concerned the recorder's own connection (acknowledgements, pongs, sequence numbers) is left to the server.

import type { FrameA, FrameB, FrameC } from '@ladderlog/simulators';

type Json = Readonly<Record<string, unknown>>;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const idOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function framesA(text: string): FrameA[] {
  const push = parse(text);
  if (!isObject(push) || push['type'] !== 'TOPIC' || typeof push['data'] !== 'string') return [];
  const data = parse(push['data']);
  if (!isObject(data) || data['marketId'] === undefined) return [];
  return [{ market: idOf(data['marketId']), data: push['data'] }];
}

const CHANNEL_OF_TYPE: Readonly<Record<FrameB['type'], FrameB['channel']>> = {
  orderbook_snapshot: 'orderbook_delta',
  orderbook_delta: 'orderbook_delta',
  trade: 'trade',
  ticker: 'ticker',
  market_lifecycle_v2: 'market_lifecycle_v2',
  event_lifecycle: 'market_lifecycle_v2',
};

export function framesB(text: string, yesPrices: (market: string) => boolean): FrameB[] {
  const message = parse(text);
  if (!isObject(message) || !isObject(message['msg'])) return [];
  const type = message['type'] as FrameB['type'];
  if (!Object.hasOwn(CHANNEL_OF_TYPE, type)) return [];
  const { msg } = message;
  const market = typeof msg['market_ticker'] === 'string' ? msg['market_ticker'] : '';
  if (market === '' && type !== 'event_lifecycle') return [];
  return [{ channel: CHANNEL_OF_TYPE[type], type, market, msg, yesPrices: yesPrices(market) }];
}

/** Sent only to clients that asked for custom features. */
const CUSTOM: ReadonlySet<unknown> = new Set(['best_bid_ask', 'new_market', 'market_resolved']);

export type KindC = 'book' | 'change' | 'other';

export function framesC(text: string): (FrameC & { readonly kind: KindC })[] {
  const parsed = parse(text);
  const messages = Array.isArray(parsed) ? parsed : [parsed];
  const texts = Array.isArray(parsed) ? elementsOf(text) : [text];
  return messages.flatMap((message: unknown, at) => {
    if (!isObject(message)) return [];
    const type = message['event_type'];
    const changes = message['price_changes'];
    const tokens = Array.isArray(changes)
      ? [...new Set(changes.map((entry: unknown) => (isObject(entry) ? idOf(entry['asset_id']) : '')))]
      : Array.isArray(message['assets_ids'])
        ? message['assets_ids'].map(idOf)
        : message['asset_id'] === undefined
          ? []
          : [idOf(message['asset_id'])];
    const isBook = type === 'book' || (type === undefined && ('bids' in message || 'buys' in message));
    const isChange = type === 'price_change' || Array.isArray(changes) || 'changes' in message;
    return [
      {
        // A notice of a new market concerns everyone.
        tokens: type === 'new_market' ? [] : tokens,
        market: typeof message['market'] === 'string' ? message['market'] : '',
        text: texts[at]!,
        custom: CUSTOM.has(type),
        kind: isBook ? ('book' as const) : isChange ? ('change' as const) : ('other' as const),
      },
    ];
  });
}

/** The exact texts of the elements of a JSON array that is known to be well formed. */
export function elementsOf(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let inText = false;
  let start = -1;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (inText) {
      if (sign === '\\') at++;
      else if (sign === '"') inText = false;
      continue;
    }
    if (sign === '"') inText = true;
    if (sign === '[' || sign === '{') {
      if (depth === 0) start = at + 1;
      depth++;
    } else if (sign === ']' || sign === '}') {
      depth--;
      if (depth === 0 && text.slice(start, at).trim() !== '') found.push(text.slice(start, at).trim());
    } else if (sign === ',' && depth === 1) {
      found.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return found;
}

/** A change without the entries of these tokens; null when nothing is left. */
export function withoutTokens(frame: FrameC, lost: ReadonlySet<string>): FrameC | null {
  const tokens = frame.tokens.filter((token) => !lost.has(token));
  if (tokens.length === frame.tokens.length) return frame;
  if (tokens.length === 0) return null;
  const message = parse(frame.text) as { price_changes?: { asset_id?: unknown }[] };
  if (!Array.isArray(message.price_changes)) return { ...frame, tokens };
  const kept = message.price_changes.filter((entry) => !lost.has(idOf(entry.asset_id)));
  return { ...frame, tokens, text: JSON.stringify({ ...message, price_changes: kept }) };
}
