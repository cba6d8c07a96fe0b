import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../src/capture/collect.ts';
import { venueB } from '../../../src/venues/venue-b/index.ts';
import { AT } from '../frames.ts';
import { answered, ask, planOf, walked } from '../plans.ts';

const KEY = { keyId: 'key', privateKeyPem: 'pem' };

/** Pages of which all but the last name the next. */
const pages =
  (cursors: readonly string[]) =>
  (path: string): Answer => {
    const at = cursors.indexOf(decodeURIComponent(/cursor=([^&]*)/.exec(path)?.[1] ?? ''));
    return answered([], { markets: [], cursor: cursors[at + 1] ?? '' });
  };

const cursorsOf = (paths: readonly string[]): string[] =>
  paths.map((path) => /cursor=([^&]*)/.exec(path)?.[1] ?? '');

describe('discovery of venue B', () => {
  it('follows the pages of every series to their end', () => {
    const plan = planOf(venueB, { series: ['KXA', 'KXB'] });
    const asked = ask(plan.discover(AT), pages(['1', 'with "quotes" and \\ too']));
    expect(cursorsOf(asked)).toEqual([
      '',
      '1',
      'with%20%22quotes%22%20and%20%5C%20too',
      '',
      '1',
      expect.any(String),
    ]);
    expect(asked[0]).toBe('/markets?limit=200&series_ticker=KXA&min_close_ts=1794700800');
  });

  it('goes to the next series where one gives no answer', () => {
    const plan = planOf(venueB, { series: ['KXA', 'KXB'] });
    expect(ask(plan.discover(AT), () => ({ ok: false }))).toHaveLength(2);
  });
});

describe('a plan of venue B', () => {
  it('polls without a key, and has sockets with one', () => {
    const polled = planOf(venueB);
    expect([polled.sockets, polled.probe]).toEqual([null, null]);
    expect(polled.poll!.request('KXA-1').path).toBe('/markets/KXA-1/orderbook');
    const streamed = planOf(venueB, KEY);
    expect(streamed.poll).toBeNull();
    expect(streamed.probe!('KXA-1', 'yes', undefined)!.path).toBe('/markets/KXA-1/orderbook');
  });

  it('signs time, method and the whole path', () => {
    const plan = planOf(venueB, KEY);
    const signed = plan.endpoints['rest']!.sign!({ method: 'GET', path: '/markets?limit=1' });
    expect(signed.path).toBe('/markets?limit=1');
    expect(signed.headers['KALSHI-ACCESS-SIGNATURE']).toBe('rsa(pem,1794700800000GET/trade-api/v2/markets)');
    const { url, headers } = plan.sockets!.open().endpoint();
    expect(url).toBe('wss://external-api-ws.kalshi.com/trade-api/ws/v2');
    expect(headers['KALSHI-ACCESS-SIGNATURE']).toBe('rsa(pem,1794700800000GET/trade-api/ws/v2)');
  });
});

describe('the dialogue on a socket of venue B', () => {
  const target = (market: string) => ({ market, outcomes: ['yes'] });
  const parsed = (messages: readonly string[]): unknown[] =>
    messages.map((text) => {
      const { cmd, params } = JSON.parse(text) as { cmd: string; params: Record<string, unknown> };
      return [cmd, params['action'] ?? params['channels'], params['market_tickers']];
    });

  it('subscribes once, and adds and removes on the sid that it was told', () => {
    const talk = planOf(venueB, KEY).sockets!.open();
    talk.onOpen!();
    expect(parsed(talk.hello([target('A')]))).toEqual([['subscribe', ['orderbook_delta'], ['A']]]);
    // Until the sid is known nothing can be added.
    expect(talk.add([target('B')])).toEqual([]);
    const reply = { id: 1, type: 'subscribed', msg: { channel: 'orderbook_delta', sid: 7 } };
    expect(parsed(talk.onText!(JSON.stringify(reply)))).toEqual([
      ['update_subscription', 'add_markets', ['B']],
    ]);
    expect(parsed(talk.remove([target('A')]))).toEqual([['update_subscription', 'delete_markets', ['A']]]);
    expect(parsed(talk.resync([target('B')]))).toEqual([['update_subscription', 'get_snapshot', ['B']]]);
  });

  it('subscribes anew when the venue ended the subscription', () => {
    const talk = planOf(venueB, KEY).sockets!.open();
    talk.hello([target('A')]);
    talk.onText!(JSON.stringify({ id: 1, type: 'subscribed', msg: { channel: 'orderbook_delta', sid: 7 } }));
    const overflow = { sid: 7, type: 'error', msg: { code: 25 } };
    expect(parsed(talk.onText!(JSON.stringify(overflow)))).toEqual([
      ['subscribe', ['orderbook_delta'], ['A']],
    ]);
  });
});

describe('backfill of venue B', () => {
  const question = { of: ['KXA', 'KXB'], windows: [], since: AT, until: AT + 1_000_000, resume: null };

  it('reads the live and the historical list of each series, page after page', () => {
    const steps = walked(venueB.collect.backfill.walk(question), pages(['1']));
    const series = ['/markets', '/markets', '/historical/markets', '/historical/markets'];
    expect(steps.map(({ path }) => path.split('?', 1)[0])).toEqual([...series, ...series]);
    expect(steps.map(({ resume }) => resume)).toEqual(['0', '0 1', '1', '1 1', '2', '2 1', '3', '3 1']);
  });

  it('goes on at the page where it ended', () => {
    const steps = walked(venueB.collect.backfill.walk({ ...question, resume: '2 1' }), pages(['1']));
    expect(steps.map(({ resume }) => resume)).toEqual(['2 1', '3', '3 1']);
  });
});
