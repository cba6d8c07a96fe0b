// Shared by the venue tests: frames in, findings out, golden files.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createCodec } from '@ladderlog/log';
import { Capture } from '../../src/capture/capture.ts';
import type { BookObserved } from '../../src/events/events.ts';
import { formatMicro } from '../../src/kernel/decimal.ts';
import type { BookFinding, Finding, Frame, Normalizer } from '../../src/capture/finding.ts';
import { sourceLevels } from '../../src/market/source-levels.ts';
import type { VenueAdapter } from '../../src/venues/adapter.ts';

export const AT = 1_794_700_800_000_000;

export const frame = (text: string, channel = 'ws', observedAt = AT): Frame => ({
  channel,
  direction: 'in',
  text,
  observedAt,
  settings: {},
});

export const feed = (normalizer: Normalizer, message: unknown, channel = 'ws', observedAt = AT): Finding[] =>
  normalizer.normalize(
    frame(typeof message === 'string' ? message : JSON.stringify(message), channel, observedAt),
  );

const codec = createCodec({ idOf: () => 1, schemaOf: () => null });

/**
 * The findings of each frame, recorded by a session and every event encoded as the log would: one that does not fit its schema
 * would stop the recorder.
 */
export function record(adapter: VenueAdapter, frames: readonly Frame[]): (readonly Finding[])[] {
  const session = new Capture({ adapter, collector: 'test', provenance: 'captured' }).openSession('s');
  return frames.map((one) => {
    const { events, findings } = session.frame(one, new TextEncoder().encode(one.text));
    for (const event of events) codec.encode(event);
    return findings;
  });
}

/** Words that name something on every object, numbers at the ends of their ranges, and an object that is no text. */
export const HOSTILE = [
  'constructor',
  '__proto__',
  'constructor-up-or-down-on-june-5',
  '9007199254.740990',
  '-9007199254.740990',
  99_999_999_999,
  2 ** 53,
  { toString: 1, valueOf: 1 },
] as const;

export const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');

export const fixtureLines = (name: string): string[] =>
  fixture(name)
    .split('\n')
    .filter((line) => line !== '');

export function only<F extends Finding['type']>(
  findings: readonly Finding[],
  type: F,
): Extract<Finding, { type: F }>[] {
  return findings.filter((finding): finding is Extract<Finding, { type: F }> => finding.type === type);
}

/** JSON nested deeper than a recursive reader's stack. */
export function deepTexts(): string[] {
  const deep = (open: string, close: string) => `${open.repeat(200_000)}1${close.repeat(200_000)}`;
  return [deep('[', ']'), deep('{"a":', '}'), `[{"event_type":"x","type":"TOPIC","a":${deep('[', ']')}}]`];
}

/** The venue's own text of both sides, best first. */
export function sourceText(book: BookFinding): { bids: [string, string][]; asks: [string, string][] } {
  const observed = book as unknown as BookObserved;
  return {
    bids: sourceLevels(observed, 'bid', formatMicro),
    asks: sourceLevels(observed, 'ask', formatMicro),
  };
}

/** One finding a line. `UPDATE_GOLDEN=1` writes the file; otherwise what it must equal. */
export function golden(
  name: string,
  findings: readonly (readonly Finding[])[],
): { actual: string; expected: string } {
  const path = new URL(`../golden/${name}`, import.meta.url);
  const actual = findings
    .flatMap((list, at) =>
      // In the files a finding's type is called `find`, as it was when they were written.
      list.map(({ type, ...rest }) => `${JSON.stringify({ frame: at, find: type, ...rest })}\n`),
    )
    .join('');
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(path, actual);
  return { actual, expected: existsSync(path) ? readFileSync(path, 'utf8') : '' };
}
