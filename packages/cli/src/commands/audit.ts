// ladderlog audit: today's normalizers against what was recorded.

import { LadderlogError, VENUES, parseClientTime } from '@ladderlog/core';
import { auditReport, auditText, runAudit } from '@ladderlog/replay';

import { EXIT } from '../context.ts';
import { openDataDirectory } from '../data-directory.ts';
import type { Define, Options } from '../program.ts';
import { openLog } from '../runtime.ts';

export function registerAudit(define: Define): void {
  define(
    'audit',
    'Runs the normalizers over the captured frames again and compares with what was recorded.',
    [
      'ladderlog audit --venue venuec',
      'ladderlog audit --venue venueb --from 2026-11-15 --to 2026-11-16 --json',
    ],
    (command) =>
      command
        .requiredOption('--venue <venue>', 'venuea, venueb or venuec.')
        .option('--from <time>', 'From, inclusive (ISO 8601 or epoch milliseconds).')
        .option('--to <time>', 'To, exclusive.')
        .option('--warmup-hours <hours>', 'How far before --from connections are read from.', '25')
        .option('--differences <n>', 'Differences described; all are counted.', '100'),
    async (context, options) => {
      const venue = VENUES.find((name) => name === options['venue']);
      if (!venue) throw new LadderlogError('BAD_ARGUMENT', `--venue must be one of ${VENUES.join(', ')}`);
      const from = timeOption(options, 'from');
      const to = timeOption(options, 'to');
      const log = await openLog(context, openDataDirectory(context.config.data, context.logger));
      try {
        const report = auditReport(
          await runAudit({
            log,
            venue,
            ...(from === null ? {} : { from }),
            ...(to === null ? {} : { to }),
            warmupMs: countOption(options, 'warmupHours', '--warmup-hours') * 3_600_000,
            listed: countOption(options, 'differences', '--differences'),
            signal: context.signal,
          }),
        );
        context.print(context.json ? JSON.stringify(report) : auditText(report));
        return report.different > 0 ? EXIT.different : EXIT.ok;
      } finally {
        await log.close();
      }
    },
  );
}

function timeOption(options: Options, name: string): number | null {
  if (options[name] === undefined) return null;
  const at = parseClientTime(options[name] as string);
  if (at === null)
    throw new LadderlogError('BAD_ARGUMENT', `--${name} must be ISO 8601 or epoch milliseconds`);
  return at;
}

function countOption(options: Options, name: string, flag: string): number {
  const value = Number(options[name]);
  if (!Number.isFinite(value) || value < 0)
    throw new LadderlogError('BAD_ARGUMENT', `${flag} must be a number of at least 0`);
  return value;
}
