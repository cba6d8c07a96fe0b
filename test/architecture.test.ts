// The rules that no single file can show: who may import whom, what core may touch, who reads the environment.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

import {
  PACKAGES,
  ROOT,
  importsIn,
  importsOf,
  packages,
  sourcesOf,
  withoutComments,
} from './harness/sources.ts';

/**
 * core ← log, store, servers ← live ← collectors, projector, api, feed, replay, simulators ← cli. Nothing may be imported that
 * is not listed. The API takes the types of its own contract from the client, which has them generated.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  log: ['core'],
  store: ['core'],
  servers: ['core'],
  live: ['core', 'log', 'store'],
  simulators: ['core', 'servers'],
  collectors: ['core', 'log'],
  projector: ['core', 'log', 'store'],
  api: ['core', 'log', 'store', 'live', 'client'],
  feed: ['core', 'log', 'store', 'live'],
  replay: ['core', 'log', 'servers'],
  cli: [
    'core',
    'log',
    'store',
    'servers',
    'live',
    'simulators',
    'collectors',
    'projector',
    'api',
    'feed',
    'replay',
  ],
  client: [],
};

/** The package of a workspace import, or null: `@ladderlog/log` is log, `ladderlog` is cli. */
const workspaceOf = (specifier: string): string | null =>
  /^ladderlog(?:\/|$)/.test(specifier) ? 'cli' : (/^@ladderlog\/([^/]+)/.exec(specifier)?.[1] ?? null);

test('the table names every package', () => {
  expect(packages.toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted());
});

test('the scan sees imports in all their forms', () => {
  const text = [
    "import a from 'one';",
    "import type { B } from 'two';",
    "export { c } from 'three';",
    "export * as d from 'four';",
    "import 'five';",
    "const e = await import('six');",
    "import {\n  f,\n  g,\n} from 'seven';",
    "// import h from 'eight';",
  ].join('\n');
  expect(importsIn(text)).toEqual(['one', 'two', 'three', 'four', 'five', 'six', 'seven']);
});

describe.each(packages)('packages/%s', (name) => {
  const folder = join(PACKAGES, name, 'src');
  const imports = sourcesOf(folder).flatMap(importsOf);

  test('imports only packages below it', () => {
    const wrong = imports.filter(({ specifier }) => {
      const other = workspaceOf(specifier);
      return other !== null && !MAY_IMPORT[name]!.includes(other);
    });
    expect(wrong).toEqual([]);
  });

  test('reaches others by their name, never by a path', () => {
    const wrong = imports.filter(({ file, specifier }) => {
      if (!specifier.startsWith('.')) return specifier.startsWith('/');
      return !resolve(ROOT, dirname(file), specifier).startsWith(folder + sep);
    });
    expect(wrong).toEqual([]);
  });

  test('says what it makes public name by name', () => {
    const index = join(folder, 'index.ts');
    const text = existsSync(index) ? withoutComments(readFileSync(index, 'utf8')) : '';
    expect(text).not.toMatch(/export\s+\*\s+from/);
  });

  test('leaves the environment to the command', () => {
    const readers = sourcesOf(folder)
      .filter((file) =>
        /\bprocess\s*\.\s*env\b|\bprocess\s*\[/.test(withoutComments(readFileSync(file, 'utf8'))),
      )
      .map((file) => relative(ROOT, file))
      .filter(() => name !== 'cli');
    expect(readers).toEqual([]);
  });
});

describe('core', () => {
  const files = sourcesOf(join(PACKAGES, 'core', 'src'));

  test('imports nothing but itself', () => {
    expect(files.flatMap(importsOf).filter(({ specifier }) => !specifier.startsWith('.'))).toEqual([]);
  });

  test('has no clock, no chance, no input and no output', () => {
    const impure =
      /\b(?:Date\.now|Math\.random|performance\.|console\.|process\.|setTimeout|setInterval|setImmediate|fetch\(|Buffer\b|globalThis|crypto\.)/;
    const wrong = files
      .flatMap((file) =>
        withoutComments(readFileSync(file, 'utf8'))
          .split('\n')
          .map((line) => `${relative(ROOT, file)}: ${line.trim()}`),
      )
      .filter((line) => impure.test(line));
    expect(wrong).toEqual([]);
  });
});

describe('SQL', () => {
  /** A statement, or a parameter or function of ClickHouse in a part of one. */
  const SQL =
    /\b(?:SELECT\s+(?:DISTINCT\s+)?[\w*(]|INSERT\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|(?:CREATE|ALTER|DROP|TRUNCATE)\s+(?:TABLE|DATABASE|PARTITION)\s)|\{\w+:(?:String|U?Int\d+|Array\()|UnixTimestamp64Micro\(/;

  /** They speak to SQLite files, not to the store: the embedded log, the cursors of its tables, and the backup of the log. */
  const SQLITE =
    /^packages\/(?:log\/src\/sqlite\/|projector\/src\/ranges\/sqlite-[\w-]+\.ts|cli\/src\/data\/backup\.ts)/;

  const hasSql = (text: string): boolean => SQL.test(withoutComments(text));
  const files = packages
    .flatMap((name) => sourcesOf(join(PACKAGES, name, 'src')))
    .map((file) => relative(ROOT, file));

  test('the scan sees it, and no prose', () => {
    for (const text of [
      'const a = `SELECT count() FROM gaps`;',
      "exec('INSERT INTO gaps VALUES')",
      "'ALTER TABLE gaps DROP PARTITION 1'",
      '`b.market = {market:String}`',
    ])
      expect([text, hasSql(text)]).toEqual([text, true]);
    for (const text of ["'only SELECT, WITH and SHOW are allowed'", '// SELECT 1', '`{market: string}`'])
      expect([text, hasSql(text)]).toEqual([text, false]);
  });

  test('is only in the store: others ask it for the text', () => {
    const wrong = files
      .filter((file) => !file.startsWith('packages/store/src/') && !SQLITE.test(file))
      .filter((file) => hasSql(readFileSync(join(ROOT, file), 'utf8')));
    expect(wrong).toEqual([]);
  });
});

test('no file names a package registry or a machine', () => {
  // In two halves, so that this file does not name them either.
  const forbidden = [
    ['registry.npm', 'js.org'],
    ['npm', 'mirror.com'],
    ['py', 'pi.org'],
    ['files.python', 'hosted.org'],
    ['repo1.ma', 'ven.org'],
    ['repo.ma', 'ven.apache.org'],
    ['arti', 'factory'],
    ['/work', '/main'],
    ['/work', '/shared'],
  ].map((halves) => halves.join(''));
  const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)));
  const wrong = tracked.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return forbidden.filter((name) => text.includes(name)).map((name) => `${file}: ${name}`);
  });
  expect(tracked.length).toBeGreaterThan(50);
  expect(wrong).toEqual([]);
});
