// One client's WebSocket of venue A: topics by market or all of them, pushes that carry JSON inside a string.

import { isObject, parseJson } from '../../kernel/exact-json.ts';
import { MICROS_PER_SECOND } from '../../kernel/time.ts';
import {
  isLost,
  sendControl,
  sendData,
  type Client,
  type Output,
  type RequestHead,
  type ServerSocket,
} from '../serving/server.ts';

/** `data` is the inner text of a push, itself JSON; the server adds the topic and encodes it again. */
export type FrameA = { readonly market: string; readonly data: string };

const TOPIC = /^web3_prediction_orderbook_(\d+|data)$/;
/** The topic of all markets. */
const ALL = 'data';
const MAX_MESSAGES_PER_SECOND = 5;

const reply = (subType: string, data: string): Output =>
  sendControl(JSON.stringify({ type: 'COMMAND', subType, data }));

export class SocketA implements ServerSocket<FrameA> {
  /** Market ids, or `data`. */
  private readonly topics: Set<string>;
  private readonly client: Client<FrameA>;
  private second = 0;
  private messages = 0;

  constructor({ query }: RequestHead, client: Client<FrameA>) {
    this.client = client;
    this.topics = new Set(
      (query.get('topic') ?? '').split('|').flatMap((topic) => TOPIC.exec(topic)?.[1] ?? []),
    );
  }

  opened(): Output[] {
    return [...(this.topics.size > 0 ? [reply('REGISTER', 'SUCCESS')] : []), this.watch()];
  }

  private watch(): Output {
    return { do: 'watch', ids: this.topics };
  }

  message(text: string): Output[] {
    const second = Math.floor(this.client.now() / MICROS_PER_SECOND);
    this.messages = second === this.second ? this.messages + 1 : 1;
    this.second = second;
    if (this.messages > MAX_MESSAGES_PER_SECOND)
      return [{ do: 'close', code: 1008, reason: 'too many messages' }];
    // The exact text of an application ping is not documented; recorders use these two.
    if (text === 'PING' || /^\{\s*"type"\s*:\s*"PING"\s*\}$/.test(text)) return [{ do: 'alive' }];
    const message = parseJson(text);
    const { command, value } = isObject(message) ? message : {};
    if (command !== 'SUBSCRIBE' && command !== 'UNSUBSCRIBE') return [];
    const asked = (typeof value === 'string' ? value : '').split('|').map((topic) => TOPIC.exec(topic)?.[1]);
    if (asked.includes(undefined)) return [reply(command, 'FAIL')];
    for (const topic of asked)
      if (command === 'SUBSCRIBE') this.topics.add(topic!);
      else this.topics.delete(topic!);
    return [reply(command, 'SUCCESS'), this.watch()];
  }

  frame({ market, data }: FrameA): Output[] {
    const topic = this.topics.has(market) ? market : this.topics.has(ALL) ? ALL : null;
    if (topic === null || isLost(this.client, market)) return [];
    const text = JSON.stringify({ type: 'TOPIC', topic: `web3_prediction_orderbook_${topic}`, data });
    return [sendData(text, [market])];
  }

  watches(id: string): boolean {
    return this.topics.has(id) || this.topics.has(ALL);
  }
}
