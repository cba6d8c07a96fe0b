// What can be set of venue A. Without its key and secret it cannot be recorded: every call is signed.

import type { SettingValues, VenueSettings } from '../../kernel/settings.ts';
import { list, optionalText, url } from '../../kernel/setting-parsers.ts';
import { WINDOWS } from '../shared/up-down.ts';

export const settings = {
  restUrl: {
    default: 'https://api.binance.com/sapi/v1/w3w/wallet/prediction',
    parse: url('http', 'https'),
    doc: 'Venue A REST.',
  },
  wsUrl: {
    default: 'wss://api.binance.com/sapi/wss',
    parse: url('ws', 'wss'),
    doc: 'Venue A WebSocket.',
  },
  apiKey: { default: null, parse: optionalText, doc: 'Venue A key.', secret: true },
  apiSecret: { default: null, parse: optionalText, doc: 'Venue A secret.', secret: true },
  coins: {
    default: ['BTC', 'ETH', 'BNB'],
    parse: list(/^[A-Z0-9]{2,10}$/, 'coins such as BTC,ETH', (item) => item.toUpperCase()),
    doc: 'Venue A assets.',
  },
  windows: { default: ['5m', '15m'], parse: WINDOWS, doc: 'Venue A windows.' },
} as const satisfies VenueSettings;

export type Values = SettingValues<typeof settings>;
