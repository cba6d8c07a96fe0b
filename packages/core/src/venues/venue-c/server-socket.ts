// One client's market channel of venue C: a set of tokens, first books for new ones, messages passed on as they are.

import { isObject, parseJson, textOf } from '../../kernel/exact-json.ts';
import { sendControl, sendData, type Client, type Output, type ServerSocket } from '../serving/server.ts';

/** `text` is one JSON object, sent as it is. */
export type FrameC = {
  /** Tokens it concerns: a connection gets it when it watches one of them. Empty: every connection. */
  readonly tokens: readonly string[];
  readonly market: string;
  readonly text: string;
  /** Sent only to subscriptions with custom_feature_enabled (best_bid_ask, new_market, market_resolved). */
  readonly custom: boolean;
};

/** Beyond this many tokens on one socket no initial snapshot is sent. */
const SNAPSHOT_TOKENS = 500;
/** A client that leaves more than this unread is closed. */
const SLOW_BYTES = 16 * 1024 * 1024;

const PONG: Output = { do: 'send', text: 'PONG', kind: 'pong', markets: [] };

export class SocketC implements ServerSocket<FrameC> {
  private readonly client: Client<FrameC>;
  private readonly tokens = new Set<string>();
  private custom = false;

  constructor(client: Client<FrameC>) {
    this.client = client;
  }

  message(text: string): Output[] {
    if (text === 'PING') return [PONG];
    const message = parseJson(text);
    const given = isObject(message) ? message['assets_ids'] : null;
    if (!isObject(message) || !Array.isArray(given)) return [sendControl('INVALID OPERATION')];
    const asked = given.map(String);
    if (message['operation'] === 'unsubscribe') {
      for (const token of asked) this.tokens.delete(token);
      return [this.watch()];
    }
    if (message['custom_feature_enabled'] === true) this.custom = true;
    return this.subscribe(asked, message['initial_dump'] !== false);
  }

  private watch(): Output {
    return { do: 'watch', ids: this.tokens };
  }

  private subscribe(asked: readonly string[], withBooks: boolean): Output[] {
    const fresh = [...new Set(asked)].filter((token) => !this.tokens.has(token));
    if (fresh.length === 0 && asked.length > 0) return [sendControl('NO NEW ASSETS')];
    const room = Math.max(0, SNAPSHOT_TOKENS - this.tokens.size);
    for (const token of fresh) this.tokens.add(token);
    if (!withBooks) return [this.watch()];
    const frames = this.client.initial(fresh.slice(0, room)).filter((frame) => {
      const isHeard = this.heard(frame) !== null;
      if (!isHeard) this.client.lose(frame.market);
      return isHeard;
    });
    if (frames.length === 0) return [this.watch()];
    const text = `[${frames.map((frame) => frame.text).join(',')}]`;
    return [this.watch(), sendData(text, [...new Set(frames.map(({ market }) => market))])];
  }

  frame(frame: FrameC): Output[] {
    const { tokens, market, custom } = frame;
    if (custom && !this.custom) return [];
    if (tokens.length > 0 && !tokens.some((token) => this.tokens.has(token))) return [];
    const heard = this.heard(frame);
    if (!heard || this.client.takeSkip([...tokens, market])) {
      this.client.lose(market);
      return [];
    }
    return this.client.unsent() > SLOW_BYTES
      ? [{ do: 'close', code: 1013, reason: 'slow consumer' }]
      : [sendData(heard.text, [market])];
  }

  /** The frame without what a fault silences; null when nothing is left. */
  private heard(frame: FrameC): FrameC | null {
    const silent = this.client.silence();
    if (!silent) return frame;
    return silent(frame.market) ? null : withoutTokens(frame, new Set(frame.tokens.filter(silent)));
  }

  watches(id: string): boolean {
    return this.tokens.has(id);
  }
}

/** A frame without the entries of these tokens; null when nothing is left. */
export function withoutTokens(frame: FrameC, lost: ReadonlySet<string>): FrameC | null {
  const tokens = frame.tokens.filter((token) => !lost.has(token));
  if (tokens.length === frame.tokens.length) return frame;
  if (tokens.length === 0) return null;
  const message = parseJson(frame.text);
  if (!isObject(message) || !Array.isArray(message['price_changes'])) return { ...frame, tokens };
  const kept = (message['price_changes'] as { asset_id?: unknown }[]).filter(
    ({ asset_id }) => !lost.has(textOf(asset_id) ?? ''),
  );
  return { ...frame, tokens, text: JSON.stringify({ ...message, price_changes: kept }) };
}
