import type { VenueTrading } from '../../backtest/trading.ts';

export const trading: VenueTrading = {
  fees: { kind: 'notional', bps: 200, makerBps: 0, market: true },
  rules: { tickSize: null, minSize: null },
  priceGrid: () => null,
  endsAtClose: true,
  mirror: { first: '0', second: '1' },
};
