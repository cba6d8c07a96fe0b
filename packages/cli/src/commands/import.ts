// ladderlog import: recordings of other recorders into the log. ladderlog backfill: past markets' metadata from a venue.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ImportReport } from '@ladderlog/collectors';
import { backfill, importFile } from '@ladderlog/collectors';
import { LadderlogError, VENUES, adapterOf, parseClientTime } from '@ladderlog/core';
import { startSimulators } from '@ladderlog/simulators';

import type { Context } from '../context.ts';
import { EXIT } from '../context.ts';
import type { DataDirectory } from '../data/data-directory.ts';
import { openDataDirectory } from '../data/data-directory.ts';
import type { Define } from '../program.ts';
import { createProgress } from '../progress.ts';
import { openLog } from '../processes/runtime.ts';
import { planVenues } from '../processes/venues.ts';
import { venueValues } from '../settings/config.ts';
import { ONE_VENUE, venuesThat } from '../venue-texts.ts';

export function registerImport(define: Define): void {
  define(
    'import',
    'Appends recorded frames (NDJSON, optionally gzip) with provenance imported.',
    [
      'ladderlog import recording.jsonl.gz',
      'ladderlog import --data ./data day1.jsonl day2.jsonl',
      '# one line a frame: {"venue":"venueb","channel":"ws","received_at":"2026-05-15T09:17:05.873Z","frame":"<the exact text>"}',
    ],
    (command) => command.argument('<files...>', 'Recordings; the same file twice adds nothing.'),
    async (context, _options, files) => {
      const log = await openLog(context, openDataDirectory(context.config.data, context.logger));
      const days = context.config.framesDays;
      if (log.kind === 'kafka' && days !== null)
        context.logger.warn(
          { event: 'import.tape_is_cut', days },
          `Kafka keeps frames for ${days} days from their observation: older ones of an import may be removed at once; books, markets and gaps stay`,
        );
      let bad = 0;
      try {
        for (const file of files) {
          const progress = createProgress(`import ${file}`);
          const report = await importFile({
            log,
            file,
            signal: context.signal,
            onProgress: ({ bytes, totalBytes, lines, events }) =>
              progress.update(bytes, totalBytes, `${lines} lines, ${events} events`),
          }).finally(() => progress.end());
          bad += report.badLineCount;
          context.print(context.json ? JSON.stringify(report) : describe(report));
        }
      } finally {
        await log.close();
      }
      return bad > 0 ? EXIT.different : EXIT.ok;
    },
  );
  define(
    'backfill',
    'Fetches past markets with resolution, volume and liquidity, marked as backfilled. Books and samples cannot be.',
    [
      'ladderlog backfill --venue venuea --coin BTC --since 2026-05-05',
      'ladderlog backfill --venue venueb --series KXBTC15M --since 2026-11-01',
      'ladderlog backfill --venue venuec --coin BTC --window 15m --since 2026-11-01 --until 2026-11-02',
    ],
    (command) =>
      command
        .requiredOption('--venue <venue>', `${ONE_VENUE}.`)
        .option(
          '--coin <coin...>',
          `Assets, for ${venuesThat(({ collect }) => collect.backfill.of === 'assets')}.`,
        )
        .option(
          '--series <series...>',
          `Series, for ${venuesThat(({ collect }) => collect.backfill.of === 'series')}.`,
        )
        .option(
          '--window <window...>',
          `Windows, for ${venuesThat(({ settings }) => 'windows' in settings)}.`,
        )
        .requiredOption('--since <time>', 'From this close time on (ISO 8601).')
        .option('--until <time>', 'To this close time, exclusive; now by default.')
        .option('--venues <which>', 'live (default), or simulated for a try without a network.')
        .option('--restart', 'Begin anew instead of going on where an interrupted run ended.'),
    runBackfill,
  );
}

