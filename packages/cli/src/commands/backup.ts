// ladderlog backup | restore.

import { resolve } from 'node:path';

import type { Command } from '../command.ts';
import type { Manifest } from '../data/backup.ts';
import { restoreFrom } from '../data/backup.ts';
import { operate } from '../data/control.ts';
import { withProgress } from '../progress.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Copies the log and secrets to a new directory, consistently, also while ladderlog runs.',
  examples: ['ladderlog backup ./backup-2026-11-15'],
  arguments: { '<directory>': 'A new directory.' },
  async run(context, _options, [to]) {
    const result = await operate<Manifest & { directory: string }>(context, 'backup', { to: resolve(to!) });
    context.answer(
      result,
      () =>
        `backup in ${result.directory}: ${result.files.map(({ name, bytes }) => `${name} ${bytes} bytes`).join(', ')}`,
    );
  },
};

export const restore: Command = {
  name: 'restore',
  summary: 'Puts a backup into an empty data directory; the next start builds the tables from the log.',
  examples: ['ladderlog restore ./backup-2026-11-15 --data ./data-restored'],
  arguments: { '<directory>': 'A backup.' },
  async run(context, _options, [from]) {
    const { data } = context.config;
    const manifest = await withProgress('restore', (update) => restoreFrom(from!, data, update));
    context.answer(
      manifest,
      () =>
        `restored the backup of ${manifest.taken_at} into ${data}; 'ladderlog up --data ${data}' builds the tables`,
    );
  },
};
