// What a partial rebuild keeps: the rows of positions before its beginning. Tables of every row are copied from the served
// generation; tables of newest rows have forgotten what they held then, and are made from those; tables of merged rows are
// projected from the log again, which has few such events.

import type { Position, Projection, TableName } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';
import { columnsOf, createRowEncoder, quoteText } from '@ladderlog/store';

import { createRangeProjector, tokenOf } from './batch.ts';

/** Which full table a newest-row table can be made from; their columns are the same. */
const HISTORY: Readonly<Partial<Record<TableName, { readonly table: TableName; readonly key: string }>>> = {
  latest_books: { table: 'book_snapshots', key: 'venue, market, outcome' },
  markets: { table: 'market_history', key: 'venue, market' },
};

const COPY_MS = 60 * 60_000;

export type CopyOptions = {
  readonly log: EventLog;
  readonly store: Pick<Store, 'exec' | 'insertRowBinary'>;
  readonly projections: readonly Projection[];
  readonly source: number;
  readonly target: number;
  /** Exclusive. */
  readonly before: readonly Position[];
  readonly signal: AbortSignal;
};

/** Not resumable: a target that was not copied whole must be dropped. */
export async function copyRowsBefore(options: CopyOptions): Promise<void> {
  const { store, projections, source, target } = options;
  const before = options.before
    .map(
      ({ topic, partition, offset }) =>
        `(topic = ${quoteText(topic)} AND partition = ${partition} AND offset < ${offset})`,
    )
    .join(' OR ');
  if (before === '') return;
  for (const { table, newestBy, merging } of projections) {
    if (merging) continue;
    const columns = Object.keys(columnsOf(table))
      .slice(1)
      .map((column) => `\`${column}\``)
      .join(', ');
    const history = HISTORY[table];
    if (newestBy && !history)
      throw new LadderlogError('NOT_SUPPORTED_HERE', `${table} cannot be rebuilt from the middle of the log`);
    const where = `WHERE generation = ${source} AND (${before})`;
    const rows = history
      ? `SELECT ${columns} FROM ${history.table} ${where}
         ORDER BY observed_at DESC, offset DESC LIMIT 1 BY ${history.key}`
      : `SELECT ${columns} FROM ${table} ${where}`;
    await store.exec(
      `INSERT INTO ${table} (generation, ${columns}) SELECT ${target}, ${columns} FROM (${rows})`,
      { name: 'rebuild-copy', deadlineMs: COPY_MS },
    );
    options.signal.throwIfAborted();
  }
  await projectMerged(options);
}

async function projectMerged(options: CopyOptions): Promise<void> {
  const { log, store, target, signal } = options;
  const projections = options.projections.filter(({ merging }) => merging !== null);
  const handled = new Set(projections.flatMap(({ handles }) => handles));
  const project = createRangeProjector(log.codec, projections);
  const encoders = projections.map(({ table }) => createRowEncoder(table, target));
  const begins = new Map<string, number>();
  for (const { topic, partitions } of await log.topics())
    for (const { partition, begin } of partitions) begins.set(`${topic}/${partition}`, begin);
  const to = options.before.filter((at) => at.offset > (begins.get(`${at.topic}/${at.partition}`) ?? 0));
  const from = to.map((at) => ({ ...at, offset: begins.get(`${at.topic}/${at.partition}`) ?? 0 }));
  if (to.length === 0) return;
  for await (const { topic, partition, records } of log.read({ from, to, signal })) {
    const wanted = records.filter(({ value, fault }) => {
      const type = fault ? null : log.codec.typeOf(value);
      return type !== null && handled.has(type);
    });
    if (wanted.length === 0) continue;
    project(topic, partition, wanted, encoders);
    const range = { first: wanted[0]!.offset, last: wanted.at(-1)!.offset };
    for (const [at, encoder] of encoders.entries()) {
      if (encoder.rows === 0) continue;
      const token = `copy:${tokenOf(projections[at]!, target, topic, partition, range)}`;
      await store.insertRowBinary(encoder.table, encoder.columns, encoder.take(), { token });
    }
  }
  signal.throwIfAborted();
}