async function runBackfill(context: Context, options: Readonly<Record<string, unknown>>): Promise<number> {
  const venue = VENUES.find((name) => name === options['venue']);
  if (!venue)
    throw new LadderlogError(
      'BAD_ARGUMENT',
      `--venue is ${JSON.stringify(options['venue'])}; it must be one of ${VENUES.join(', ')}`,
    );
  const time = (name: string, text: unknown): number => {
    const at = typeof text === 'string' ? parseClientTime(text) : null;
    if (at === null)
      throw new LadderlogError(
        'BAD_ARGUMENT',
        `--${name} is ${JSON.stringify(text)}; it must be an ISO 8601 time such as 2026-05-05`,
      );
    return at;
  };
  const since = time('since', options['since']);
  const until = options['until'] === undefined ? Date.now() * 1_000 : time('until', options['until']);
  if (until <= since) throw new LadderlogError('BAD_ARGUMENT', '--until must be later than --since');
  const simulated = options['venues'] === 'simulated';
  if (!simulated && options['venues'] !== undefined && options['venues'] !== 'live')
    throw new LadderlogError(
      'BAD_ARGUMENT',
      `--venues is ${JSON.stringify(options['venues'])}; it must be live or simulated`,
    );
  const config = {
    ...context.config,
    venues: { mode: simulated ? ('simulated' as const) : ('live' as const), venues: [venue] },
  };
  const adapter = adapterOf(venue);
  const values = venueValues(config, adapter);
  const named = (flag: string, setting: string): readonly string[] =>
    (options[flag] ?? values[setting] ?? []) as readonly string[];
  const { of: kind, setting } = adapter.collect.backfill;
  const of = named(kind === 'series' ? 'series' : 'coin', setting);
  const windows = named('window', 'windows');
  const directory = openDataDirectory(config.data, context.logger);
  const simulators = simulated ? await startSimulators({ seed: config.simulatorSeed }) : null;
  const log = await openLog(context, directory);
  const progress = createProgress(`backfill ${venue}`);
  const resume = resumeFile(directory, [venue, ...of, ...windows, String(since)]);
  if (options['restart'] === true) resume.clear();
  try {
    const { venues, leftOut } = planVenues(config, simulators);
    const [planned] = venues;
    if (!planned) throw new LadderlogError('BAD_CONFIG', leftOut[0] ?? `${venue} is not configured`);
    const report = await backfill({
      log,
      adapter,
      endpoints: planned.plan.endpoints,
      of,
      windows,
      since,
      until,
      logger: context.logger,
      signal: context.signal,
      resume: resume.read(),
      onProgress: ({ done, total, markets, resume: token }) => {
        resume.write(token);
        progress.update(done, total, `${markets} markets`);
      },
    });
    if (!context.signal.aborted) resume.clear();
    context.print(
      context.json
        ? JSON.stringify(report)
        : `${report.markets} markets backfilled with ${report.calls} calls (${report.unchanged} were known already, ${report.failed} calls failed)`,
    );
    return context.signal.aborted ? EXIT.interrupted : EXIT.ok;
  } finally {
    progress.end();
    await log.close();
    await simulators?.close();
  }
}

/** Where an interrupted run goes on; one file per question. */
function resumeFile(
  directory: DataDirectory,
  question: readonly string[],
): { read(): string | null; write(token: string): void; clear(): void } {
  const path = join(
    directory.path,
    `backfill-${question.join('-').replaceAll(/[^A-Za-z0-9-]/g, '_')}.resume`,
  );
  return {
    read: () => (existsSync(path) ? readFileSync(path, 'utf8') : null),
    write: (token) => writeFileSync(path, token),
    clear: () => rmSync(path, { force: true }),
  };
}

function describe(report: ImportReport): string {
  const lines = [
    `${report.file}: ${report.lines} lines, ${report.frames} frames, ${report.observations} books, ${report.rejects} rejects; ${report.appended} events appended${report.present > 0 ? `, ${report.present} were in the log already` : ''}`,
  ];
  for (const { line, reason } of report.badLines) lines.push(`  line ${line}: ${reason}`);
  if (report.badLineCount > report.badLines.length)
    lines.push(
      `  … and ${report.badLineCount - report.badLines.length} more bad lines; all are kept as rejects`,
    );
  return lines.join('\n');
}
