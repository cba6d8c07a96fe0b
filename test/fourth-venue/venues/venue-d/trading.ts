import type { VenueTrading } from '../../backtest/trading.ts';

export const trading: VenueTrading = {
  fees: { kind: 'none' },
  rules: { tickSize: null, minSize: null },
  priceGrid: () => null,
  endsAtClose: true,
  mirror: null,
};
