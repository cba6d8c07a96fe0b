// `ladderlog export`: the words of the command line into an export of the store.

import { resolve } from 'node:path';

import { EARLIEST_MICROS, LadderlogError, VENUES, parseClientTime } from '@ladderlog/core';
import { EXPORT_DATASETS, EXPORT_FORMATS, exportData } from '@ladderlog/store';

import type { Operation } from './operations.ts';
import { VERSION } from '../version.ts';

const choose = <T extends string>(name: string, value: unknown, allowed: readonly T[]): T => {
  const found = allowed.find((one) => one === value);
  if (found === undefined)
    throw new LadderlogError(
      'BAD_ARGUMENT',
      `--${name} is ${JSON.stringify(value)}; it must be one of ${allowed.join(', ')}`,
    );
  return found;
};

const time = (name: string, value: unknown, otherwise: number): number => {
  if (value === null || value === undefined) return otherwise;
  const at = typeof value === 'string' ? parseClientTime(value) : null;
  if (at === null)
    throw new LadderlogError(
      'BAD_ARGUMENT',
      `--${name} is ${JSON.stringify(value)}; it must be an ISO 8601 time such as 2026-11-15 or 2026-11-15T10:00:00Z`,
    );
  return at;
};

export const exportTables: Operation = async (_context, { store, cursors }, args, progress, signal) => {
  const directory = resolve(String(args['directory']));
  const { markets, datasets } = args;
  const generation = await store.generation();
  const projected = await cursors.list(generation);
  const manifest = await exportData(
    store,
    {
      directory,
      generation,
      before: projected.map(({ topic, partition, hwm }) => ({ topic, partition, offset: hwm + 1 })),
      format: choose('format', args['format'], EXPORT_FORMATS),
      from: time('from', args['from'], EARLIEST_MICROS),
      to: time('to', args['to'], Date.now() * 1_000),
      version: VERSION,
      ...(typeof args['venue'] === 'string' ? { venue: choose('venue', args['venue'], VENUES) } : {}),
      ...(Array.isArray(markets) ? { markets: markets as string[] } : {}),
      ...(Array.isArray(datasets)
        ? { datasets: (datasets as string[]).map((name) => choose('dataset', name, EXPORT_DATASETS)) }
        : {}),
    },
    ({ rows, totalRows, file }) => progress(rows, totalRows, file),
    signal,
  );
  return { ...manifest, directory };
};
