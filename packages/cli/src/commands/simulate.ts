// ladderlog simulate: the simulated venues on their own, for another ladderlog or a client.

import { once } from 'node:events';

import type { VenueAdapter } from '@ladderlog/core';
import { VENUES, VENUE_ADAPTERS, venueSettingEnv } from '@ladderlog/core';

import type { Command } from '../command.ts';
import { simulate } from '../processes/simulator-faults.ts';

export const simulateCommand: Command = {
  name: 'simulate',
  summary: 'Runs only the simulated venues and prints how to reach them.',
  examples: ['ladderlog simulate', 'LADDERLOG_SIMULATOR_FAULTS=true ladderlog simulate --json'],
  async run(context) {
    const simulators = await simulate(context);
    const venues = Object.fromEntries(VENUES.map((venue) => [venue, simulators.settings(venue)]));
    context.answer({ event: 'ready', ...venues }, () =>
      [
        'Simulated venues (made-up markets); settings for another ladderlog or your own client:',
        ...VENUE_ADAPTERS.flatMap((adapter) => settingLines(adapter, simulators.settings(adapter.venue))),
      ].join('\n'),
    );
    if (!context.signal.aborted) await once(context.signal, 'abort');
    await simulators.close();
  },
};

/** Addresses and secrets; a key that is kept in a file cannot be given as a line. */
const settingLines = (
  { venue, settings }: VenueAdapter,
  values: Readonly<Record<string, unknown>>,
): string[] =>
  Object.entries(settings).flatMap(([name, { secret }]) =>
    typeof values[name] === 'string' && (secret || name.endsWith('Url'))
      ? [`${venueSettingEnv(venue, name)}=${values[name]}`]
      : [],
  );
