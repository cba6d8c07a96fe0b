// Fees as formulas with parameters. Amounts of 1e-6; every fee is rounded up. A venue changes its fees, so a report states the
// model it used.

import type { Micro } from '../kernel/decimal.ts';
import { MICRO, complement } from '../kernel/decimal.ts';
import { ratio, times } from './amounts.ts';

export type FeeModel =
  | { readonly kind: 'none' }
  /** bps of what is paid or received. `market`: the market's own rate as recorded, `bps` where it states none. */
  | { readonly kind: 'notional'; readonly bps: number; readonly makerBps: number; readonly market: boolean }
  /** rate × size × p × (1 − p), rounded up to a multiple of `step`. */
  | { readonly kind: 'variance'; readonly rate: Micro; readonly makerRate: Micro; readonly step: Micro };

export type Traded = {
  readonly price: Micro;
  readonly size: Micro;
  readonly liquidity: 'taker' | 'maker';
  /** The market's recorded fee rate; null where it states none. */
  readonly marketBps: number | null;
};

const BPS = 10_000;

export function feeOf(model: FeeModel, { price, size, liquidity, marketBps }: Traded): Micro {
  const maker = liquidity === 'maker';
  switch (model.kind) {
    case 'none':
      return 0;
    case 'notional': {
      const taker = model.market && marketBps !== null ? marketBps : model.bps;
      return ratio(times(price, size, 'up'), maker ? model.makerBps : taker, BPS, 'up');
    }
    case 'variance': {
      // Three factors of 1e-6 each and 1e-6 asked for: one division, so that a fee of exactly n cents is not pushed over.
      const rate = maker ? model.makerRate : model.rate;
      const product = BigInt(size) * BigInt(price) * BigInt(complement(price)) * BigInt(rate);
      const unit = BigInt(MICRO) ** 3n * BigInt(model.step);
      return Number((product + unit - 1n) / unit) * model.step;
    }
  }
}
