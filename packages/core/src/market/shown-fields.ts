// Fields of a market as clients see them: under the names of their columns, times as ISO 8601, amounts as decimals.

import type {
  MarketFieldKind,
  MarketFieldName,
  MarketFields,
  MarketStatus,
} from '../events/market-fields.ts';
import { MARKET_FIELDS } from '../events/market-fields.ts';
import { numberOrNull } from '../kernel/decimal.ts';
import { isoOrNull } from '../kernel/time.ts';

type OutcomeView = {
  readonly outcome_id: string;
  readonly label: string;
  readonly index: number;
  readonly token_id: string | null;
  readonly winner: boolean | null;
};

type ShownOfKind = {
  text: string | null;
  time: string | null;
  amount: number | null;
  number: number | null;
  count: number | null;
  status: MarketStatus;
  outcomes: readonly OutcomeView[];
  flag: boolean;
  json: string;
};

type Described = typeof MARKET_FIELDS;
export type ShownFields<N extends MarketFieldName> = {
  readonly [F in N as Described[F]['column']]: ShownOfKind[Described[F]['kind']];
};

/** Kinds that are shown otherwise than they are kept. */
const SHOW: { readonly [K in MarketFieldKind]?: (fields: MarketFields, name: never) => unknown } = {
  time: (fields, name) => isoOrNull(fields[name]),
  amount: (fields, name) => numberOrNull(fields[name]),
  outcomes: ({ outcomes }) =>
    outcomes.map(({ id, label, index, tokenId, winner }) => ({
      outcome_id: id,
      label,
      index,
      token_id: tokenId,
      winner,
    })),
};

/** Adds these fields to `view`, in this order. */
export function showFields(
  view: Record<string, unknown>,
  fields: MarketFields,
  names: readonly MarketFieldName[],
): void {
  for (const name of names) {
    const { kind, column } = MARKET_FIELDS[name];
    const show = SHOW[kind];
    view[column] = show ? show(fields, name as never) : fields[name];
  }
}
