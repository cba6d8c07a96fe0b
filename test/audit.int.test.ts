// The audit on real recordings: live capture with every kind of trouble, and an import. Nothing may differ; and where something
// was changed on purpose, it must be found and named.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { importFile } from '@ladderlog/collectors';
import type {
  BookCompared,
  BookObserved,
  GapClosed,
  GapOpened,
  LadderEvent,
  Venue,
  VenueAdapter,
  VenueEvent,
} from '@ladderlog/core';
import { VENUES, adapterOf } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import { auditReport, auditText, runAudit } from '@ladderlog/replay';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { TestCapture } from './harness/capture.ts';
import { NOON, readAll, startCapture } from './harness/capture.ts';

const venueC = adapterOf('venuec');

const folder = mkdtempSync(join(tmpdir(), 'ladderlog-audit-'));
/** The first windows end soon. */
const START = NOON - 10_000;
let capture: TestCapture;
let events: VenueEvent[];
const copies: EventLog[] = [];

/** A REST book of venue C, equal to a book that is in no gap, in the middle of its connection. */
function comparisonIn(seen: readonly VenueEvent[]): BookCompared | undefined {
  const ours = seen.filter(({ venue }) => venue === 'venuec');
  const newest = new Map<string, number>();
  for (const event of ours)
    if (event.type === 'FrameCaptured' && event.channel === 'ws' && event.direction === 'in')
      newest.set(event.session, event.ordinal);
  return ours.find((event): event is BookCompared => {
    if (event.type !== 'BookCompared' || event.method !== 'rest' || !event.equal) return false;
    if (event.ordinal >= (newest.get(event.session) ?? 0)) return false;
    const before = ours.filter(
      (other): other is GapOpened | GapClosed =>
        (other.type === 'GapOpened' || other.type === 'GapClosed') &&
        other.market === event.market &&
        other.outcome === event.outcome &&
        other.observedAt <= event.observedAt,
    );
    return before.at(-1)?.type !== 'GapOpened';
  });
}

