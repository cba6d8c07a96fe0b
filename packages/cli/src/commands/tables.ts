// ladderlog verify | migrate: the tables, inside a running ladderlog or on their own.

import type { VerifyResult } from '@ladderlog/projector';

import type { Command } from '../command.ts';
import { EXIT } from '../context.ts';
import { operate } from '../data/control.ts';
import { openDataDirectory } from '../data/data-directory.ts';
import { openStore } from '../processes/runtime.ts';

export const verify: Command = {
  name: 'verify',
  summary:
    'Compares the tables with the log: counts, uniqueness, checksums per market. Exit code 3 on a difference.',
  examples: ['ladderlog verify', 'ladderlog verify --json'],
  async run(context) {
    const result = await operate<VerifyResult>(context, 'verify', {});
    context.answer(result, () => describe(result));
    return result.ok ? EXIT.ok : EXIT.different;
  },
};

const describe = ({ ok, events, tables, differences }: VerifyResult): string =>
  [
    ...tables.map(
      ({ table, rows, markets, checksum }) =>
        `${table.padEnd(18)} ${String(rows).padStart(12)} rows ${String(markets).padStart(7)} markets  ${checksum}`,
    ),
    ...differences.map(
      ({ table, market, kind, inLog, inTable }) =>
        `DIFFERENT ${table}${market === null ? '' : ` ${market}`}: ${kind}, ${inLog} in the log, ${inTable} in the table`,
    ),
    ok ? `the tables are exactly the log (${events} events)` : `${differences.length} differences`,
  ].join('\n');

export const migrate: Command = {
  name: 'migrate',
  summary: 'Brings the tables up to date; `up`, `project` and `serve` do it by themselves.',
  examples: ['ladderlog migrate'],
  async run(context) {
    const directory = openDataDirectory(context.config.data, context.logger);
    const store = await openStore(context, directory, 'ladderlog migrate');
    try {
      const report = await store.migrate();
      context.answer(report, () =>
        report.applied.length === 0
          ? `the tables are current (version ${report.version})`
          : `applied ${report.applied.join(', ')}; now version ${report.version}`,
      );
    } finally {
      await store.close();
    }
  },
};
