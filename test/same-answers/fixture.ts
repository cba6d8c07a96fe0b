// The recording of version 0.1.0 as a folder of its own, and commands on it, at a moment shortly after it was recorded.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';

import type { Ended, Running } from './command.ts';
import { start } from './command.ts';

const FOLDER = join(import.meta.dirname, '..', 'fixtures', 'recording-0.1.0');

export type FixtureKey = 'explorer' | 'quant' | 'desk' | 'revoked';

export type Metadata = {
  readonly archive: { readonly file: string; readonly sha256: string };
  readonly keys: Readonly<Record<FixtureKey, { readonly key_id: string; readonly key: string }>>;
  readonly moments: {
    readonly started_at: string;
    readonly killed_at: string;
    readonly restarted_at: string;
    readonly stopped_at: string;
    /** What the clock of a command shows when it starts: every moment of the recording is more than a minute old. */
    readonly served_at: string;
  };
};

export const metadata = JSON.parse(readFileSync(join(FOLDER, 'metadata.json'), 'utf8')) as Metadata;

export const SERVED_AT = Date.parse(metadata.moments.served_at);

export type Fixture = {
  /** A folder for what the test writes. */
  readonly folder: string;
  readonly data: string;
  launch(args: readonly string[]): Running;
  run(args: readonly string[]): Promise<Ended>;
  remove(): void;
};

export function unpackFixture(): Fixture {
  const packed = readFileSync(join(FOLDER, metadata.archive.file));
  const sha256 = createHash('sha256').update(packed).digest('hex');
  if (sha256 !== metadata.archive.sha256)
    throw new Error(`${metadata.archive.file} is not the file that metadata.json describes: ${sha256}`);
  const folder = mkdtempSync(join(tmpdir(), 'same-answers-'));
  const { status, stderr } = spawnSync('tar', ['-x', '-C', folder], { input: zstdDecompressSync(packed) });
  if (status !== 0) throw new Error(`the fixture could not be unpacked: ${stderr.toString()}`);
  const data = join(folder, 'data');
  // Away from the checkout, so that no configuration file is found.
  const cwd = join(folder, 'working-directory');
  mkdirSync(cwd);
  const launch = (args: readonly string[]): Running =>
    start([...args, '--data', data], { at: SERVED_AT, cwd });
  return {
    folder,
    data,
    launch,
    run: (args) => launch(args).ended,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
