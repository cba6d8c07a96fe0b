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
  let nextId = 1;
  const wanted = new Set<string>();
  /** The subscription to books: the command that asked for it, its sid (null until told), and its markets. */
  let books: { readonly id: number; sid: number | null; readonly markets: Set<string> } | null = null;

  const subscribe = (): string[] => {
    if (wanted.size === 0) return [];
    books = { id: nextId++, sid: null, markets: new Set(wanted) };
    return [subscribeCommand(books.id, ['orderbook_delta'], [...wanted], USE_YES_PRICE)];
  };
  /** Brings the subscription in line with what is wanted; while its sid is not known that waits. */
  const align = (): string[] => {
    if (books === null) return subscribe();
    const { sid, markets } = books;
    if (sid === null) return [];
    const more = [...wanted.difference(markets)];
    const less = [...markets.difference(wanted)];
    for (const market of more) markets.add(market);
    for (const market of less) markets.delete(market);
    return [
      ...(more.length > 0 ? [updateCommand(nextId++, sid, 'add_markets', more)] : []),
      ...(less.length > 0 ? [updateCommand(nextId++, sid, 'delete_markets', less)] : []),
    ];
  };
  const want = (targets: readonly Target[]): string[] => {
    for (const { market } of targets) wanted.add(market);
    return align();
  };

  return {
    endpoint: () => ({ url: wsUrl, headers: signedHeaders(key, 'GET', pathOf(wsUrl) || '/', primitives) }),
    settings: frameSettings(USE_YES_PRICE),
    onOpen: () => {
      books = null;
      wanted.clear();
    },
    onText: (text) => {
      const reply = replyOf(text);
      if (reply === null || books === null) return [];
      if (reply.type === 'subscribed') {
        if (reply.id !== null && reply.id !== books.id) return [];
        books.sid = reply.sid;
        return align();
      }
      if (!endsBooks(reply, books)) return [];
      books = null;
      return subscribe();
    },
    hello: want,
    add: want,
    remove: (targets) => {
      for (const { market } of targets) wanted.delete(market);
      return align();
    },
    resync: (targets) => {
      const sid = books?.sid ?? null;
      if (sid === null) return align();
      const markets = targets.map(({ market }) => market);
      return [updateCommand(nextId++, sid, 'get_snapshot', markets)];
    },
    keepAlive: { everyMs: timing.keepAliveMs, text: null },
    minSendGapMs: 0,
  };
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
