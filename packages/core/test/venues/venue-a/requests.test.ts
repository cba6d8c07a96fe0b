import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as requests from '../../../src/venues/venue-a/requests.ts';

describe('what is sent to venue A', () => {
  it('sorts the parameters of the socket before signing', () => {
    const query = requests.socketQuery({
      topics: [requests.bookTopic('1'), requests.bookTopic('2')],
      random: 'r'.repeat(40),
      timestampMs: 1_794_700_800_000,
    });
    expect(query).toBe(
      `random=${'r'.repeat(32)}&recvWindow=30000&timestamp=1794700800000&topic=web3_prediction_orderbook_1%7Cweb3_prediction_orderbook_2`,
    );
  });

  it('names no topic where the connection subscribes by messages', () => {
    const query = requests.socketQuery({ topics: [], random: 'r', timestampMs: 1_794_700_800_000 });
    expect(query).toBe('random=r&recvWindow=30000&timestamp=1794700800000');
  });

  it('signs exactly the text of a call that is sent', () => {
    const request = requests.bookRequest('6815131', '99');
    const query = requests.restQuery(request.path, 1_794_700_800_000);
    const signature = createHmac('sha256', 'secret').update(query).digest('hex');
    const path = requests.signedPath(request.path, query, signature);
    const sent = path.slice(path.indexOf('?') + 1);
    expect(path.startsWith('/order-book?vendor=predict_fun&marketId=6815131&tokenId=99&recvWindow=')).toBe(
      true,
    );
    expect(sent).toBe(`${query}&signature=${signature}`);
    // The channel names the call without time or signature.
    expect(request.channel).toBe('rest:/order-book?vendor=predict_fun&marketId=6815131&tokenId=99');
  });

  it('builds the other calls and commands', () => {
    expect(requests.topicsRequest(100).path).toBe(
      '/market/list?l1Category=crypto&l2Category=up-down&sortBy=END_DATE&orderBy=ASC&offset=100&limit=100',
    );
    expect(requests.topicRequest('4455880').path).toBe('/market/detail?marketTopicId=4455880');
    expect(requests.lastTradeRequest('1').path).toBe('/order-book/last-trade-price?marketId=1');
    expect(JSON.parse(requests.subscribeMessage('t'))).toEqual({ command: 'SUBSCRIBE', value: 't' });
    expect(JSON.parse(requests.unsubscribeMessage('t'))).toEqual({ command: 'UNSUBSCRIBE', value: 't' });
  });
});
