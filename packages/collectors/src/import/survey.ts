// The first pass over a recording: its identity, its time range, and where each recorded connection ends.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

import type { Venue } from '@ladderlog/core';
import { EARLIEST_MICROS, LadderlogError } from '@ladderlog/core';

import type { ImportLine } from './import-line.ts';
import { parseImportLine } from './import-line.ts';
import { readLines } from './lines.ts';

export const sessionKey = (line: ImportLine): string => `${line.venue}\u0000${line.session}`;

export type Survey = {
  readonly sha256: string;
  readonly lastLineOf: ReadonlyMap<string, number>;
  readonly firstVenue: Venue | null;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly venues: ReadonlySet<Venue>;
};

export async function surveyFile(file: string): Promise<Survey> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 }))
      hash.update(chunk as Buffer);
  } catch (error) {
    throw new LadderlogError('BAD_ARGUMENT', `cannot read ${file}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const lastLineOf = new Map<string, number>();
  const venues = new Set<Venue>();
  let firstVenue: Venue | null = null;
  let firstAt = Number.POSITIVE_INFINITY;
  let lastAt = 0;
  try {
    for await (const { number, bytes } of readLines(file)) {
      const parsed = bytes === null || bytes.length === 0 ? null : parseImportLine(bytes.toString('utf8'));
      if (!parsed?.ok) continue;
      const { line } = parsed;
      firstVenue ??= line.venue;
      venues.add(line.venue);
      lastLineOf.set(sessionKey(line), number);
      firstAt = Math.min(firstAt, line.receivedAt);
      lastAt = Math.max(lastAt, line.receivedAt);
    }
  } catch (error) {
    throw new LadderlogError(
      'BAD_ARGUMENT',
      `cannot read ${file}: ${(error as Error).message}; is it a complete gzip file?`,
      { cause: error },
    );
  }
  // A file without one good line still has its rejects; they need some time, and the year 2000 says "unknown".
  if (firstAt === Number.POSITIVE_INFINITY) firstAt = lastAt = EARLIEST_MICROS;
  return { sha256: hash.digest('hex'), lastLineOf, firstVenue, firstAt, lastAt, venues };
}
