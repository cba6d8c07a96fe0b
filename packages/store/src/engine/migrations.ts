// Numbered SQL files, one set for a single engine (chDB, one server) and for a cluster. Rendering is text to text.

import { readFileSync, readdirSync } from 'node:fs';
import { LadderlogError } from '@ladderlog/core';
import { checkedName, quoteText } from '../sql.ts';

export type Cluster = {
  readonly name: string;
  /** Path of a table in Keeper; ClickHouse fills its own macros. */
  readonly keeperPath?: string;
  readonly replica?: string;
};

export type MigrationTarget = { readonly database: string; readonly cluster?: Cluster | null };

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
  return stripComments(text).replace(PLACEHOLDER, (whole, name: string, argument: string | undefined) => {
    switch (name) {
      case 'db':
        return db;
      case 'cluster':
        return cluster ? `ON CLUSTER ${checkedName(cluster.name)}` : '';
      case 'local':
        return cluster ? '_local' : '';
      case 'dedup':
        return cluster
          ? `replicated_deduplication_window = ${DEDUPLICATION_WINDOW}, replicated_deduplication_window_seconds = 604800`
          : `non_replicated_deduplication_window = ${DEDUPLICATION_WINDOW}`;
      case 'distributed':
        return cluster ? distributed(db, cluster, argument ?? '') : '';
      case 'alter_distributed':
        return cluster ? alterDistributed(db, cluster, argument ?? '') : '';
      case 'MergeTree':
      case 'ReplacingMergeTree':
      case 'AggregatingMergeTree':
        return engine(name, argument, cluster ?? null);
      default:
        throw new LadderlogError('INTERNAL', `unknown placeholder ${whole} in a migration`);
    }
  });
}

function engine(name: string, version: string | undefined, cluster: Cluster | null): string {
  if (!cluster) return version ? `${name}(${version})` : name;
  const path = cluster.keeperPath ?? '/clickhouse/tables/{shard}/{database}/{table}';
  const replica = cluster.replica ?? '{replica}';
  const args = [quoteText(path), quoteText(replica), ...(version ? [version] : [])];
  return `Replicated${name}(${args.join(', ')})`;
}

/** `table key`: one table over all shards. Sharded by market, so every row of a market is on one shard and FINAL is exact. */
function distributed(db: string, cluster: Cluster, argument: string): string {
  const space = argument.indexOf(' ');
  const table = argument.slice(0, space);
  const key = argument.slice(space + 1);
  const on = `ON CLUSTER ${checkedName(cluster.name)}`;
  return `CREATE TABLE IF NOT EXISTS ${db}.${table} ${on} AS ${db}.${table}_local ENGINE = Distributed(${checkedName(cluster.name)}, ${db}, ${table}_local, ${key})`;
}

/** `table change`: a Distributed table has columns of its own, and converts to them what its shards send. */
function alterDistributed(db: string, cluster: Cluster, argument: string): string {
  const space = argument.indexOf(' ');
  const on = `ON CLUSTER ${checkedName(cluster.name)}`;
  return `ALTER TABLE ${db}.${argument.slice(0, space)} ${on} ${argument.slice(space + 1)}`;
}

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
