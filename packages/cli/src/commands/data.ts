// ladderlog backup | restore.

import { resolve } from 'node:path';

import { operate } from '../data/control.ts';
import { restoreFrom } from '../data/backup.ts';
import type { Define } from '../program.ts';
import { createProgress } from '../progress.ts';

export function registerData(define: Define): void {
  define(
    'backup',
    'Copies the log and secrets to a new directory, consistently, also while ladderlog runs.',
    ['ladderlog backup ./backup-2026-11-15'],
    (command) => command.argument('<directory>', 'A new directory.'),
    async (context, _options, [to]) => {
      const progress = createProgress('backup');
      const result = (await operate(context, 'backup', { to: resolve(to!) }, (done, total, note) =>
        progress.update(done, total, note),
      ).finally(() => progress.end())) as {
        directory: string;
        files: { name: string; bytes: number }[];
      };
      if (context.json) context.print(JSON.stringify(result));
      else
        context.print(
          `backup in ${result.directory}: ${result.files.map(({ name, bytes }) => `${name} ${bytes} bytes`).join(', ')}`,
        );
    },
  );
  define(
    'restore',
    'Puts a backup into an empty data directory; the next start builds the tables from the log.',
    ['ladderlog restore ./backup-2026-11-15 --data ./data-restored'],
    (command) => command.argument('<directory>', 'A backup.'),
    async (context, _options, [from]) => {
      const progress = createProgress('restore');
      const manifest = await restoreFrom(from!, context.config.data, (done, total, note) =>
        progress.update(done, total, note),
      ).finally(() => progress.end());
      context.print(
        context.json
          ? JSON.stringify(manifest)
          : `restored the backup of ${manifest.taken_at} into ${context.config.data}; 'ladderlog up --data ${context.config.data}' builds the tables`,
      );
    },
  );
}
