// schemathesis, an independent reader of openapi.yaml, against the running server: all its checks, with and without a key.
// LADDERLOG_FULL=1 runs at least 10,000 cases; otherwise a few hundred.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pythonWith } from '../../../test/harness/python.ts';
import type { Running, World } from './api-harness.ts';
import {
  A_UP,
  C_DOWN,
  C_UP,
  MINUTE,
  SECOND,
  VENUE_A_MARKET,
  book,
  captureBeat,
  captureStarted,
  gap,
  market,
  openWorld,
  sample,
} from './api-harness.ts';

const FULL = process.env['LADDERLOG_FULL'] === '1';
const python = await pythonWith('python-schemathesis-1', ['schemathesis==4.32.5']);
const installed = python !== null;

// The ids of the contract's examples, so that its examples find data.
const TICKER = 'KXBTC15M-26NOV141915-15';
const CONDITION = '0x5d1c0c1e2f7a4b3c9d8e7f60514233445566778899aabbccddeeff0011223344';
const NOW = Date.now() * 1000;
const T0 = NOW - 30 * MINUTE;

let world: World;
let api: Running;
let key: string;
let folder: string;

beforeAll(async () => {
  if (!installed) return;
  folder = mkdtempSync(join(tmpdir(), 'ladderlog-schemathesis-'));
  world = await openWorld(NOW);
  key = await world.key('desk');
  const books = [
    A_UP,
    { venue: 'venueb', market: TICKER, outcome: 'yes' },
    { venue: 'venuec', market: CONDITION, outcome: C_UP },
    { venue: 'venuec', market: CONDITION, outcome: C_DOWN },
  ] as const;
  await world.append([
    market('venuea', VENUE_A_MARKET, T0, { slug: 'btc-updown-5m-1794700800' }),
    market('venueb', TICKER, T0),
    market('venuec', CONDITION, T0, { slug: 'btc-updown-5m-1794700800' }),
    ...books.flatMap((of) => [
      captureStarted(of, T0),
      ...Array.from({ length: 20 }, (_, ordinal) =>
        book(of, { observedAt: T0 + ordinal * 10 * SECOND, ordinal }),
      ),
      ...gap(of, T0 + 200 * SECOND, T0 + 300 * SECOND),
      captureBeat(of, T0 + 20 * MINUTE),
    ]),
    sample(A_UP, 'chance', T0 + SECOND, 500_000),
    sample(A_UP, 'price', T0 + SECOND, 510_000),
  ]);
  api = await world.start({ memoMs: 2_000, validateResponses: false });
});
afterAll(async () => {
  if (!installed) return;
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Rules no JSON schema can say (a range must not be reversed, a cursor must be ours, 30 February) answer 400. */
const CONFIG = `
[checks]
positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "403", "404"]
`;

const KNOWN = `
[parameters]
"path.market_ticker" = "${TICKER}"
"path.slug" = "btc-updown-5m-1794700800"
"path.asset" = "btc"
"path.timestamp" = "${new Date((T0 + 90 * SECOND) / 1000).toISOString()}"

[[operations]]
include-tag = ["venue A", "venue A alias"]
[operations.parameters]
"path.market_id" = "${VENUE_A_MARKET}"

[[operations]]
include-tag = "venue C"
[operations.parameters]
"path.market_id" = "${CONDITION}"
`;

type Outcome = { readonly cases: number; readonly output: string; readonly code: number };

function schemathesis(
  name: string,
  config: string,
  examples: number,
  headers: readonly string[],
): Promise<Outcome> {
  const file = join(folder, `${name}.toml`);
  writeFileSync(file, config);
  const args = [
    '--config-file',
    file,
    'run',
    `${api.url}/openapi.yaml`,
    '--url',
    api.url,
    '--checks',
    'all',
    '--workers',
    '2',
  ];
  args.push(
    '--max-examples',
    String(examples),
    '--seed',
    '7',
    '--continue-on-failure',
    '--suppress-health-check',
    'all',
  );
  args.push('--phases', FULL ? 'examples,coverage,fuzzing' : 'examples,fuzzing', '--no-color');
  for (const header of headers) args.push('-H', header);
  return new Promise((done) => {
    execFile(
      python!,
      ['-m', 'schemathesis.cli', ...args],
      { cwd: folder, maxBuffer: 1 << 28, env: { ...process.env, COLUMNS: '120' } },
      (error, stdout, stderr) => {
        const counted = /([\d,]+) generated/.exec(stdout)?.[1] ?? '0';
        const code = error ? Number(error.code ?? 1) : 0;
        done({ cases: Number(counted.replaceAll(',', '')), output: stdout + stderr, code });
      },
    );
  });
}

const limit = FULL ? 3_600_000 : 400_000;
const runs: readonly [string, number, string, boolean][] = [
  ['with a key', FULL ? 120 : 4, CONFIG, true],
  ['with a key, on recorded markets', FULL ? 150 : 6, CONFIG + KNOWN, true],
  ['without a key', FULL ? 60 : 3, CONFIG, false],
];
let total = 0;

test.skipIf(!installed).each(runs)(
  '%s: no check fails',
  async (name, examples, config, keyed) => {
    const outcome = await schemathesis(
      name.replaceAll(/\W+/g, '-'),
      config,
      examples,
      keyed ? [`Authorization: Bearer ${key}`] : [],
    );
    total += outcome.cases;
    console.log(`schemathesis ${name}: ${outcome.cases} cases`);
    expect(outcome.code === 0 ? '' : outcome.output).toBe('');
    expect(outcome.output).toMatch(/No issues found|passed/);
    expect(outcome.cases).toBeGreaterThan(50);
  },
  limit,
);

test.skipIf(!installed || !FULL)('at least 10,000 cases in all', () => {
  expect(total).toBeGreaterThanOrEqual(10_000);
});
