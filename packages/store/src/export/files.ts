// Files of an export: each is there whole or not at all.

import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LadderlogError } from '@ladderlog/core';

export async function requireEmpty(directory: string): Promise<void> {
  const entries = await readdir(directory).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new LadderlogError('BAD_ARGUMENT', `${directory} is no directory; give a new one`, { cause });
  });
  if (entries.length > 0)
    throw new LadderlogError('BAD_ARGUMENT', `${directory} is not empty; give a new directory`);
}

/** What is hashed and written in one turn of the event loop. */
const PIECE_BYTES = 1024 * 1024;

/** A page of many megabytes in pieces, each in a turn of its own. */
async function* inPieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source)
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      if (at > 0) await nextTurn();
      yield chunk.subarray(at, at + PIECE_BYTES);
    }
}

export async function writeWhole(
  directory: string,
  path: string,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const file = join(directory, path);
  const partial = `${file}.partial`;
  await mkdir(dirname(file), { recursive: true });
  const hash = createHash('sha256');
  const hashed = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of inPieces(source)) {
      hash.update(chunk);
      yield chunk;
    }
  };
  try {
    await pipeline(hashed, createWriteStream(partial), { signal });
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  await rename(partial, file);
  return { bytes: (await stat(file)).size, sha256: hash.digest('hex') };
}
