// The recording of version 0.1.0 by the commands: it verifies, audits, replays, rebuilds and exports as with that version.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Fixture } from './fixture.ts';
import { unpackFixture } from './fixture.ts';
import { isUpdate, readGolden, writeGolden } from './golden.ts';
import { RANGES } from './moments.ts';
import { nativeMessages, streamedMessages } from './replay-sockets.ts';

const GOLDEN = 'recording.json';
const VENUES = ['venuea', 'venueb', 'venuec'];
const { start_time: from, end_time: to } = RANGES.whole;

type Facts = Record<string, unknown>;

let fixture: Fixture;
let facts: Facts = {};

beforeAll(() => {
  fixture = unpackFixture();
  if (!isUpdate) facts = readGolden(GOLDEN) as Facts;
});

afterAll(() => {
  fixture?.remove();
  if (isUpdate) writeGolden(GOLDEN, facts);
});

/** What was written down; while updating it is written down first. */
function golden(name: string, fact: unknown): unknown {
  if (isUpdate) facts[name] = fact;
  return facts[name];
}

async function output(...args: string[]): Promise<Buffer> {
  const { code, stdout, stderr } = await fixture.run([...args, '--log-level', 'error']);
  expect(code, `${args.join(' ')}: ${stderr}`).toBe(0);
  return stdout;
}

const json = async (...args: string[]): Promise<Facts> =>
  JSON.parse((await output(...args, '--json')).toString()) as Facts;

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** How many lines there are, how many of each type, and the hash of all. */
function linesOf(text: Buffer | string): Facts {
  const bytes = Buffer.from(text);
  const lines = bytes.toString().split('\n').slice(0, -1);
  const types: Record<string, number> = {};
  for (const line of lines) {
    const type = /"(?:event_)?type":"(\w+)"/.exec(line)?.[1] ?? 'none';
    types[type] = (types[type] ?? 0) + 1;
  }
  return { lines: lines.length, bytes: bytes.length, types, sha256: sha256(bytes) };
}

const asLines = (messages: readonly string[]): string => messages.map((text) => `${text}\n`).join('');

/** The tables as `verify` sees them; which build of them it was is not of the recording. */
async function verified(): Promise<Facts> {
  const { generation: _, ...rest } = await json('verify');
  expect(rest).toMatchObject({ ok: true, differences: [] });
  return rest;
}

test('verify is clean', async () => {
  const tables = await verified();
  expect(tables).toEqual(golden('verify', tables));
});

test.each(VENUES)('audit of %s is clean', async (venue) => {
  const report = await json('audit', '--venue', venue);
  expect(report).toMatchObject({ different: 0, unreadable_records: 0, match_rate: 1 });
  expect(report).toEqual(golden(`audit ${venue}`, report));
});

const { inside, acrossGap } = RANGES;

test.each([
  'replay',
  ...VENUES.map((venue) => `replay --venue ${venue}`),
  'replay --clock source',
  'replay --venue venuec --asset btc --window 15m',
  `replay --venue venuea --asset ETH --metadata-days 0 --from ${inside.start_time}`,
  `replay --venue venueb --from ${acrossGap.start_time} --to ${acrossGap.end_time}`,
  ...VENUES.map((venue) => `replay --venue ${venue} --format frames`),
  ...VENUES.map((venue) => `log cat ${venue} --limit 100000`),
  'log ls --json',
  ...VENUES.map((venue) => `log offsets ${venue} --at ${inside.start_time} --json`),
  'keys list --json',
])('%s gives the same bytes', async (command) => {
  const lines = linesOf(await output(...command.split(' ')));
  expect(lines).toEqual(golden(command, lines));
});

test('replay over a WebSocket gives the same messages', async () => {
  const args = ['replay', '--venue', 'venuec', '--port', '0', '--speed', 'max', '--from', from, '--to', to];
  const server = fixture.launch([...args, '--json']);
  const messages = linesOf(asLines(await streamedMessages(String((await server.ready())['url']))));
  expect(messages).toEqual(golden('stream venuec', messages));
  expect((await server.stop()).code).toBe(0);
});

test('native replay of venue C sends the same frames', async () => {
  const args = ['replay', '--native', 'venuec', '--speed', 'max', '--from', from, '--to', to];
  const chosen = await tokens('btc', '5m');
  const server = fixture.launch([...args, '--json']);
  const { ws } = (await server.ready())['urls'] as { ws: string };
  const messages = linesOf(asLines(await nativeMessages(ws, chosen)));
  expect(messages).toEqual(golden('native venuec', messages));
  expect((await server.stop()).code).toBe(0);
});

/** Tokens of venue C in the order in which their books came. */
async function tokens(asset: string, window: string): Promise<string[]> {
  const lines = (
    await output('replay', '--venue', 'venuec', '--asset', asset, '--window', window)
  ).toString();
  const messages = lines
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Facts);
  const ofBooks = messages
    .filter(({ type }) => type === 'book')
    .map(({ data }) => (data as Facts)['token_id']);
  return [...new Set(ofBooks.map(String))];
}

type Exported = { readonly files: readonly { path: string; rows: number }[]; readonly gaps: number };

test.each(['parquet', 'csv', 'ndjson'])('export to %s has the same rows', async (format) => {
  const out = join(fixture.folder, `export-${format}`);
  const { files, gaps } = (await json('export', '--format', format, '--out', out, '--to', to)) as Exported;
  const exported = {
    gaps,
    files: files.map(({ path, rows }) => ({
      path,
      rows,
      // The bytes of Parquet are the engine's matter.
      ...(format === 'parquet' ? {} : { sha256: sha256(readFileSync(join(out, path))) }),
    })),
  };
  expect(exported).toEqual(golden(`export ${format}`, exported));
});

test('rebuilt tables verify, and are the same', async () => {
  const before = await verified();
  expect(await json('rebuild')).toMatchObject({ verified: { ok: true } });
  expect(await verified()).toEqual(before);
});
