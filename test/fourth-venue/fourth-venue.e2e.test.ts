// The proof that a venue is a value. In a copy of the tree a made-up fourth venue (polled, three outcomes, no source time, no
// sequence) is added by its folder and one line, and then the commands of Ladderlog, as processes, do with it all that they do
// with the others: simulate, record, project, serve, feed, backfill, replay, audit, export and backtest.

import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';

import type { GapView, StreamMessage } from '@ladderlog/core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { connect } from '../../packages/feed/test/harness.ts';
import type { Finished, Started } from '../harness/ladderlog.ts';
import { REPOSITORY, cleanEnv, eventually, ladderlog, launch, readyFacts } from '../harness/ladderlog.ts';
import { streamContract } from '../harness/stream-contract.ts';
import { copyTree } from '../harness/tree-copy.ts';

const run = promisify(execFile);
const FOLDER = join(import.meta.dirname, 'venues', 'venue-d');
const VENUES = 'packages/core/src/venues';
const LINE = "export { venueD } from './venue-d/index.ts';\n";
const OUTCOMES = ['away', 'draw', 'home'];

const folder = mkdtempSync(join(tmpdir(), 'ladderlog-fourth-'));
const tree = join(folder, 'tree');
const data = join(folder, 'data');
let copied: readonly string[];
let simulators: Started;
let restUrl: string;
let up: Started;
let url: string;
let key: string;

