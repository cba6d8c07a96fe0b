// Messages of venue A, invented values in the true shape, for its tests.

import type { MarketFields } from '../../../src/capture/finding.ts';
import { venueA } from '../../../src/venues/venue-a/index.ts';
import { AT, feed, only } from '../frames.ts';

export const UP = '63015212288887519605689521802215931005858239156918107575780791658588345185817';
export const DOWN = '111913554301217491431600756326792444318464112865057816486042507140136158411642';
export const MARKET = '6815131';

export type Over = Record<string, unknown>;
export const market = (over: Over = {}) => ({
  marketId: 6815131,
  externalId: '1113650',
  title: 'BTC Up or Down 5m',
  conditionId: '0x8f',
  status: 'REGISTERED',
  tradingStatus: 'OPEN',
  tradeVolume: '15823.45',
  liquidity: '4500.00',
  decimalPrecision: 2,
  outcomes: [
    { name: 'Up', price: '0.53', chance: '0.52', index: 0, tokenId: UP },
    { name: 'Down', price: '0.49', chance: '0.48', index: 1, tokenId: DOWN },
  ],
  ...over,
});
export const topic = (over: Over = {}, marketOver: Over = {}) => ({
  marketTopicId: 4455880,
  vendor: 'PREDICT_FUN',
  chainId: '56',
  slug: 'btc-updown-5m-1794700800',
  title: 'BTC Up or Down 5m',
  question: 'Bitcoin Up or Down',
  symbol: 'BTCUSDT',
  participantCount: 342,
  collateral: 'USDT',
  feeRateBps: 200,
  tradeVolume: '15823.45',
  liquidity: '4500.00',
  publishedAt: 1794614420780,
  startDate: 1794700800000,
  endDate: 1794701100000,
  status: 'REGISTERED',
  markets: [market(marketOver)],
  ...over,
});
export const DETAIL = 'rest:/market/detail?marketTopicId=4455880';
export const book = (over: Over = {}) => ({
  msgType: 'orderbook',
  marketId: 6815131,
  updateTimestampMs: 1794700802617,
  asks: [
    ['0.53', '300'],
    ['0.54', '950'],
  ],
  bids: [
    ['0.51', '500'],
    ['0.50', '1200'],
  ],
  ...over,
});
export const push = (data: unknown, name = `web3_prediction_orderbook_${MARKET}`) => ({
  type: 'TOPIC',
  topic: name,
  data: typeof data === 'string' ? data : JSON.stringify(data),
});
export const fieldsOf = (answer: unknown, channel = DETAIL, at = AT): MarketFields[] =>
  only(feed(venueA.capture.createNormalizer(), answer, channel, at), 'market').map(({ fields }) => fields);
