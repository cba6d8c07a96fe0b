// ladderlog audit: today's normalizers against what was recorded.

import { LadderlogError } from '@ladderlog/core';
import { auditReport, auditText, runAudit } from '@ladderlog/replay';

import type { Command } from '../command.ts';
import { EXIT } from '../context.ts';
import { FROM, TO, VENUE, flag, numberOption, rangeOptions, venueOption } from '../flags.ts';
import { withRecording } from '../processes/open-log.ts';
import { withProgress } from '../progress.ts';

export const audit: Command = {
  name: 'audit',
  summary: 'Runs the normalizers over the captured frames again and compares with what was recorded.',
  examples: [
    'ladderlog audit --venue venuec',
    'ladderlog audit --venue venueb --from 2026-11-15 --to 2026-11-16 --json',
  ],
  flags: [
    VENUE,
    FROM,
    TO,
    flag('--warmup-hours <hours>', 'How far before --from connections are read from.', { default: '25' }),
    flag('--differences <n>', 'Differences described; all are counted.', { default: '100' }),
  ],
  run(context, options) {
    const venue = venueOption(options);
    const { from, to } = rangeOptions(options);
    const warmupMs = numberOption(options, 'warmupHours') * 3_600_000;
    const listed = numberOption(options, 'differences');
    return withRecording(context, async (log) => {
      const done = await withProgress(`audit ${venue}`, (update) =>
        runAudit({
          log,
          venue,
          ...(from === null ? {} : { from }),
          ...(to === null ? {} : { to }),
          warmupMs,
          listed,
          signal: context.signal,
          onProgress: ({ done, total, frames }) => update(done, total, `${frames} frames`),
        }),
      );
      const report = auditReport(done);
      context.answer(report, () => auditText(report));
      if (report.different > 0 || report.unreadable_records > 0) return EXIT.different;
      if (report.judged === 0)
        throw new LadderlogError(
          'NO_RECORDING',
          `nothing was judged: ${report.frames} frames of ${venue} in this range, and nothing recorded of them`,
        );
      return EXIT.ok;
    });
  },
};
