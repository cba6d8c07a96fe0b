// ladderlog import: recordings of other recorders into the log.

import type { ImportReport } from '@ladderlog/collectors';
import { importFile } from '@ladderlog/collectors';

import type { Command } from '../command.ts';
import { EXIT } from '../context.ts';
import { withLog } from '../processes/open-log.ts';
import { withProgress } from '../progress.ts';

export const importCommand: Command = {
  name: 'import',
  summary: 'Appends recorded frames (NDJSON, optionally gzip) with provenance imported.',
  examples: [
    'ladderlog import recording.jsonl.gz',
    'ladderlog import --data ./data day1.jsonl day2.jsonl',
    '# one line a frame: {"venue":"venueb","channel":"ws","received_at":"2026-05-15T09:17:05.873Z","frame":"<the exact text>"}',
  ],
  arguments: { '<files...>': 'Recordings; the same file twice adds nothing.' },
  run: (context, _options, files) =>
    withLog(context, async (log) => {
      const { signal } = context;
      const days = context.config.framesDays;
      if (log.kind === 'kafka' && days !== null)
        context.logger.warn(
          { event: 'import.tape_is_cut', days },
          `Kafka keeps frames for ${days} days from their observation: older ones of an import may be removed at once; books, markets and gaps stay`,
        );
      let bad = 0;
      for (const file of files) {
        const report = await withProgress(`import ${file}`, (update) =>
          importFile({
            log,
            file,
            signal,
            onProgress: ({ bytes, totalBytes, lines, events }) =>
              update(bytes, totalBytes, `${lines} lines, ${events} events`),
          }),
        );
        bad += report.badLineCount;
        context.answer(report, () => describe(report));
      }
      return bad > 0 ? EXIT.different : EXIT.ok;
    }),
};

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
