// ladderlog backfill: past markets' metadata from a venue.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { backfill } from '@ladderlog/collectors';
import { LadderlogError, adapterOf } from '@ladderlog/core';
import { startSimulators } from '@ladderlog/simulators';

import type { Command, Options } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../context.ts';
import { openDataDirectory } from '../data/data-directory.ts';
import { VENUE, flag, rangeOptions, venueOption, wordOption } from '../flags.ts';
import { withLog } from '../processes/open-log.ts';
import { planVenues } from '../processes/venues.ts';
import { withProgress } from '../progress.ts';
import { venueValues } from '../settings/config.ts';
import { venuesThat } from '../venue-texts.ts';

export const backfillCommand: Command = {
  name: 'backfill',
  summary:
    'Fetches past markets with resolution, volume and liquidity, marked as backfilled. Books and samples cannot be.',
  examples: [
    'ladderlog backfill --venue venuea --coin BTC --since 2026-05-05',
    'ladderlog backfill --venue venueb --series KXBTC15M --since 2026-11-01',
    'ladderlog backfill --venue venuec --coin BTC --window 15m --since 2026-11-01 --until 2026-11-02',
  ],
  flags: [
    VENUE,
    flag('--coin <coin...>', `Assets, for ${venuesThat(({ collect }) => collect.backfill.of === 'assets')}.`),
    flag(
      '--series <series...>',
      `Series, for ${venuesThat(({ collect }) => collect.backfill.of === 'series')}.`,
    ),
    flag('--window <window...>', `Windows, for ${venuesThat(({ settings }) => 'windows' in settings)}.`),
    flag('--since <time>', 'From this close time on (ISO 8601).', { required: true }),
    flag('--until <time>', 'To this close time, exclusive; now by default.'),
    flag('--venues <which>', 'live (default), or simulated for a try without a network.'),
    flag('--restart', 'Begin anew instead of going on where an interrupted run ended.'),
  ],
  async run(given, options) {
    const venue = venueOption(options);
    const { from, to } = rangeOptions(options, ['since', 'until']);
    const mode = wordOption('venues', options['venues'] ?? 'live', ['live', 'simulated']);
    const config = { ...given.config, venues: { mode, venues: [venue] } };
    const context: Context = { ...given, config };
    const question = { ...questionOf(context, options), since: from!, until: to ?? Date.now() * 1_000 };
    const { adapter, of, windows } = question;
    const simulators = mode === 'simulated' ? await startSimulators({ seed: config.simulatorSeed }) : null;
    const { path } = openDataDirectory(config.data, context.logger);
    const resume = resumeFile(path, [venue, ...of, ...windows, String(from)]);
    if (options['restart'] === true) resume.clear();
    return withLog(context, async (log) => {
      const { venues, leftOut } = planVenues(config, simulators);
      const [planned] = venues;
      if (!planned) throw new LadderlogError('BAD_CONFIG', leftOut[0] ?? `${venue} is not configured`);
      const { logger, signal } = context;
      const report = await withProgress(`backfill ${adapter.venue}`, (update) =>
        backfill({
          log,
          ...question,
          endpoints: planned.plan.endpoints,
          logger,
          signal,
          resume: resume.read(),
          onProgress: ({ done, total, markets, resume: token }) => {
            resume.write(token);
            update(done, total, `${markets} markets`);
          },
        }),
      );
      if (!signal.aborted) resume.clear();
      context.answer(
        report,
        () =>
          `${report.markets} markets backfilled with ${report.calls} calls (${report.unchanged} were known already, ${report.failed} calls failed)`,
      );
      return signal.aborted ? EXIT.interrupted : EXIT.ok;
    }).finally(() => simulators?.close());
  },
};

/** Whose markets: as asked for, else as configured. */
function questionOf({ config }: Context, options: Options) {
  const adapter = adapterOf(config.venues.venues[0]!);
  const values = venueValues(config, adapter);
  const named = (name: string, setting: string): readonly string[] =>
    (options[name] ?? values[setting] ?? []) as readonly string[];
  const { of, setting } = adapter.collect.backfill;
  return {
    adapter,
    of: named(of === 'series' ? 'series' : 'coin', setting),
    windows: named('window', 'windows'),
  };
}

/** Where an interrupted run goes on; one file per question. */
function resumeFile(
  directory: string,
  question: readonly string[],
): { read(): string | null; write(token: string): void; clear(): void } {
  const path = join(directory, `backfill-${question.join('-').replaceAll(/[^A-Za-z0-9-]/g, '_')}.resume`);
  return {
    read: () => (existsSync(path) ? readFileSync(path, 'utf8') : null),
    write: (token) => writeFileSync(path, token),
    clear: () => rmSync(path, { force: true }),
  };
}
