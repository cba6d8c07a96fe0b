// Numbered SQL files, one set for a single engine (chDB, one server) and for a cluster. Rendering is text to text.

import { readFileSync, readdirSync } from 'node:fs';
import { LadderlogError } from '@ladderlog/core';
import { checkedName } from '../queries/sql.ts';

/** `cluster`: the name of the cluster whose shards hold the tables; null or absent: one engine. */
export type MigrationTarget = { readonly database: string; readonly cluster?: string | null };

export type Migration = { readonly id: number; readonly name: string; readonly text: string };

/** Batches a repeated token is remembered for. A pending range is repeated at once, so far fewer would do. */
export const DEDUPLICATION_WINDOW = 10_000;

const DIRECTORY = new URL('../../migrations/', import.meta.url);
const FILE = /^(\d{4})_([a-z0-9_]+)\.sql$/;

export function loadMigrations(directory: URL = DIRECTORY): Migration[] {
  const migrations = readdirSync(directory)
    .map((file) => ({ file, match: FILE.exec(file) }))
    .filter(({ match }) => match !== null)
    .map(({ file, match }) => ({
      id: Number(match![1]),
      name: match![2]!,
      text: readFileSync(new URL(file, directory), 'utf8'),
    }))
    .sort((a, b) => a.id - b.id);
  migrations.forEach((migration, at) => {
    if (migration.id !== at + 1)
      throw new LadderlogError(
        'INTERNAL',
        `migration ${at + 1} is missing or doubled in ${directory.pathname}`,
      );
  });
  return migrations;
}

/** The statements of a migration for this target, in order. */
export function renderMigration(text: string, target: MigrationTarget): string[] {
  return splitStatements(renderText(text, target));
}

/** A placeholder begins with a letter or underscore; anything it does not know is a mistake in the file. */
const PLACEHOLDER = /\{([A-Za-z_]+)(?: ([^{}]*))?\}/g;

export function renderText(text: string, { database, cluster }: MigrationTarget): string {
  const db = checkedName(database);
  const on = cluster ? `ON CLUSTER ${checkedName(cluster)}` : '';
  return stripComments(text).replace(PLACEHOLDER, (whole, name: string, argument: string | undefined) => {
    switch (name) {
      case 'db':
        return db;
      case 'cluster':
        return on;
      case 'local':
        return cluster ? '_local' : '';
      case 'dedup':
        return cluster
          ? `replicated_deduplication_window = ${DEDUPLICATION_WINDOW}, replicated_deduplication_window_seconds = 604800`
          : `non_replicated_deduplication_window = ${DEDUPLICATION_WINDOW}`;
      case 'distributed':
        return cluster ? distributed(db, cluster, on, argument ?? '') : '';
      case 'alter_distributed':
        return cluster ? alterDistributed(db, on, argument ?? '') : '';
      case 'MergeTree':
      case 'ReplacingMergeTree':
      case 'AggregatingMergeTree':
        return engine(name, argument, cluster ?? null);
      default:
        throw new LadderlogError('INTERNAL', `unknown placeholder ${whole} in a migration`);
    }
  });
}

function engine(name: string, version: string | undefined, cluster: string | null): string {
  if (!cluster) return version ? `${name}(${version})` : name;
  return `Replicated${name}('/clickhouse/tables/{shard}/{database}/{table}', '{replica}'${version ? `, ${version}` : ''})`;
}

/** `table key`: one table over all shards. Sharded by market, so every row of a market is on one shard and FINAL is exact. */
function distributed(db: string, cluster: string, on: string, argument: string): string {
  const [table, key] = parted(argument);
  return `CREATE TABLE IF NOT EXISTS ${db}.${table} ${on} AS ${db}.${table}_local ENGINE = Distributed(${cluster}, ${db}, ${table}_local, ${key})`;
}

/** `table change`: a Distributed table has columns of its own, and converts to them what its shards send. */
function alterDistributed(db: string, on: string, argument: string): string {
  const [table, change] = parted(argument);
  return `ALTER TABLE ${db}.${table} ${on} ${change}`;
}

const parted = (argument: string): [string, string] => {
  const space = argument.indexOf(' ');
  return [argument.slice(0, space), argument.slice(space + 1)];
};

const stripComments = (text: string): string => text.replace(/^\s*--.*$/gm, '');

/** Splits on semicolons outside quotes; empty statements vanish. */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let begin = 0;
  let quote: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (quote !== null) {
      if (char === '\\') at++;
      else if (char === quote) quote = null;
    } else if (char === "'" || char === '`' || char === '"') quote = char;
    else if (char === ';') {
      statements.push(text.slice(begin, at).trim());
      begin = at + 1;
    }
  }
  statements.push(text.slice(begin).trim());
  return statements.filter((statement) => statement !== '');
}
