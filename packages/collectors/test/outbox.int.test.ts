// Between the sockets and a real log: nothing that a venue sent may stop it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Finding, CapturedVenue, VenueEvent } from '@ladderlog/core';
import { Capture, LadderlogError, adapterOf } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';

import { readAll } from '../../../test/harness/capture.ts';
import { MAX_FRAME_BYTES } from '../src/recorder/encodable.ts';
import { importFile } from '../src/index.ts';
import type { Outbox } from '../src/recorder/outbox.ts';
import { createOutbox } from '../src/recorder/outbox.ts';

const venueB = adapterOf('venueb');

const folder = mkdtempSync(join(tmpdir(), 'ladderlog-outbox-'));
const logs: EventLog[] = [];
afterAll(async () => {
  for (const log of logs) await log.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<EventLog> {
  const log = await openSqliteLog({ path: join(folder, `${logs.length}.sqlite`) });
  logs.push(log);
  return log;
}

const outboxOf = (log: EventLog, fatal: unknown[] = []): Outbox =>
  createOutbox({ log, logger: pino({ level: 'silent' }), onFatal: (error) => fatal.push(error) });

/** A normalizer with a fault: what it makes of one frame fits no schema. */
const faulty: CapturedVenue = {
  venue: 'venueb',
  capture: {
    ...venueB.capture,
    createNormalizer: () => ({
      ...venueB.capture.createNormalizer(),
      normalize: ({ text }): Finding[] =>
        text === 'hostile' ? [HOSTILE] : [{ type: 'skip', reason: 'fine' }],
    }),
  },
};
const HOSTILE: Finding = {
  type: 'sample',
  market: 'M',
  outcome: 'yes',
  metric: 'last_trade',
  sourceTs: null,
  value: Number.NaN,
  text: '0.5',
  exact: true,
  size: null,
  takerSide: null,
};

test('an event that no schema holds becomes a reject of its frame, and the rest goes on', async () => {
  const log = await open();
  const fatal: unknown[] = [];
  const outbox = outboxOf(log, fatal);
  const session = new Capture({ adapter: faulty, collector: 'test', provenance: 'captured' }).openSession(
    's',
  );
  for (const [at, text] of ['before', 'hostile', 'after'].entries())
    outbox.push(
      session.frame(
        { channel: 'ws', direction: 'in', text, observedAt: 1_794_700_800_000_000 + at, settings: {} },
        Buffer.from(text),
      ).events,
    );
  await outbox.close();
  expect(fatal).toEqual([]);
  const events = await readAll(log, ['venueb']);
  const bodies = events.flatMap((event) =>
    event.type === 'FrameCaptured' ? [Buffer.from(event.body).toString()] : [],
  );
  expect(bodies).toEqual(['before', 'hostile', 'after']);
  const rejected = events.filter(
    (event) => event.type === 'FrameRejected' && event.reason === 'not_encodable',
  );
  expect(rejected).toMatchObject([{ ordinal: 1, session: 's', market: 'M', channel: 'ws' }]);
  const [reject] = rejected as Extract<VenueEvent, { type: 'FrameRejected' }>[];
  expect(Buffer.from(reject!.body).toString()).toBe('hostile');
  expect(reject!.detail).toContain('MetricSampled');
});

test('an import passes over what cannot be encoded, and a second run of it adds nothing', async () => {
  const log = await open();
  const file = join(folder, 'hostile.jsonl');
  const line = (frame: string, at: number): string =>
    JSON.stringify({ venue: 'venueb', channel: 'ws', received_at: 1_794_700_800_000 + at, frame });
  writeFileSync(file, [line('before', 0), line('hostile', 1), line('after', 2)].join('\n'));
  const run = () => importFile({ log, adapter: () => faulty, file });
  expect(await run()).toMatchObject({ frames: 3, badLineCount: 0 });
  const events = await readAll(log, ['venueb']);
  expect(
    events.filter((event) => event.type === 'FrameRejected' && event.reason === 'not_encodable'),
  ).toHaveLength(1);
  expect(await run()).toMatchObject({ appended: 0 });
});

test('a line that no record could hold is a bad line, and the import goes on', async () => {
  const log = await open();
  const file = join(folder, 'large.jsonl');
  const line = (frame: string): string =>
    JSON.stringify({ venue: 'venueb', channel: 'ws', received_at: 1_794_700_800_000, frame });
  const fits = line('x'.repeat(MAX_FRAME_BYTES - line('').length));
  writeFileSync(file, [fits, line('x'.repeat(MAX_FRAME_BYTES)), line('after')].join('\n'));
  const report = await importFile({
    log,
    file,
  });
  expect(report).toMatchObject({ lines: 3, frames: 2, badLineCount: 1 });
  expect(report.badLines).toMatchObject([{ line: 2 }]);
});

test('what fits one by one and not together is appended in smaller parts', async () => {
  const log = await open();
  const sizes: number[] = [];
  const small: EventLog = {
    ...log,
    codec: log.codec,
    append: async (events) => {
      if (events.length > 3)
        throw new LadderlogError('LOG_RECORD_TOO_LARGE', 'more than a partition takes at once');
      sizes.push(events.length);
      return log.append(events);
    },
  };
  const fatal: unknown[] = [];
  const outbox = outboxOf(small, fatal);
  const session = new Capture({ adapter: venueB, collector: 'test', provenance: 'captured' }).openSession(
    's',
  );
  for (let at = 0; at < 20; at++)
    outbox.push([
      session.frame(
        { channel: 'ws', direction: 'out', text: '{}', observedAt: 1_794_700_800_000_000 + at, settings: {} },
        Buffer.from('{}'),
      ).events[0]!,
    ]);
  await outbox.close();
  expect(fatal).toEqual([]);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(3);
  const ordinals = (await readAll(log, ['venueb'])).map(({ ordinal }) => ordinal);
  expect(ordinals).toEqual(Array.from({ length: 20 }, (_, at) => at));
});
