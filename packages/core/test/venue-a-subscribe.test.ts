import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as subscribe from '../src/venues/venue-a/subscribe.ts';

describe('what is sent to venue A', () => {
  it('sorts the parameters of the socket before signing', () => {
    const query = subscribe.socketQuery({
      topics: [subscribe.bookStream('1'), subscribe.bookStream('2')],
      random: 'r'.repeat(40),
      timestampMs: 1_794_700_800_000,
    });
    expect(query.payload).toBe(
      `random=${'r'.repeat(32)}&recvWindow=30000&timestamp=1794700800000&topic=web3_prediction_orderbook_1%7Cweb3_prediction_orderbook_2`,
    );
  });

  it('names no topic where the connection subscribes by messages', () => {
    const query = subscribe.socketQuery({ topics: [], random: 'r', timestampMs: 1_794_700_800_000 });
    expect(query.payload).toBe('random=r&recvWindow=30000&timestamp=1794700800000');
  });

  it('signs exactly the text of a call that is sent', () => {
    const request = subscribe.bookRequest('6815131', '99');
    const unsigned = subscribe.restQuery(request, 1_794_700_800_000);
    const signature = createHmac('sha256', 'secret').update(unsigned.payload).digest('hex');
    const path = subscribe.signedPath(request, subscribe.signedQuery(unsigned, signature));
    const sent = path.slice(path.indexOf('?') + 1);
    expect(path.startsWith('/order-book?vendor=predict_fun&marketId=6815131&tokenId=99&recvWindow=')).toBe(
      true,
    );
    expect(sent).toBe(`${unsigned.payload}&signature=${signature}`);
    // The channel names the call without time or signature.
    expect(request.channel).toBe('rest:/order-book?vendor=predict_fun&marketId=6815131&tokenId=99');
  });

  it('builds the other calls and commands', () => {
    expect(subscribe.topicsRequest({ offset: 100 }).path).toBe(
      '/market/list?l1Category=crypto&l2Category=up-down&sortBy=END_DATE&orderBy=ASC&offset=100&limit=100',
    );
    expect(subscribe.topicRequest('4455880').path).toBe('/market/detail?marketTopicId=4455880');
    expect(subscribe.lastTradeRequest('1').path).toBe('/order-book/last-trade-price?marketId=1');
    expect(JSON.parse(subscribe.subscribeMessage('t'))).toEqual({ command: 'SUBSCRIBE', value: 't' });
    expect(JSON.parse(subscribe.unsubscribeMessage('t'))).toEqual({ command: 'UNSUBSCRIBE', value: 't' });
  });
});