beforeAll(() => {
  copied = copyTree(tree, /^test\/(?:fourth-venue|fixtures|same-answers\/golden)\//);
  cpSync(FOLDER, join(tree, VENUES, 'venue-d'), { recursive: true });
  appendFileSync(join(tree, VENUES, 'venues.ts'), LINE);
});

afterAll(async () => {
  await up?.kill();
  await simulators?.kill();
  rmSync(folder, { recursive: true, force: true });
});

const command = (...args: string[]): Promise<Finished> =>
  ladderlog([...args, '--data', data], { cwd: tree, env: { LADDERLOG_VENUED_REST_URL: restUrl } });

async function startUp(): Promise<void> {
  up = launch(['up', '--json', '--venues', 'venued', '--port', '0', '--data', data], {
    cwd: tree,
    env: { LADDERLOG_VENUED_REST_URL: restUrl },
  });
  const facts = await readyFacts<{ url: string; demoKey: string; venues: string[] }>(up);
  expect(facts.venues).toEqual(['venued']);
  ({ url, demoKey: key } = facts);
}

type Answer<T> = { readonly data: T };
type Book = Readonly<Record<string, unknown>> & {
  readonly outcome_id: string;
  readonly position: string;
  readonly timestamp: string;
};

async function get<T>(path: string): Promise<T> {
  const answer = await fetch(`${url}/v3/${path}`, { headers: { authorization: `Bearer ${key}` } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as Answer<T>).data;
}

const outcomesOf = (books: readonly { readonly outcome_id: string }[]): string[] =>
  [...new Set(books.map(({ outcome_id }) => outcome_id))].toSorted();

test('a venue is the files of its folder and one line', () => {
  const added = filesBelow(tree).filter((file) => !copied.includes(file));
  const edited = copied.filter(
    (file) => readFileSync(join(tree, file), 'utf8') !== readFileSync(join(REPOSITORY, file), 'utf8'),
  );
  expect(added).toEqual(readdirSync(FOLDER).map((file) => `${VENUES}/venue-d/${file}`));
  expect(added).toHaveLength(14);
  expect(edited).toEqual([`${VENUES}/venues.ts`]);
  const before = readFileSync(join(REPOSITORY, VENUES, 'venues.ts'), 'utf8');
  expect(readFileSync(join(tree, VENUES, 'venues.ts'), 'utf8')).toBe(before + LINE);
  // Each file has the name that it has at the other venues.
  const others = readdirSync(join(REPOSITORY, VENUES, 'venue-a'));
  expect(readdirSync(FOLDER).filter((file) => !others.includes(file))).toEqual([]);
});

/** The evidence table of docs/adding-a-venue.md: each answer that the venue may give, and what is wrong with it. */
const MATCH = '{"id":"cup-1","league":"cup","state":"open"}';
const EVIDENCE: readonly (readonly [channel: string, text: string, finds: readonly string[]])[] = [
  ['rest:/matches?league=cup', `{"matches":[${MATCH}]}`, ['market']],
  ['rest:/matches?league=cup', '{"matches":[]}', ['skip empty_answer']],
  ['rest:/matches?league=cup', `{"matches":[{"league":"cup"},${MATCH}]}`, ['reject bad_market', 'market']],
  ['rest:/matches/cup-1', MATCH, ['market']],
  ['rest:/matches/cup-1', MATCH.replace('open', 'settled'), ['market', 'end resolved']],
  ['rest:/matches/cup-1/book', bookText('[["0.25","10"]]'), ['book', 'book', 'book']],
  ['rest:/matches/cup-1/book', bookText('[]'), ['book', 'book', 'book']],
  ['rest:/matches/cup-1/book', bookText('[["dear","10"]]'), ['reject bad_book', 'book', 'book']],
  ['rest:/matches/cup-1/book', '{"match":"cup-1"}', Array<string>(3).fill('reject bad_book')],
  ['rest:/matches/cup-1/book', '{"error":"no such match"}', ['reject venue_error']],
  ['rest:/matches/cup-1/book', '{"match":', ['reject not_json']],
  ['rest:/weather', '{}', ['reject unknown_channel']],
  ['ws', '{}', ['reject unknown_channel']],
];

function bookText(homeBids: string): string {
  return `{"match":"cup-1","home":{"bids":${homeBids},"asks":[]},"draw":{"bids":[],"asks":[]},"away":{"bids":[],"asks":[]}}`;
}

test('frames become findings, and nothing that it sends stops the recorder', async () => {
  const core = (await import(join(tree, 'packages/core/src/index.ts'))) as typeof import('@ladderlog/core');
  const { capture } = core.adapterOf('venued');
  const normalizer = capture.createNormalizer();
  const found = EVIDENCE.map(([channel, text]) =>
    normalizer
      .normalize({ channel, direction: 'in', text, observedAt: 1_794_700_800_000_000, settings: {} })
      .map((finding) => ('reason' in finding ? `${finding.type} ${finding.reason}` : finding.type)),
  );
  expect(found).toEqual(EVIDENCE.map(([, , finds]) => finds));
});

test('simulate: it runs on loopback beside the others', async () => {
  simulators = launch(['simulate', '--json'], { cwd: tree });
  const facts = await readyFacts<Record<string, Record<string, string>>>(simulators);
  expect(Object.keys(facts)).toEqual(['event', 'venuea', 'venueb', 'venuec', 'venued']);
  restUrl = facts['venued']!['restUrl']!;
  expect(restUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/);
});

let match: string;

type Match = { readonly market_id: string; readonly outcomes: readonly { readonly outcome_id: string }[] };

/** The match of the list that closes last and has a book of every outcome. */
async function newestWithBooks(): Promise<readonly [Match, Book[]] | null> {
  for (const found of await get<Match[]>('venued/markets?league=cup')) {
    const latest = await get<Book[]>(`venued/${found.market_id}/orderbook/latest`).catch(() => []);
    if (latest.length === 3) return [found, latest];
  }
  return null;
}

test('up: its matches and the books of three outcomes are recorded and served by its own routes', async () => {
  await startUp();
  const [market, latest] = await eventually(
    'books of a match',
    newestWithBooks,
    (found) => found !== null,
  ).then((found) => found!);
  match = market.market_id;
  expect(market.outcomes.map(({ outcome_id }) => outcome_id)).toEqual(['home', 'draw', 'away']);
  expect(await get(`venued/markets/${match}`)).toMatchObject({
    venue: 'venued',
    market_id: match,
    league: 'cup',
    title: 'Reds v Blues',
    simulated: true,
  });
  expect(outcomesOf(latest)).toEqual(OUTCOMES);
  expect(latest[0]).toMatchObject({ venue: 'venued', kind: 'snapshot', source_timestamp: null, checks: [] });
  const one = await get<Book[]>(`venued/${match}/orderbook/latest?outcome=draw`);
  expect(one.map(({ outcome_id }) => outcome_id)).toEqual(['draw']);
  const snapshots = await eventually(
    'the tables',
    () => get<Book[]>(`venued/${match}/snapshots?limit=1000`),
    (books) => outcomesOf(books).length === 3,
  );
  const at = await get<Book[]>(`venued/${match}/snapshots/at/${snapshots.at(-1)!.timestamp}`);
  expect(outcomesOf(at)).toEqual(OUTCOMES);
  expect(await get(`coverage?venue=venued&market_id=${match}`)).toMatchObject({
    dataset: 'books',
    condition: 'available',
  });
});

test('the contract has its routes, and those of the others as they were', async () => {
  const paths = async (text: string): Promise<string[]> =>
    [...text.matchAll(/^ {2}(\/v3[^:]*):$/gm)].map((found) => found[1]!).toSorted();
  const served = await paths(await (await fetch(`${url}/openapi.yaml`)).text());
  const before = await paths(readFileSync(join(REPOSITORY, 'openapi.yaml'), 'utf8'));
  expect(served.filter((path) => !before.includes(path))).toEqual([
    '/v3/venued/markets',
    '/v3/venued/markets/{match}',
    '/v3/venued/{match}/orderbook/latest',
    '/v3/venued/{match}/snapshots',
    '/v3/venued/{match}/snapshots/at/{timestamp}',
  ]);
  expect(served).toEqual(expect.arrayContaining(before));
});

let streamed: readonly StreamMessage[];

test('feed: a subscription by venue gets the books of every outcome', async () => {
  const client = await connect(`${url.replace('http', 'ws')}/v3/stream`, { authorization: `Bearer ${key}` });
  client.send({ type: 'subscribe', venue: 'venued' });
  const news = () => client.of('book').filter(({ current }) => !current);
  await client.until(
    'new books of every outcome',
    () => outcomesOf(news().map(({ data }) => data)).length === 3,
  );
  streamed = client.messages;
  expect(client.of('subscribed')).toHaveLength(1);
  client.socket.terminate();
});

test('kill -9 and a new start: the time between is a gap of each outcome', async () => {
  await up.kill();
  await startUp();
  const gaps = await eventually(
    'closed gaps of every outcome of a match',
    async () =>
      (await get<GapView[]>('gaps?venue=venued')).filter(
        ({ cause, to }) => cause === 'collector_down' && to !== null,
      ),
    (found) => found.length >= 3,
  );
  expect(gaps[0]).toMatchObject({ venue: 'venued', dataset: 'books' });
  expect(await get(`coverage?venue=venued&market_id=${gaps[0]!.market_id}`)).not.toMatchObject({
    coverage: { covered_ratio: 1 },
  });
});

test('verify: the tables say what the log says', async () => {
  const { code, stdout } = await command('verify', '--json');
  expect(code).toBe(0);
  const { ok, tables } = JSON.parse(stdout) as { ok: boolean; tables: { table: string; rows: number }[] };
  expect(ok).toBe(true);
  expect(tables.find(({ table }) => table === 'book_snapshots')!.rows).toBeGreaterThanOrEqual(6);
  expect((await up.interrupt()).code).toBe(0);
});

test('backfill: matches that ended before it was recorded', async () => {
  const hour = 3_600_000;
  const { code, stderr, stdout } = await ladderlog(
    [
      'backfill',
      '--venue=venued',
      '--venues=live',
      `--since=${new Date(Date.now() - hour).toISOString()}`,
      '--json',
      `--data=${join(folder, 'backfilled')}`,
    ],
    { cwd: tree, env: { LADDERLOG_VENUED_REST_URL: restUrl } },
  );
  expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
  // A match every five minutes.
  expect((JSON.parse(stdout) as { markets: number }).markets).toBeGreaterThanOrEqual(11);
  await simulators.interrupt();
});

type Line = {
  readonly type: string;
  readonly data: Book & { readonly market_id: string; readonly orderbook: Ladders };
};
type Ladders = { readonly bid_prices: readonly number[]; readonly ask_prices: readonly number[] };
let books: Line['data'][];

test('replay: lines of books and gaps', async () => {
  const { code, stdout } = await command('replay', '--venue', 'venued');
  expect(code).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  expect([...new Set(lines.map(({ type }) => type))]).toEqual(
    expect.arrayContaining(['market', 'book', 'gap']),
  );
  books = lines.filter(({ type }) => type === 'book').map((line) => line.data);
  expect(outcomesOf(books)).toEqual(OUTCOMES);
});

test('replay --native: its own protocol gives what was recorded', async () => {
  const native = launch(['replay', '--native', 'venued', '--speed', 'max', '--json', '--data', data], {
    cwd: tree,
  });
  try {
    const { urls } = await readyFacts<{ urls: { rest: string } }>(native);
    const newest = books.filter(({ market_id }) => market_id === match);
    const last = (outcome: string): Line['data'] =>
      newest.findLast(({ outcome_id }) => outcome_id === outcome)!;
    type Native = Readonly<Record<string, { readonly bids: [string, string][] }>>;
    const answer = await eventually(
      'the last recorded book',
      async () => (await (await fetch(`${urls.rest}/matches/${match}/book`)).json()) as Native,
      (book) => Number(book['home']?.bids[0]?.[0]) === last('home').orderbook.bid_prices[0],
    );
    for (const outcome of OUTCOMES)
      expect(answer[outcome]!.bids.map(([price]) => Number(price))).toEqual(
        last(outcome).orderbook.bid_prices,
      );
    const listed = (await (await fetch(`${urls.rest}/matches?league=cup`)).json()) as {
      matches: { id: string }[];
    };
    expect(listed.matches.map(({ id }) => id)).toContain(match);
  } finally {
    await native.kill();
  }
});

test('audit: the frames give the recorded books again', async () => {
  const { code, stdout } = await command('audit', '--venue', 'venued', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    match_rate: 1,
    different: 0,
    by_kind: { books: { judged: books.length } },
  });
});

test('export: a file a day, with the books of three outcomes', async () => {
  const out = join(folder, 'export');
  const { code } = await command('export', '--format', 'csv', '--venue', 'venued', '--out', out);
  expect(code).toBe(0);
  const text = readdirSync(join(out, 'books'))
    .map((file) => readFileSync(join(out, 'books', file), 'utf8'))
    .join('');
  expect(OUTCOMES.filter((outcome) => text.includes(`"${outcome}"`))).toEqual(OUTCOMES);
  expect(readFileSync(join(out, 'gaps.csv'), 'utf8')).toContain('collector_down');
});

test('backtest: a strategy trades its books by its rules', async () => {
  const { code, stdout, stderr } = await command(
    'backtest',
    'packages/replay/examples/buy-below.ts',
    '--venue=venued',
    `--market=${match}`,
    '--from=2026-01-01',
    '--to=2126-01-01',
    '--param=price=0.99',
    '--param=size=1',
    '--json',
  );
  expect([code, stderr]).toEqual([0, '']);
  const report = JSON.parse(stdout) as { inputs: object; fills: object[] };
  expect(report.inputs).toMatchObject({ fees: { venued: { kind: 'none' } } });
  expect(report.fills.length).toBeGreaterThan(0);
});

test('generate: what is derived from the venues names it, and the messages of the feed are as the contract says', async () => {
  const { stdout } = await run(process.execPath, ['infra/generate.ts'], { cwd: tree, env: cleanEnv() });
  const written = stdout
    .trim()
    .split('\n')
    .map((line) => line.replace('wrote ', ''));
  expect(written.filter((file) => !file.startsWith('avro/'))).toEqual([
    'openapi.yaml',
    'packages/client/src/generated/openapi.ts',
    'docs/configuration.md',
    'infra/kafka/create-topics.sh',
  ]);
  expect(written.filter((file) => file.startsWith('avro/'))).toHaveLength(11);
  const contract = streamContract(tree);
  expect(streamed.flatMap((message) => contract.problem(message) ?? [])).toEqual([]);
});

test('the compiler finds nothing else to do', async () => {
  const tsc = join(REPOSITORY, 'node_modules/.bin/tsc');
  const compile = (...args: string[]): Promise<string> =>
    run(tsc, ['--noEmit', ...args], { cwd: tree }).then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    );
  expect(await compile()).toBe('');
  expect(await compile('-p', 'packages/core')).toBe('');
});

const filesBelow = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !/(?:^|\/)node_modules(?:\/|$)/.test(relative(root, entry.parentPath)),
    )
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted();