beforeAll(async () => {
  capture = await startCapture({
    startsAt: START,
    simulator: { scale: 10, updatesPerSecond: 10, windows: ['5m', '15m'] },
    // Comparisons in turn, and no probes of quiet books: an answer under way when its socket breaks is on the tape only.
    timing: { compareMs: 300, quietMs: 600_000 },
  });
  const count = (seen: readonly VenueEvent[], venue: Venue, type: VenueEvent['type']) =>
    seen.filter((event) => event.venue === venue && event.type === type).length;
  // A fault that comes before the first books of a venue opens no gap there.
  await capture.until('books of every venue', (seen) =>
    VENUES.every((venue) => count(seen, venue, 'BookObserved') > 100),
  );
  const { simulators, clock } = capture;
  const passed = (clock() / 1_000 - START) / 1_000;
  for (const venue of VENUES) {
    simulators.inject({ venue, kind: 'unknown_message' });
    simulators.inject({ venue, kind: 'garbage' });
    simulators.inject({ venue, kind: 'delta_below_zero', at: passed + 2 });
    simulators.inject({ venue, kind: 'skip_sequence', at: passed + 4 });
    simulators.inject({ venue, kind: 'cross_book', at: passed + 6 });
    simulators.inject({ venue, kind: 'disconnect', at: passed + 8, duration: 0.5 });
  }
  // A busy machine may apply several at once, and they are one gap; each venue has at least that one.
  await capture.until(
    'all faults, gaps of every venue and books after them',
    (seen) =>
      simulators.faultsApplied().length === 6 * VENUES.length &&
      VENUES.every(
        (venue) => count(seen, venue, 'GapClosed') > 0 && count(seen, venue, 'BookObserved') > 400,
      ) &&
      comparisonIn(seen) !== undefined,
  );
  events = await capture.stop();
});
afterAll(async () => {
  await capture.close();
  for (const log of copies) await log.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(VENUES)('%s', (venue) => {
  test('what was captured live is what the normalizers say today', async () => {
    const steps: number[] = [];
    const onProgress = ({ done, total }: { done: number; total: number }) => steps.push(done / total);
    const result = await runAudit({ log: capture.log, venue, onProgress });
    const report = auditReport(result);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect([steps[0]! >= 0, steps.at(-1)! > 0.9, steps.at(-1)! <= 1]).toEqual([true, true, true]);
    expect(report.differences).toEqual([]);
    expect(report.match_rate).toBe(1);
    const recorded = (type: VenueEvent['type']) =>
      events.filter((event) => event.type === type && event.venue === venue).length;
    // Every recorded event was judged, or is named as not judged: answers that were under way when their socket broke.
    const { connection_broke: late = 0, ...others } = result.notJudged;
    expect(others).toEqual({});
    const judged = [result.books, result.samples, result.comparisons, result.rejects];
    const seen = judged.reduce((sum, one) => sum + one.judged, late);
    expect(late).toBeLessThan(seen / 10);
    expect(seen).toBe(
      recorded('BookObserved') +
        recorded('MetricSampled') +
        recorded('BookCompared') +
        recorded('FrameRejected'),
    );
    expect(result.frames).toBe(recorded('FrameCaptured'));
    expect(result.books.judged).toBeGreaterThan(100);
    expect(result.gaps).toBeGreaterThan(0);
    expect(report.drift.recorded.comparisons - report.drift.recomputed.comparisons).toBeLessThanOrEqual(late);
    expect(auditText(report)).toContain('100.0000 %');
  });

  test('a range is judged with the books that were open when it began', async () => {
    const books = events.filter(
      (event): event is BookObserved => event.type === 'BookObserved' && event.venue === venue,
    );
    const sizes = Map.groupBy(books, ({ session }) => session);
    const longest = [...sizes.values()].sort((a, b) => b.length - a.length)[0]!;
    const from = longest[Math.floor(longest.length / 2)]!.observedAt;
    const inside = books.filter(({ observedAt }) => observedAt >= from);
    const result = await runAudit({ log: capture.log, venue, from });
    expect(result.differences).toEqual([]);
    expect(result.books.judged).toBeGreaterThan(inside.length * 0.9);
    // Without the warm-up most connections began too early to be judged, and nothing is claimed of them.
    const cold = await runAudit({ log: capture.log, venue, from, warmupMs: 0 });
    expect(cold.differences).toEqual([]);
    expect(cold.notJudged.session_start_not_read).toBeGreaterThan(0);
  });
});

async function copyOf(name: string, change: (event: VenueEvent) => LadderEvent | null): Promise<EventLog> {
  const log = await openSqliteLog({ path: join(folder, `${name}.sqlite`) });
  copies.push(log);
  const changed = events.flatMap((event) => change(event) ?? []);
  for (let at = 0; at < changed.length; at += 2_000) await log.append(changed.slice(at, at + 2_000));
  return log;
}

const isTarget = (event: VenueEvent, nth: { count: number }, of: number): event is BookObserved =>
  event.type === 'BookObserved' &&
  event.venue === 'venuec' &&
  event.askSizes.length > 1 &&
  nth.count++ === of;

describe('what was changed is found', () => {
  test('a size, by its field, frame and position', async () => {
    const nth = { count: 0 };
    let target: BookObserved | null = null;
    const log = await copyOf('size', (event) => {
      if (!isTarget(event, nth, 40)) return event;
      target = event;
      return { ...event, askSizes: event.askSizes.map((size, at) => (at === 1 ? size + 1 : size)) };
    });
    const result = await runAudit({ log, venue: 'venuec' });
    expect(result.differences).toHaveLength(1);
    const [found] = result.differences;
    expect(found).toMatchObject({
      kind: 'field',
      field: 'askSizes',
      session: target!.session,
      ordinal: target!.ordinal,
      market: target!.market,
    });
    expect(found!.frame).toMatch(/^venuec\.frames\/\d+\/\d+$/);
    expect(found!.event).toMatch(/^venuec\/\d+\/\d+$/);
    expect(result.books.different).toBe(1);
  });

  test('an observation that is gone, and one that no frame gives', async () => {
    const [gone, doubled] = [{ count: 0 }, { count: 0 }];
    const lost = await copyOf('lost', (event) => (isTarget(event, gone, 60) ? null : event));
    expect((await runAudit({ log: lost, venue: 'venuec' })).differences).toMatchObject([
      { kind: 'missing', type: 'BookObserved' },
    ]);
    const more = await copyOf('more', (event) =>
      isTarget(event, doubled, 60) ? { ...event, outcome: 'invented' } : event,
    );
    expect(
      (await runAudit({ log: more, venue: 'venuec' })).differences.map(({ kind }) => kind).sort(),
    ).toEqual(['missing', 'unexpected']);
  });

  test('an answer that came when its connection was gone gave nothing; in the middle of one it is missed', async () => {
    const frames = events.flatMap((event) =>
      event.type === 'FrameCaptured' && event.venue === 'venuec' ? [event] : [],
    );
    const compared = comparisonIn(events)!;
    const taped = frames.filter(({ session }) => session === compared.session);
    const answer = taped.find(({ ordinal }) => ordinal === compared.ordinal)!;
    const end = taped.at(-1)!;
    const late = await copyOf('late', (event) => event);
    await late.append([{ ...answer, ordinal: end.ordinal + 1, observedAt: end.observedAt + 1 }]);
    expect((await runAudit({ log: late, venue: 'venuec' })).differences).toEqual([]);
    const lost = await copyOf('comparison', (event) => (event === compared ? null : event));
    expect((await runAudit({ log: lost, venue: 'venuec' })).differences[0]).toMatchObject({
      kind: 'missing',
      type: 'BookCompared',
      ordinal: compared.ordinal,
    });
  });

  test('frames that are gone leave the rest of their connection unjudged, not matched', async () => {
    const books = events.filter((event) => event.type === 'BookObserved' && event.venue === 'venueb');
    const [longest] = [...Map.groupBy(books, ({ session }) => session).values()].sort(
      (a, b) => b.length - a.length,
    );
    const { session, ordinal } = longest![Math.floor(longest!.length / 2)]!;
    const log = await copyOf('frames', (event) =>
      event.type === 'FrameCaptured' && event.session === session && event.ordinal === ordinal ? null : event,
    );
    const result = await runAudit({ log, venue: 'venueb' });
    expect(result.differences).toEqual([]);
    const after = events.filter(
      (event) => event.type === 'BookObserved' && event.session === session && event.ordinal > ordinal,
    ).length;
    expect(after).toBeGreaterThan(0);
    expect(result.notJudged.frames_missing).toBeGreaterThanOrEqual(after);
  });

  test('a normalizer that changed its mind', async () => {
    const adapter: VenueAdapter = {
      ...venueC,
      capture: {
        ...venueC.capture,
        createNormalizer() {
          const inner = venueC.capture.createNormalizer();
          return {
            normalize: (frame) =>
              inner
                .normalize(frame)
                .map((finding) => (finding.type === 'book' ? { ...finding, nativeBid: 'bid' } : finding)),
            forget: () => inner.forget(),
            learn: (market, fields) => inner.learn(market, fields),
          };
        },
      },
    };
    const result = await runAudit({ log: capture.log, venue: 'venuec', adapter, listed: 5 });
    expect(result.books.matched).toBe(0);
    expect(result.differences).toHaveLength(5);
    expect(result.differences.every(({ field }) => field === 'nativeBid')).toBe(true);
  });
});

test('an import is audited in the order of its lines, also where its clock ran backwards', async () => {
  const file = join(folder, 'backwards.jsonl');
  const log = await openSqliteLog({ path: join(folder, 'import.sqlite') });
  copies.push(log);
  const token = { market: `0x${'a'.repeat(64)}`, asset_id: '71' };
  const at = (ms: number) => new Date(1_794_700_800_000 + ms).toISOString();
  const line = (ms: number, frame: object) =>
    JSON.stringify({ venue: 'venuec', channel: 'ws', received_at: at(ms), frame: JSON.stringify(frame) });
  const change = (size: string) => ({
    event_type: 'price_change',
    market: token.market,
    timestamp: '1794700800000',
    price_changes: [{ asset_id: '71', price: '0.5', size, side: 'BUY' }],
  });
  writeFileSync(
    file,
    [
      line(0, { event_type: 'book', ...token, timestamp: '1794700800000', bids: [], asks: [] }),
      line(100, change('1')),
      line(50, change('2')), // earlier than the line before
      line(200, change('3')),
      'not json',
    ].join('\n'),
  );
  await importFile({ log, file });
  const result = await runAudit({ log, venue: 'venuec' });
  expect(result.differences).toEqual([]);
  expect(result.books).toEqual({ judged: 4, matched: 4, different: 0 });
  expect(result.notJudged).toEqual({ import_line: 1 });
  expect((await readAll(log, ['venuec'])).length).toBeGreaterThan(0);
});
