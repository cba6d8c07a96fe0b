// What is said on venue B's socket: one subscription to books, whose markets change by commands that name its sid.

import type { Primitives, SocketDialogue, Target, VenueTiming } from '../../capture/collect.ts';
import { isObject, parseJson } from '../../kernel/exact-json.ts';
import type { Key } from './requests.ts';
import { frameSettings, pathOf, signedHeaders, subscribeCommand, updateCommand } from './requests.ts';
import { TERMINAL_CODES } from './wire.ts';

const USE_YES_PRICE = false;

export function createDialogue(
  wsUrl: string,
  key: Key,
  timing: VenueTiming,
  primitives: Primitives,
): SocketDialogue {
  const books = new BookSubscription();
  const want = (targets: readonly Target[]): string[] => books.want(targets);
  return {
    endpoint: () => ({ url: wsUrl, headers: signedHeaders(key, 'GET', pathOf(wsUrl) || '/', primitives) }),
    settings: frameSettings(USE_YES_PRICE),
    onOpen: () => books.reset(),
    onText: (text) => books.hear(text),
    hello: want,
    add: want,
    remove: (targets) => books.drop(targets),
    resync: (targets) => books.resync(targets),
    keepAlive: { everyMs: timing.keepAliveMs, text: null },
    minSendGapMs: 0,
  };
}

/** The subscription to books of one connection. Every method gives the commands to send. */
class BookSubscription {
  private nextId = 1;
  private readonly wanted = new Set<string>();
  /** The command that asked for it, its sid (null until told), and its markets. */
  private current: { readonly id: number; sid: number | null; readonly markets: Set<string> } | null = null;

  reset(): void {
    this.current = null;
    this.wanted.clear();
  }

  want(targets: readonly Target[]): string[] {
    for (const { market } of targets) this.wanted.add(market);
    return this.align();
  }

  drop(targets: readonly Target[]): string[] {
    for (const { market } of targets) this.wanted.delete(market);
    return this.align();
  }

  resync(targets: readonly Target[]): string[] {
    const sid = this.current?.sid ?? null;
    if (sid === null) return this.align();
    const markets = targets.map(({ market }) => market);
    return [updateCommand(this.nextId++, sid, 'get_snapshot', markets)];
  }

  hear(text: string): string[] {
    const { current } = this;
    const reply = replyOf(text);
    if (reply === null || current === null) return [];
    if (reply.type === 'subscribed') {
      if (reply.id !== null && reply.id !== current.id) return [];
      current.sid = reply.sid;
      return this.align();
    }
    return endsBooks(reply, current) ? this.subscribe() : [];
  }

  private subscribe(): string[] {
    this.current = null;
    if (this.wanted.size === 0) return [];
    this.current = { id: this.nextId++, sid: null, markets: new Set(this.wanted) };
    return [subscribeCommand(this.current.id, ['orderbook_delta'], [...this.wanted], USE_YES_PRICE)];
  }

  /** Brings the subscription in line with what is wanted; while its sid is not known that waits. */
  private align(): string[] {
    if (this.current === null) return this.subscribe();
    const { sid, markets } = this.current;
    if (sid === null) return [];
    const more = [...this.wanted.difference(markets)];
    const less = [...markets.difference(this.wanted)];
    for (const market of more) markets.add(market);
    for (const market of less) markets.delete(market);
    return [
      ...(more.length > 0 ? [updateCommand(this.nextId++, sid, 'add_markets', more)] : []),
      ...(less.length > 0 ? [updateCommand(this.nextId++, sid, 'delete_markets', less)] : []),
    ];
  }
}

type Reply =
  | { readonly type: 'subscribed'; readonly id: number | null; readonly sid: number }
  | {
      readonly type: 'error';
      readonly id: number | null;
      readonly sid: number | null;
      readonly code: number;
      readonly market: boolean;
    };

/** An answer to a command, or the end of a subscription; books and all else are not ours to judge. */
function replyOf(text: string): Reply | null {
  if (text.length > 1_024 || !/"(subscribed|error)"/.test(text)) return null;
  const message = parseJson(text);
  if (!isObject(message)) return null;
  const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
  const id = number(message['id']);
  const { channel, sid, code, market_ticker: market } = isObject(message['msg']) ? message['msg'] : {};
  if (message['type'] === 'subscribed')
    return channel === 'orderbook_delta' && typeof sid === 'number' ? { type: 'subscribed', id, sid } : null;
  if (message['type'] !== 'error' || typeof code !== 'number') return null;
  return { type: 'error', id, sid: number(message['sid']), code, market: market !== undefined };
}

const UNKNOWN_SID = 7;

/** Whether nothing more will come of this subscription. What older commands are told is about older ones. */
function endsBooks(
  { id, sid, code, market }: Extract<Reply, { type: 'error' }>,
  books: { readonly id: number; readonly sid: number | null },
): boolean {
  if (TERMINAL_CODES.has(code)) return sid === null || sid === books.sid;
  return code === UNKNOWN_SID && !market && id !== null && id > books.id;
}
