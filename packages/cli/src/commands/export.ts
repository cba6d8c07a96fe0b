// ladderlog export: the tables as files.

import { resolve } from 'node:path';

import type { Command } from '../command.ts';
import { operate } from '../data/control.ts';
import { flag } from '../flags.ts';
import { ONE_VENUE } from '../venue-texts.ts';

type Exported = {
  readonly files: readonly { readonly path: string; readonly rows: number; readonly bytes: number }[];
  readonly directory: string;
  readonly gaps: number;
};

export const exportCommand: Command = {
  name: 'export',
  summary: 'Writes whole-day files sorted by market and time, with a manifest and the gaps beside.',
  examples: [
    'ladderlog export --format parquet --venue venueb --out ./export',
    'ladderlog export --format csv --venue venuec --market 0x… --from 2026-11-01 --to 2026-11-02 --dataset books',
  ],
  flags: [
    flag('--venue <venue>', `${ONE_VENUE}; all when left out.`),
    flag('--market <id...>', 'Native market ids; all when left out.'),
    flag('--from <time>', 'From, inclusive (ISO 8601).'),
    flag('--to <time>', 'To, exclusive (ISO 8601); now by default.'),
    flag('--format <format>', 'parquet, csv or ndjson.', { default: 'parquet' }),
    flag('--dataset <name...>', 'books, samples, markets; all when left out.'),
    flag('--out <dir>', 'Directory to write to, new or empty.', { default: './export' }),
  ],
  async run(context, options) {
    const { venue, market, from, to, format, dataset, out } = options as Record<string, string> & {
      market?: string[];
      dataset?: string[];
    };
    const result = await operate<Exported>(context, 'export', {
      venue,
      markets: market,
      from,
      to,
      format,
      datasets: dataset,
      // A running ladderlog has a working directory of its own.
      directory: resolve(out!),
    });
    context.answer(result, () =>
      [
        ...result.files.map(({ path, rows, bytes }) => `${path}  ${rows} rows  ${bytes} bytes`),
        `written to ${result.directory}, with manifest.json; ${result.gaps} gaps in the range are in the gaps file`,
      ].join('\n'),
    );
  },
};
