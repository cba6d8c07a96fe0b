// What is known of a market, field by field, described once. The event's type, the rows of `markets` and `market_history`, the
// API's record and exports are made from this list; tests hold the Avro schema and the contract to it.

import type { Micro } from '../kernel/decimal.ts';
import type { Micros } from '../kernel/time.ts';

export const MARKET_STATUSES = ['unknown', 'upcoming', 'open', 'closed', 'resolved', 'voided'] as const;
export type MarketStatus = (typeof MARKET_STATUSES)[number];

export type Outcome = {
  /** The outcome as used in BookObserved.outcome. */
  readonly id: string;
  readonly label: string;
  readonly index: number;
  readonly tokenId: string | null;
  readonly winner: boolean | null;
};

/** Kinds of fields and their values. Null is unknown: nothing is guessed. */
type ValueOfKind = {
  text: string | null;
  /** Microseconds since the epoch. */
  time: Micros | null;
  /** Units of 1e-6. */
  amount: Micro | null;
  /** Whole. */
  number: number | null;
  /** Whole, and not below 0. */
  count: number | null;
  status: MarketStatus;
  outcomes: readonly Outcome[];
  flag: boolean;
  /** JSON text. */
  json: string;
};
export type MarketFieldKind = keyof ValueOfKind;

/** `column`: its name in the tables, in Avro and in the API. `outcomes` has several columns: tables/tables.ts. */
const field = <K extends MarketFieldKind, C extends string>(kind: K, column: C, meaning: string) => ({
  kind,
  column,
  meaning,
});

export const MARKET_FIELDS = {
  slug: field('text', 'slug', 'Native slug.'),
  title: field('text', 'title', 'Native title.'),
  question: field('text', 'question', 'Native question.'),
  asset: field('text', 'asset', 'Underlying asset in upper case, e.g. BTC.'),
  window: field('text', 'window', 'Length of a short-dated contract: 5m, 15m, 1h, 4h, 1d.'),
  status: field('status', 'status', 'Normalized status; the native one is beside.'),
  nativeStatus: field('text', 'native_status', "The venue's own status text."),
  eventId: field('text', 'event_id', 'Topic id (venue A), event ticker (B), event id (C).'),
  seriesId: field('text', 'series_id', 'Series ticker (B), series slug (C).'),
  conditionId: field('text', 'condition_id', 'Condition id (A, C).'),
  outcomes: field('outcomes', 'outcomes', 'Outcomes in native order.'),
  opensAt: field('time', 'opens_at', 'Start of the window the contract is about; not when it was listed.'),
  closesAt: field('time', 'closes_at', 'End of trading.'),
  listedAt: field('time', 'listed_at', 'When the venue listed it.'),
  expectedResolutionAt: field('time', 'expected_resolution_at', 'When the venue expects to resolve.'),
  resolvedAt: field('time', 'resolved_at', 'When it did.'),
  resolution: field('text', 'resolution', "The venue's own resolution text."),
  winningOutcome: field('text', 'winning_outcome', 'Label of the winner.'),
  settlementValue: field(
    'amount',
    'settlement_value',
    '1e-6 of the contract value paid to the first outcome.',
  ),
  strike: field('text', 'strike', 'Strike as text.'),
  volume: field('amount', 'volume', 'Traded volume, 1e-6.'),
  liquidity: field('amount', 'liquidity', 'Liquidity, 1e-6.'),
  openInterest: field('amount', 'open_interest', 'Open interest, 1e-6.'),
  participantCount: field('count', 'participant_count', 'Number of participants.'),
  chain: field('text', 'chain', 'Chain id.'),
  exchangeContract: field('text', 'exchange_contract', 'Exchange contract address.'),
  collateral: field('text', 'collateral', 'Collateral.'),
  feeBps: field('number', 'fee_bps', 'Fee in basis points.'),
  tickSize: field('amount', 'tick_size', 'Price step, 1e-6, where there is one for all prices.'),
  minSize: field('amount', 'min_size', 'Smallest order, 1e-6.'),
  simulated: field('flag', 'simulated', 'True for markets of the simulated venues.'),
  native: field('json', 'native', "The venue's own objects of this market as compact JSON."),
};

type Described = typeof MARKET_FIELDS;
export type MarketFieldName = keyof Described;

/** Everything of a market but the envelope. */
export type MarketFields = {
  readonly [N in MarketFieldName]: ValueOfKind[Described[N]['kind']];
};

export const MARKET_FIELD_NAMES = Object.keys(MARKET_FIELDS) as readonly MarketFieldName[];

/** Of each kind, what says that nothing is known. */
const NOTHING: { readonly [K in MarketFieldKind]: ValueOfKind[K] } = {
  text: null,
  time: null,
  amount: null,
  number: null,
  count: null,
  status: 'unknown',
  outcomes: [],
  flag: false,
  json: '{}',
};

export const UNKNOWN_MARKET = Object.fromEntries(
  MARKET_FIELD_NAMES.map((name) => [name, NOTHING[MARKET_FIELDS[name].kind]]),
) as MarketFields;
