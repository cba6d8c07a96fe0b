// ladderlog audit: today's normalizers against what was recorded.

import { LadderlogError } from '@ladderlog/core';
import { auditReport, auditText, runAudit } from '@ladderlog/replay';

import { EXIT } from '../context.ts';
import type { Define } from '../program.ts';
import { createProgress } from '../progress.ts';
import { numberOption, openRecording, rangeOptions, venueOption } from '../processes/recording.ts';
import { ONE_VENUE } from '../venue-texts.ts';

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
        .requiredOption('--venue <venue>', `${ONE_VENUE}.`)
        .option('--from <time>', 'From, inclusive (ISO 8601 or epoch milliseconds).')
        .option('--to <time>', 'To, exclusive.')
        .option('--warmup-hours <hours>', 'How far before --from connections are read from.', '25')
        .option('--differences <n>', 'Differences described; all are counted.', '100'),
    async (context, options) => {
      const venue = venueOption('--venue', options['venue']);
      const { from, to } = rangeOptions(options);
      const warmupMs = numberOption(options, 'warmupHours') * 3_600_000;
      const listed = numberOption(options, 'differences');
      const log = await openRecording(context);
      const progress = createProgress(`audit ${venue}`);
      try {
        const report = auditReport(
          await runAudit({
            log,
            venue,
            ...(from === null ? {} : { from }),
            ...(to === null ? {} : { to }),
            warmupMs,
            listed,
            signal: context.signal,
            onProgress: ({ done, total, frames }) => progress.update(done, total, `${frames} frames`),
          }).finally(() => progress.end()),
        );
        context.print(context.json ? JSON.stringify(report) : auditText(report));
        if (report.different > 0 || report.unreadable_records > 0) return EXIT.different;
        if (report.judged === 0)
          throw new LadderlogError(
            'NO_RECORDING',
            `nothing was judged: ${report.frames} frames of ${venue} in this range, and nothing recorded of them`,
          );
        return EXIT.ok;
      } finally {
        await log.close();
      }
    },
  );
}
