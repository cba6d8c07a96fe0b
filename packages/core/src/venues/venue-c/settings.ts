// What can be set of venue C. Its market data needs no key.

import type { SettingValues, VenueSettings } from '../../kernel/settings.ts';
import { list, url } from '../../kernel/setting-parsers.ts';
import { WINDOWS } from '../shared/up-down.ts';

export const settings = {
  gammaUrl: {
    default: 'https://gamma-api.polymarket.com',
    parse: url('http', 'https'),
    doc: 'Venue C discovery.',
  },
  clobUrl: {
    default: 'https://clob.polymarket.com',
    parse: url('http', 'https'),
    doc: 'Venue C books by REST.',
  },
  wsUrl: {
    default: 'wss://ws-subscriptions-clob.polymarket.com/ws/market',
    parse: url('ws', 'wss'),
    doc: 'Venue C market channel.',
  },
  assets: {
    default: ['btc', 'eth', 'sol'],
    parse: list(/^[a-z0-9]{2,10}$/, 'assets such as btc,eth', (item) => item.toLowerCase()),
    doc: 'Venue C assets.',
  },
  windows: { default: ['5m', '15m'], parse: WINDOWS, doc: 'Venue C windows.' },
} as const satisfies VenueSettings;

export type Values = SettingValues<typeof settings>;
