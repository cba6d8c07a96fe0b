// ladderlog import: recordings of other recorders into the log.

import type { ImportReport } from '@ladderlog/collectors';
import { importFile } from '@ladderlog/collectors';
import { venueA, venueB, venueC } from '@ladderlog/core';

import { EXIT } from '../context.ts';
import { openDataDirectory } from '../data-directory.ts';
import type { Define } from '../program.ts';
import { createProgress } from '../progress.ts';
import { openLog } from '../runtime.ts';

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
      let bad = 0;
      try {
        for (const file of files) {
          const progress = createProgress(`import ${file}`);
          const report = await importFile({
            log,
            adapters: { venuea: venueA, venueb: venueB, venuec: venueC },
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
