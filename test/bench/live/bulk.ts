// The measures that the others are held against: JSON.parse of a 2.9 KB book, and capture of the load's frames in bulk, frame
// to durable event in one process.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { LadderEvent } from '@ladderlog/core';
import { Capture, adapterOf } from '@ladderlog/core';
import { openSqliteLog } from '@ladderlog/log';

import { BookB, BookC } from '../../harness/load/books.ts';

const FRAMES = 20_000;
const BATCH = 1_000;
const BOOKS_B = 12;
const BOOKS_C = 24;
const ROUNDS = 3;

/** Microseconds of one JSON.parse of a 2.9 KB book of venue C. */
export function parseMicros(): number {
  const book = new BookC(`0x${'7'.repeat(64)}`, '7'.repeat(77), 7);
  const texts = Array.from({ length: 64 }, (_, at) => Buffer.from(book.change(1_794_700_800_000 + at).text));
  let best = Infinity;
  for (let round = 0; round < 10; round++) {
    const began = performance.now();
    for (let at = 0; at < 2_000; at++) JSON.parse(texts[at % texts.length]!.toString());
    best = Math.min(best, ((performance.now() - began) * 1_000) / 2_000);
  }
  return best;
}

type Line = { readonly venue: 'venueb' | 'venuec'; readonly body: Buffer };

/** Frames of the two venues in turn, as the load sends them, each book's first one before. */
function frames(): Line[] {
  const lines: Line[] = [];
  let seq = 0;
  const b = (frame: { type: string; msg: object }): void => {
    const text = JSON.stringify({ type: frame.type, sid: 1, seq: ++seq, msg: frame.msg });
    lines.push({ venue: 'venueb', body: Buffer.from(text) });
  };
  const booksB = Array.from(
    { length: BOOKS_B },
    (_, at) => new BookB(`KXBTC15M-26NOV141915-${at}`, `id-${at}`, at + 1),
  );
  const booksC = Array.from(
    { length: BOOKS_C },
    (_, at) =>
      new BookC(`0x${String(at >> 1).padStart(64, '0')}`, `7118${String(at).padStart(73, '0')}`, at + 101),
  );
  for (const book of booksB) b(book.snapshot());
  for (let turn = 0; lines.length < FRAMES; turn++) {
    const ms = 1_794_700_800_000 + turn;
    if (turn % 2 === 0) b(booksB[(turn / 2) % BOOKS_B]!.delta(ms, new Date(ms).toISOString()));
    else
      lines.push({ venue: 'venuec', body: Buffer.from(booksC[((turn - 1) / 2) % BOOKS_C]!.change(ms).text) });
  }
  return lines;
}

export type Bulk = { readonly perSecond: number; readonly cpuMicros: number; readonly frameBytes: number };

/** Observations a second, the best of a few rounds; every frame is one. */
export async function bulkCapture(): Promise<Bulk> {
  const lines = frames();
  let best: Bulk = { perSecond: 0, cpuMicros: 0, frameBytes: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const folder = mkdtempSync(join(tmpdir(), 'ladderlog-live-bench-'));
    const log = await openSqliteLog({ path: join(folder, 'log.sqlite'), upkeepMs: 0 });
    const began = performance.now();
    const cpu = process.cpuUsage();
    const observations = await capture(lines, (events) => log.append(events));
    const perSecond = (observations * 1_000) / (performance.now() - began);
    const { user, system } = process.cpuUsage(cpu);
    await log.close();
    rmSync(folder, { recursive: true, force: true });
    if (observations !== lines.length)
      throw new Error(`${lines.length} frames gave ${observations} observations`);
    if (perSecond > best.perSecond)
      best = {
        perSecond,
        cpuMicros: (user + system) / observations,
        frameBytes: lines.reduce((sum, { body }) => sum + body.length, 0) / lines.length,
      };
  }
  return best;
}

async function capture(
  lines: readonly Line[],
  append: (events: readonly LadderEvent[]) => Promise<unknown>,
): Promise<number> {
  const open = (venue: Line['venue']) =>
    new Capture({ adapter: adapterOf(venue), collector: 'bench', provenance: 'captured' }).openSession(
      'bench',
    );
  const sessions = { venueb: open('venueb'), venuec: open('venuec') };
  let observations = 0;
  let pending: Promise<unknown> = Promise.resolve();
  for (let at = 0; at < lines.length; at += BATCH) {
    const events: LadderEvent[] = [];
    for (const [n, { venue, body }] of lines.slice(at, at + BATCH).entries()) {
      const observedAt = 1_794_700_800_000_000 + (at + n) * 1_000;
      const frame = {
        channel: 'ws',
        direction: 'in' as const,
        text: body.toString(),
        observedAt,
        settings: {},
      };
      for (const event of sessions[venue].frame(frame, body).events) {
        if (event.type === 'BookObserved') observations++;
        events.push(event);
      }
    }
    await pending;
    pending = append(events);
  }
  await pending;
  return observations;
}
