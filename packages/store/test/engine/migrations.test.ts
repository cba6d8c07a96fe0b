import { describe, expect, test } from 'vitest';
import { loadMigrations, renderMigration } from '@ladderlog/store';
import { renderText, splitStatements } from '../../src/engine/migrations.ts';
import { checkedName, quoteText } from '../../src/queries/sql.ts';

const table = `
-- a comment; with a semicolon
CREATE TABLE {db}.t{local} {cluster} (
  a String COMMENT 'one; two {not a placeholder'
) ENGINE = {ReplacingMergeTree rank} ORDER BY a SETTINGS {dedup};
{distributed t cityHash64(venue, market)};
`.replace(' {not a placeholder', '');

describe('one set of files', () => {
  test('on one engine', () => {
    expect(renderMigration(table, { database: 'ladderlog' })).toEqual([
      `CREATE TABLE ladderlog.t  (
  a String COMMENT 'one; two'
) ENGINE = ReplacingMergeTree(rank) ORDER BY a SETTINGS non_replicated_deduplication_window = 10000`,
    ]);
  });

  test('on a cluster', () => {
    expect(renderMigration(table, { database: 'll', cluster: 'main' })).toEqual([
      `CREATE TABLE ll.t_local ON CLUSTER main (
  a String COMMENT 'one; two'
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', rank) ORDER BY a SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800`,
      'CREATE TABLE IF NOT EXISTS ll.t ON CLUSTER main AS ll.t_local ENGINE = Distributed(main, ll, t_local, cityHash64(venue, market))',
    ]);
  });

  test('an unknown placeholder is a mistake, not text', () => {
    expect(() => renderText('SELECT {nope}', { database: 'x' })).toThrow('unknown placeholder {nope}');
  });
});

describe('the migrations of this version', () => {
  const cluster = loadMigrations().flatMap(({ text }) =>
    renderMigration(text, { database: 'll', cluster: 'main' }),
  );
  const single = loadMigrations().flatMap(({ text }) => renderMigration(text, { database: 'll' }));

  test('every table remembers tokens', () => {
    const creates = single.filter((statement) => statement.startsWith('CREATE TABLE'));
    expect(creates.length).toBeGreaterThan(9);
    for (const statement of creates)
      expect(statement).toContain('non_replicated_deduplication_window = 10000');
  });

  test('on a cluster every statement that creates or alters runs on all of it, every table is replicated and has its distributed twin', () => {
    const creates = cluster.filter((statement) => /^(CREATE|ALTER)/.test(statement));
    for (const statement of creates) expect(statement).toContain('ON CLUSTER main');
    const local = cluster.filter((statement) => /^CREATE TABLE IF NOT EXISTS ll\.\w+_local /.test(statement));
    for (const statement of local) {
      const name = /ll\.(\w+)_local /.exec(statement)![1]!;
      expect(statement).toMatch(/ENGINE = Replicated(Replacing|Aggregating)?MergeTree\('/);
      expect(statement).toContain('replicated_deduplication_window');
      expect(
        cluster.some((one) => one.startsWith(`CREATE TABLE IF NOT EXISTS ll.${name} ON CLUSTER main AS`)),
      ).toBe(true);
    }
  });

  test('on a cluster a column that changes its type does so in the shards and in the table over them', () => {
    const typed = (table: string): string[] =>
      cluster
        .filter((statement) => statement.startsWith(`ALTER TABLE ll.${table} ON CLUSTER main`))
        .flatMap((statement) => [...statement.matchAll(/MODIFY COLUMN (\w+ (?!CODEC)[^,\s]+)/g)])
        .map(([, change]) => change!);
    for (const table of ['book_snapshots', 'latest_books']) {
      expect(typed(`${table}_local`)).toEqual([
        'bid_levels UInt32',
        'ask_levels UInt32',
        'exception_levels Array(UInt32)',
      ]);
      expect(typed(table)).toEqual(typed(`${table}_local`));
    }
    expect(single.some((statement) => statement.includes('_local'))).toBe(false);
  });

  test('every statement may run twice', () => {
    for (const statement of single) {
      expect(statement).toMatch(
        /^CREATE (DATABASE|TABLE) IF NOT EXISTS |^CREATE OR REPLACE VIEW |^ALTER TABLE \S+\s+MODIFY |^INSERT [^]* WHERE \(SELECT count\(\)/,
      );
    }
  });
});

test('statements end at semicolons outside quotes', () => {
  expect(splitStatements("a 'x;''y\\';z'; b `c;d` ;\n ; e")).toEqual(["a 'x;''y\\';z'", 'b `c;d`', 'e']);
});

test('names and texts cannot break out', () => {
  expect(() => checkedName('a; DROP')).toThrow("'a; DROP' cannot be");
  expect(quoteText("it's \\ fine")).toBe("'it\\'s \\\\ fine'");
});
