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

const BASE = 1_794_700_800_000_000;
const sessionOf = () =>
  new Capture({ adapter: venueB, collector: 'test', provenance: 'captured' }).openSession('s');
/** The frame of `text` alone, at its place. */
const frameOf = (session: ReturnType<typeof sessionOf>, at: number, text: string): VenueEvent =>
  session.frame(
    { channel: 'ws', direction: 'out', text: '{}', observedAt: BASE + at, settings: {} },
    Buffer.from(text),
  ).events[0]!;

/** A log that refuses until it is told otherwise, as one on a full disk. */
function refusing(log: EventLog): { readonly log: EventLog; accept(): void } {
  let refuses = true;
  return {
    accept: () => (refuses = false),
    log: {
      ...log,
      codec: log.codec,
      append: (events) =>
        refuses
          ? Promise.reject(new LadderlogError('LOG_DISK_FULL', 'the disk is full', { retryable: true }))
          : log.append(events),
    },
  };
}

test('what waits is bounded by its bytes too: large frames block it long before there are many', async () => {
  const real = await open();
  const { log, accept } = refusing(real);
  const outbox = outboxOf(log);
  const session = sessionOf();
  const large = 'x'.repeat(1 << 20);
  let pushed = 0;
  for (; !outbox.blocked && pushed < 3_000; pushed++) outbox.push([frameOf(session, pushed, large)]);
  expect(pushed).toBe(64);
  expect(outbox.size).toBe(64);
  expect(outbox.bytes).toBeGreaterThan(64 << 20);
  let free = false;
  const unblocked = outbox.unblocked().then(() => (free = true));
  expect(free).toBe(false);
  accept();
  await unblocked;
  expect(outbox.bytes).toBeLessThan(32 << 20);
  await outbox.close();
  expect([outbox.size, outbox.bytes]).toEqual([0, 0]);
  expect((await readAll(real, ['venueb'])).map(({ ordinal }) => ordinal)).toEqual(
    Array.from({ length: 64 }, (_, at) => at),
  );
});

test('thousands that wait are appended in order, each once, while more arrive', async () => {
  const real = await open();
  const { log, accept } = refusing(real);
  const outbox = outboxOf(log);
  const session = sessionOf();
  const count = 12_000;
  const push = (from: number, to: number): void => {
    for (let at = from; at < to; at++) outbox.push([frameOf(session, at, '{}')]);
  };
  push(0, count / 2);
  expect(outbox.size).toBe(count / 2);
  accept();
  const flushed = outbox.flush();
  push(count / 2, count);
  await flushed;
  expect([outbox.size, outbox.bytes]).toEqual([0, 0]);
  await outbox.close();
  expect((await readAll(real, ['venueb'])).map(({ ordinal }) => ordinal)).toEqual(
    Array.from({ length: count }, (_, at) => at),
  );
});

test('a flush waits for no company', async () => {
  const log = await open();
  const outbox = createOutbox({
    log,
    logger: pino({ level: 'silent' }),
    onFatal: () => undefined,
    maxDelayMs: 2 ** 30,
  });
  outbox.push([frameOf(sessionOf(), 0, '{}')]);
  await outbox.flush();
  expect(await readAll(log, ['venueb'])).toHaveLength(1);
});
