// Backup and restore of an embedded Ladderlog. The log is the truth, so a backup is a consistent copy of the log (taken while
// everything runs), the secrets and a manifest; the tables are built from the log again after a restore.

import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';

import { LadderlogError } from '@ladderlog/core';
import { copySqliteLog } from '@ladderlog/log';

import { DATA_VERSION, createPrivate } from './data-directory.ts';
import type { Operation } from './operation.ts';
import type { OnProgress } from '../progress.ts';
import { VERSION } from '../version.ts';

export type Manifest = {
  readonly ladderlog: string;
  readonly layout: number;
  readonly taken_at: string;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
};

const FILES = ['log.sqlite', 'cursor-secret', 'VERSION'] as const;
/** Where a restore puts its files until all are there; inside the target, which may be the root of a volume. */
const STAGING = '.restoring';

export const backupTo: Operation = async ({ context, runtime, progress, signal }, args) => {
  const { directory, log } = runtime;
  if (log.kind !== 'sqlite')
    throw new LadderlogError(
      'NOT_SUPPORTED_HERE',
      "the log is on Kafka: back it up with the cluster's own tools; see docs/operations.md",
    );
  const target = resolve(String(args['to'] ?? ''));
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new LadderlogError('BAD_ARGUMENT', `${target} is not empty; give a new directory`);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  await copyLog(directory.log, join(target, 'log.sqlite'), progress, signal);
  for (const name of FILES)
    if (name !== 'log.sqlite' && existsSync(join(directory.path, name)))
      copyFileSync(join(directory.path, name), join(target, name));
  const files = [];
  for (const name of FILES) {
    const path = join(target, name);
    if (existsSync(path)) files.push({ name, bytes: statSync(path).size, sha256: await sha256(path) });
  }
  const manifest: Manifest = {
    ladderlog: VERSION,
    layout: DATA_VERSION,
    taken_at: new Date().toISOString(),
    files,
  };
  writeFileSync(join(target, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  context.logger.info({ event: 'backup.taken', files: files.length }, 'backup taken');
  return { ...manifest, directory: target };
};

async function copyLog(from: string, to: string, progress: OnProgress, signal: AbortSignal): Promise<void> {
  createPrivate(to);
  try {
    await copySqliteLog(from, to, {
      signal,
      onProgress: (done, total) => progress(done, total, 'events'),
    });
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  }
}

/** Puts a backup into an empty data directory; the next start builds the tables. */
export async function restoreFrom(
  source: string,
  dataDirectory: string,
  progress: OnProgress = () => undefined,
): Promise<Manifest> {
  const from = resolve(source);
  const to = resolve(dataDirectory);
  const path = join(from, 'manifest.json');
  if (!existsSync(path))
    throw new LadderlogError('BAD_ARGUMENT', `${source} has no manifest.json; it is not a Ladderlog backup`);
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  if (manifest.layout > DATA_VERSION)
    throw new LadderlogError(
      'DATA_DIRECTORY_NEWER',
      `the backup was made by a newer Ladderlog (${manifest.ladderlog}); upgrade first`,
    );
  if (existsSync(to) && !isFree(to))
    throw new LadderlogError(
      'BAD_ARGUMENT',
      `${dataDirectory} is not empty; restore into a new directory with --data`,
    );
  await checkFiles(from, manifest, progress);
  const staging = join(to, STAGING);
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true, mode: 0o700 });
  for (const { name } of manifest.files) {
    copyFileSync(join(from, name), join(staging, name));
    chmodSync(join(staging, name), 0o600);
  }
  // The log last: with it the restore is complete.
  for (const { name } of [...manifest.files].sort((a, b) => order(b.name) - order(a.name)))
    renameSync(join(staging, name), join(to, name));
  rmSync(staging, { recursive: true });
  return manifest;
}

/** Every file must be what the manifest says of it. */
async function checkFiles(from: string, { files }: Manifest, progress: OnProgress): Promise<void> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let checked = 0;
  for (const { name, sha256: expected } of files) {
    if (!(FILES as readonly string[]).includes(name))
      throw new LadderlogError('BAD_ARGUMENT', `the manifest names '${name}', which no backup has`);
    const seen = (bytes: number): void => progress((checked += bytes), total, 'checking');
    if (!existsSync(join(from, name)) || (await sha256(join(from, name), seen)) !== expected)
      throw new LadderlogError('LOG_CORRUPT', `${name} is not what the manifest says; the backup is damaged`);
  }
}

const order = (name: string): number => (FILES as readonly string[]).indexOf(name);

/** Holds nothing but what a new volume has, or what an interrupted restore left. */
function isFree(directory: string): boolean {
  const found = readdirSync(directory);
  const interrupted: readonly string[] = found.includes(STAGING) ? [STAGING, 'cursor-secret', 'VERSION'] : [];
  return found.every((name) => name === 'lost+found' || interrupted.includes(name));
}

async function sha256(path: string, seen: (bytes: number) => void = () => undefined): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    seen(chunk.length);
  }
  return hash.digest('hex');
}
