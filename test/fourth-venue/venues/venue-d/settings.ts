// What can be set of venue D: LADDERLOG_VENUED_REST_URL and so on.

import type { SettingValues, VenueSettings } from '../../kernel/settings.ts';
import { list, number, url } from '../../kernel/setting-parsers.ts';

export const settings = {
  restUrl: {
    default: 'https://venue-d.invalid/api',
    parse: url('http', 'https'),
    doc: 'Venue D REST.',
  },
  leagues: {
    default: ['cup'],
    parse: list(/^[a-z0-9-]{2,64}$/, 'leagues such as cup'),
    doc: 'Venue D leagues.',
  },
  readsPerSecond: {
    default: 10,
    parse: number(0.01, 1_000),
    doc: 'Upper bound of venue D REST reads.',
  },
} as const satisfies VenueSettings;

export type Values = SettingValues<typeof settings>;
