// `ladderlog export`: the words of the command line into an export of the store.

import { resolve } from 'node:path';

import { EARLIEST_MICROS } from '@ladderlog/core';
import { EXPORT_DATASETS, EXPORT_FORMATS, exportData } from '@ladderlog/store';

import { timeOption, venueOption, wordOption } from '../flags.ts';
import { projectedPositions } from '../processes/runtime.ts';
import type { Operation } from './operation.ts';
import { VERSION } from '../version.ts';

/** One at a time in a process; the next one waits. */
let before: Promise<unknown> = Promise.resolve();

export const exportTables: Operation = (work, args) => {
  const exported = before.then(() => exportNow(work, args));
  before = exported.catch(() => undefined);
  return exported;
};

const exportNow: Operation = async ({ runtime, progress, signal }, args) => {
  signal.throwIfAborted();
  const { store, cursors } = runtime;
  const directory = resolve(String(args['directory']));
  const { markets, datasets } = args;
  const generation = await store.generation();
  const manifest = await exportData(
    store,
    {
      directory,
      generation,
      before: await projectedPositions(store, cursors, generation),
      format: wordOption('format', args['format'], EXPORT_FORMATS),
      from: timeOption(args, 'from') ?? EARLIEST_MICROS,
      to: timeOption(args, 'to') ?? Date.now() * 1_000,
      version: VERSION,
      ...(typeof args['venue'] === 'string' ? { venue: venueOption(args) } : {}),
      ...(Array.isArray(markets) ? { markets: markets as string[] } : {}),
      ...(Array.isArray(datasets)
        ? { datasets: (datasets as string[]).map((name) => wordOption('dataset', name, EXPORT_DATASETS)) }
        : {}),
    },
    ({ rows, totalRows, file }) => progress(rows, totalRows, file),
    signal,
  );
  return { ...manifest, directory };
};
