// ladderlog rebuild | verify | export | rollback | migrate: work on the tables, inside a running ladderlog or on its own.

import { resolve } from 'node:path';

import { LadderlogError } from '@ladderlog/core';
import type { GenerationInfo, VerifyResult } from '@ladderlog/projector';

import type { Context } from '../context.ts';
import { EXIT } from '../context.ts';
import { operate } from '../data/control.ts';
import { openDataDirectory } from '../data/data-directory.ts';
import type { Arguments, OperationName } from '../data/operations.ts';
import type { Define } from '../program.ts';
import { createProgress } from '../progress.ts';
import { openStore } from '../processes/runtime.ts';
import { ONE_VENUE } from '../venue-texts.ts';

async function perform<T>(context: Context, operation: OperationName, args: Arguments): Promise<T> {
  const progress = createProgress(operation);
  try {
    return (await operate(context, operation, args, (done, total, note) =>
      progress.update(done, total, note),
    )) as T;
  } finally {
    progress.end();
  }
}

function generationNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new LadderlogError('BAD_ARGUMENT', `'${text}' is no generation; see 'ladderlog rebuild --list'`);
  return Number(text);
}

export function registerTables(define: Define): void {
  define(
    'rebuild',
    'Builds the tables anew beside the served ones, verifies, and switches; the old ones stay for rollback.',
    [
      'ladderlog rebuild',
      'ladderlog rebuild --from 2026-11-01T00:00:00Z   # rows before are copied',
      'ladderlog rebuild --rollback',
      'ladderlog rebuild --drop 3',
    ],
    (command) =>
      command
        .option('--from <offset|time>', 'Project again only from here on.')
        .option('--rollback [generation]', 'Serve the generation before again, or this one.')
        .option('--list', 'Show the generations that exist.')
        .option('--drop <generation>', 'Remove a generation that is not served.'),
    async (context, options) => {
      if (options['list'] === true) {
        const generations = await perform<readonly GenerationInfo[]>(context, 'generations', {});
        if (context.json) context.print(JSON.stringify(generations));
        else
          for (const { generation, served, complete, rows } of generations)
            context.print(
              `${String(generation).padStart(4)} ${String(rows).padStart(12)} rows  ${served ? 'served' : complete ? 'complete' : 'not complete'}`,
            );
        return;
      }
      const { rollback } = options;
      if (rollback !== undefined) {
        const { generation } = await perform<{ generation: number }>(context, 'rollback', {
          to: rollback === true ? null : generationNumber(rollback as string),
        });
        context.print(
          context.json ? JSON.stringify({ generation }) : `generation ${generation} is served again`,
        );
        return;
      }
      if (typeof options['drop'] === 'string') {
        const result = await perform(context, 'drop', { generation: generationNumber(options['drop']) });
        context.print(context.json ? JSON.stringify(result) : `generation ${options['drop']} is dropped`);
        return;
      }
      const result = await perform<{
        generation: number;
        previous: number;
        resumed: boolean;
        verified: VerifyResult;
      }>(context, 'rebuild', { from: (options['from'] as string | undefined) ?? null });
      if (context.json) context.print(JSON.stringify(result));
      else
        context.print(
          `rebuilt: generation ${result.generation} is served (${result.verified.events} events verified); ${result.previous} is kept, 'ladderlog rebuild --rollback' serves it again`,
        );
    },
  );
  define(
    'verify',
    'Compares the tables with the log: counts, uniqueness, checksums per market. Exit code 3 on a difference.',
    ['ladderlog verify', 'ladderlog verify --json'],
    (command) => command,
    async (context) => {
      const result = await perform<VerifyResult>(context, 'verify', {});
      if (context.json) context.print(JSON.stringify(result));
      else {
        for (const { table, rows, markets, checksum } of result.tables)
          context.print(
            `${table.padEnd(18)} ${String(rows).padStart(12)} rows ${String(markets).padStart(7)} markets  ${checksum}`,
          );
        for (const { table, market, kind, inLog, inTable } of result.differences)
          context.print(
            `DIFFERENT ${table}${market === null ? '' : ` ${market}`}: ${kind}, ${inLog} in the log, ${inTable} in the table`,
          );
        context.print(
          result.ok
            ? `the tables are exactly the log (${result.events} events)`
            : `${result.differences.length} differences`,
        );
      }
      return result.ok ? EXIT.ok : EXIT.different;
    },
  );
  define(
    'export',
    'Writes whole-day files sorted by market and time, with a manifest and the gaps beside.',
    [
      'ladderlog export --format parquet --venue venueb --out ./export',
      'ladderlog export --format csv --venue venuec --market 0x… --from 2026-11-01 --to 2026-11-02 --dataset books',
    ],
    (command) =>
      command
        .option('--venue <venue>', `${ONE_VENUE}; all when left out.`)
        .option('--market <id...>', 'Native market ids; all when left out.')
        .option('--from <time>', 'From, inclusive (ISO 8601).')
        .option('--to <time>', 'To, exclusive (ISO 8601); now by default.')
        .option('--format <format>', 'parquet, csv or ndjson.', 'parquet')
        .option('--dataset <name...>', 'books, samples, markets; all when left out.')
        .option('--out <dir>', 'Directory to write to, new or empty.', './export'),
    async (context, options) => {
      const { venue, market, from, to, format, dataset, out } = options as Record<string, string> & {
        market?: string[];
        dataset?: string[];
      };
      const result = await perform<{
        files: { path: string; rows: number; bytes: number }[];
        directory: string;
        gaps: number;
      }>(context, 'export', {
        venue,
        markets: market,
        from,
        to,
        format,
        datasets: dataset,
        // A running ladderlog has a working directory of its own.
        directory: resolve(out!),
      });
      if (context.json) {
        context.print(JSON.stringify(result));
        return;
      }
      for (const { path, rows, bytes } of result.files)
        context.print(`${path}  ${rows} rows  ${bytes} bytes`);
      context.print(
        `written to ${result.directory}, with manifest.json; ${result.gaps} gaps in the range are in the gaps file`,
      );
    },
  );
  define(
    'migrate',
    'Brings the tables up to date; `up`, `project` and `serve` do it by themselves.',
    ['ladderlog migrate'],
    (command) => command,
    async (context) => {
      const { store } = await openStore(
        context,
        openDataDirectory(context.config.data, context.logger),
        'ladderlog migrate',
      );
      try {
        const report = await store.migrate();
        context.print(
          context.json
            ? JSON.stringify(report)
            : report.applied.length === 0
              ? `the tables are current (version ${report.version})`
              : `applied ${report.applied.join(', ')}; now version ${report.version}`,
        );
      } finally {
        await store.close();
      }
    },
  );
}
