// What can be set of venue B. With a key its socket is used; without one its books are polled.

import type { SettingValues, VenueSettings } from '../../kernel/settings.ts';
import { list, number, optionalText, url } from '../../kernel/setting-parsers.ts';

export const settings = {
  restUrl: {
    default: 'https://external-api.kalshi.com/trade-api/v2',
    parse: url('http', 'https'),
    doc: 'Venue B REST.',
  },
  wsUrl: {
    default: 'wss://external-api-ws.kalshi.com/trade-api/ws/v2',
    parse: url('ws', 'wss'),
    doc: 'Venue B WebSocket; used when a key is given.',
  },
  keyId: { default: null, parse: optionalText, doc: 'Venue B key id.' },
  privateKeyFile: {
    default: null,
    parse: optionalText,
    doc: "File with venue B's RSA private key (PEM).",
    textAs: 'privateKeyPem',
  },
  series: {
    default: ['KXBTC15M', 'KXETH15M', 'KXBNB15M', 'KXSOL15M'],
    parse: list(/^[A-Z0-9.-]{2,64}$/, 'series tickers such as KXBTC15M'),
    doc: 'Venue B series.',
  },
  readsPerSecond: {
    default: 10,
    parse: number(0.01, 1_000),
    doc: 'Upper bound of venue B REST reads; adapts below it.',
  },
} as const satisfies VenueSettings;

export type Values = SettingValues<typeof settings> & { readonly privateKeyPem: string | null };
