import type { RecordStyle } from '../../market/record-style.ts';

export const record: RecordStyle = {
  idNames: [
    { name: 'market_ticker', id: 'market' },
    { name: 'event_ticker', id: 'event' },
    { name: 'series_ticker', id: 'series' },
  ],
  marketIsCondition: false,
  outcomeIsToken: false,
  levelsShown: 100,
  twoBidSides: { bids: 'yes', asks: 'no' },
  latestOutcome: 'yes',
  historyOutcomes: ['yes'],
  // KXBTC15M-26NOV141915 is a market of KXBTC15M.
  afterSeries: '-',
};
