// Imports on a real SQLite log: the same file twice adds nothing, a killed run goes on to the same events, bad lines are kept.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import type { VenueEvent } from '@ladderlog/core';
import { coverageOf } from '@ladderlog/core';
import { openSqliteLog } from '@ladderlog/log';
import { afterAll, describe, expect, test } from 'vitest';

import { readAll } from '../../../test/harness/capture.ts';
import type { ImportReport } from '../src/index.ts';
import { importFile } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'ladderlog-import-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const START = Date.parse('2026-05-15T09:00:00Z');

const line = (at: number, frame: unknown, extra: object = {}): string =>
  JSON.stringify({
    venue: 'venueb',
    channel: 'ws',
    received_at: START + at,
    frame: typeof frame === 'string' ? frame : JSON.stringify(frame),
    ...extra,
  });
const snapshot = (market: string, seq: number, sid = 1) => ({
  type: 'orderbook_snapshot',
  sid,
  seq,
  msg: {
    market_ticker: market,
    market_id: 'x',
    yes_dollars_fp: [['0.4000', '10.00']],
    no_dollars_fp: [['0.5500', '20.00']],
  },
});
const delta = (market: string, seq: number, size: string, sid = 1) => ({
  type: 'orderbook_delta',
  sid,
  seq,
  msg: {
    market_ticker: market,
    market_id: 'x',
    price_dollars: '0.4100',
    delta_fp: size,
    side: 'yes',
    ts_ms: START + seq,
  },
});

let files = 0;
async function importLines(
  lines: readonly string[],
  data = join(folder, `log-${files}.sqlite`),
  gzip = false,
): Promise<{ report: ImportReport; events: VenueEvent[]; file: string; data: string }> {
  const file = join(folder, `recording-${files++}.jsonl${gzip ? '.gz' : ''}`);
  writeFileSync(file, gzip ? gzipSync(`${lines.join('\n')}\n`) : `${lines.join('\n')}\n`);
  return { ...(await importAgain(file, data)), file, data };
}

async function importAgain(
  file: string,
  data: string,
): Promise<{ report: ImportReport; events: VenueEvent[] }> {
  const log = await openSqliteLog({ path: data });
  try {
    const report = await importFile({ log, file });
    return { report, events: await readAll(log) };
  } finally {
    await log.close();
  }
}

const types = (events: readonly VenueEvent[]): string[] => events.map(({ type }) => type).sort();
const of = <T extends VenueEvent['type']>(events: readonly VenueEvent[], type: T) =>
  events.filter((event): event is Extract<VenueEvent, { type: T }> => event.type === type);

describe('an import', () => {
  test('keeps the exact frames, their own receive times, and says that it is one', async () => {
    const text =
      '{ "type":"orderbook_snapshot", "sid":1,"seq":1,"msg":{"market_ticker":"KX-1","market_id":"x","yes_dollars_fp":[["0.4000","10.00"]]}}';
    const { events } = await importLines([line(0.123, text)]);
    const [frame] = of(events, 'FrameCaptured');
    expect(Buffer.from(frame!.body).toString()).toBe(text);
    const [book] = of(events, 'BookObserved');
    expect(book).toMatchObject({
      provenance: 'imported',
      observedAt: START * 1_000 + 123,
      sourceTs: null,
      market: 'KX-1',
      state: 'bid_only',
    });
  });

  test('takes what decides the meaning of frames, and bytes that are no text, as a replay of frames writes them', async () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
    const { frame: _text, ...noText } = JSON.parse(line(1, '')) as Record<string, unknown>;
    const { events, report } = await importLines([
      line(0, snapshot('KX-1', 1), { settings: { use_yes_price: 'true' } }),
      JSON.stringify({ ...noText, frame_base64: bytes.toString('base64') }),
      JSON.stringify({ ...noText, frame_base64: 'no base64' }),
      line(2, 'x', { settings: { use_yes_price: true } }),
    ]);
    const [yes, binary] = of(events, 'FrameCaptured');
    expect(yes!.settings).toEqual({ use_yes_price: 'true' });
    // The asks are prices of YES already: 0.55, not 1 − 0.55.
    expect(of(events, 'BookObserved')[0]!.askPrices).toEqual([550_000]);
    expect(Buffer.from(binary!.body)).toEqual(bytes);
    expect(report.badLines.map(({ line }) => line)).toEqual([3, 4]);
  });

  test('covers only from the first to the last frame of each recorded connection', async () => {
    const { events } = await importLines([
      line(0, snapshot('KX-1', 1), { session: 'a' }),
      line(1_000, delta('KX-1', 2, '5.00'), { session: 'a' }),
      line(9_000, snapshot('KX-1', 1), { session: 'b' }),
      line(9_500, delta('KX-1', 2, '5.00'), { session: 'b' }),
    ]);
    const spans = (type: 'CaptureStarted' | 'CaptureStopped') =>
      of(events, type).map(({ observedAt }) => observedAt / 1_000 - START);
    expect(spans('CaptureStarted')).toEqual([0, 9_000]);
    expect(spans('CaptureStopped')).toEqual([1_000, 9_500]);
    expect(of(events, 'GapOpened')).toEqual([]);
  });

  test('covers a market without a hole while two recorded connections overlap', async () => {
    const { events } = await importLines([
      line(0, snapshot('KX-1', 1), { session: 'a' }),
      line(1_000, snapshot('KX-1', 1), { session: 'b' }),
      line(2_000, delta('KX-1', 2, '5.00'), { session: 'a' }),
      line(3_000, delta('KX-1', 2, '5.00'), { session: 'b' }),
      line(4_000, delta('KX-1', 3, '5.00'), { session: 'b' }),
    ]);
    const kinds = { CaptureStarted: 'started', CaptureBeat: 'beat', CaptureStopped: 'stopped' } as const;
    const rows = events.flatMap((event) =>
      event.type in kinds
        ? [
            {
              outcome: 'yes',
              session: event.session,
              kind: kinds[event.type as keyof typeof kinds],
              since: event.observedAt,
              at: event.observedAt,
            },
          ]
        : [],
    );
    const range = { from: START * 1_000, to: (START + 5_000) * 1_000 };
    expect(coverageOf(rows, [], range, 'yes').intervals).toEqual([
      { from: range.from, to: range.from + 4_000_000 },
    ]);
    expect(of(events, 'CaptureStopped')).toMatchObject([{ observedAt: range.from + 4_000_000 }]);
    expect(of(events, 'BookObserved')).toHaveLength(5);
  });

  test('leaves a gap of the socket open when another recorded session asked for the book', async () => {
    const rest = {
      channel: 'rest:/markets/KX-1/orderbook',
      frame: JSON.stringify({ orderbook_fp: { yes_dollars: [['0.4000', '10.00']], no_dollars: [] } }),
    };
    const { events } = await importLines([
      line(0, snapshot('KX-1', 1), { session: 'a' }),
      line(1_000, delta('KX-1', 5, '5.00'), { session: 'a' }),
      line(2_000, '', rest),
      line(3_000, delta('KX-1', 6, '5.00'), { session: 'a' }),
      line(9_000, delta('KX-1', 7, '5.00'), { session: 'a' }),
    ]);
    expect(of(events, 'BookObserved')).toHaveLength(1);
    expect(of(events, 'GapClosed')).toMatchObject([{ to: (START + 9_000) * 1_000, firstAfter: null }]);
    expect(of(events, 'CaptureStopped')).toMatchObject([{ observedAt: (START + 9_000) * 1_000 }]);
  });

  test('writes the gap where the recording lost messages, and no book inside it', async () => {
    const { events } = await importLines([
      line(0, snapshot('KX-1', 1)),
      line(10, delta('KX-1', 2, '5.00')),
      line(20, delta('KX-1', 5, '5.00')),
      line(30, delta('KX-1', 6, '5.00')),
      line(40, snapshot('KX-1', 7)),
    ]);
    expect(of(events, 'GapOpened')).toMatchObject([{ cause: 'sequence_break', from: (START + 10) * 1_000 }]);
    expect(of(events, 'GapClosed')).toMatchObject([{ to: (START + 40) * 1_000 }]);
    expect(of(events, 'BookObserved').map(({ observedAt }) => observedAt / 1_000 - START)).toEqual([
      0, 10, 40,
    ]);
  });

  test('reads NO prices as the recorded subscription asked for them', async () => {
    const subscribe = (yes: boolean) =>
      JSON.stringify({
        id: 1,
        cmd: 'subscribe',
        params: { channels: ['orderbook_delta'], market_tickers: ['KX-1'], use_yes_price: yes },
      });
    const subscribed = { type: 'subscribed', id: 1, msg: { channel: 'orderbook_delta', sid: 1 } };
    const asks = async (yes: boolean) => {
      const { events } = await importLines([
        line(0, subscribe(yes), { outbound: true }),
        line(1, subscribed),
        line(2, snapshot('KX-1', 1)),
      ]);
      return of(events, 'BookObserved')[0]!.askPrices;
    };
    expect(await asks(false)).toEqual([450_000]);
    expect(await asks(true)).toEqual([550_000]);
  });

  test('reports a bad line with its number and keeps it as a reject', async () => {
    const { report, events } = await importLines([
      line(0, snapshot('KX-1', 1)),
      'not json',
      line(5, delta('KX-1', 2, '5.00')),
      line(6, '{}', { venue: 'nobody' }),
    ]);
    expect(report.badLines).toMatchObject([{ line: 2 }, { line: 4 }]);
    expect(
      of(events, 'FrameRejected').map(({ detail, body }) => [
        detail.slice(0, 7),
        Buffer.from(body).toString().slice(0, 8),
      ]),
    ).toEqual([
      ['line 2:', 'not json'],
      ['line 4:', '{"venue"'],
    ]);
    expect(of(events, 'BookObserved')).toHaveLength(2);
    expect(of(events, 'GapOpened')).toEqual([]);
  });

  test('of the same file twice adds nothing, plain or gzip', async () => {
    const lines = [
      line(0, snapshot('KX-1', 1)),
      ...Array.from({ length: 500 }, (_, at) => line(at + 1, delta('KX-1', at + 2, '1.00'))),
    ];
    for (const gzip of [false, true]) {
      const first = await importLines(lines, undefined, gzip);
      expect(first.report.observations).toBe(501);
      const again = await importAgain(first.file, first.data);
      expect(again.report.appended).toBe(0);
      expect(again.events).toEqual(first.events);
    }
  });

  test('killed again and again on its way and begun anew gives the events of one that was not', async () => {
    const lines = [line(0, snapshot('KX-1', 1)), line(0, snapshot('KX-2', 1, 2))];
    for (let at = 0; at < 20_000; at++)
      lines.push(
        line(at + 1, at % 2 ? delta('KX-1', (at + 1) / 2 + 1, '1.00') : delta('KX-2', at / 2 + 2, '1.00', 2)),
      );
    const whole = await importLines(lines);
    expect(whole.report.rejects).toBe(0);
    const log = join(folder, 'killed.sqlite');
    for (const moment of ['before', 'during', 'after']) {
      const child = spawn(
        process.execPath,
        [join(import.meta.dirname, 'import-killed.ts'), whole.file, log, moment],
        { stdio: 'inherit' },
      );
      const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
      expect(signal).toBe('SIGKILL');
    }
    const { report, events } = await importAgain(whole.file, log);
    expect(report.present).toBeGreaterThan(0);
    expect(report.appended).toBeGreaterThan(0);
    expect(types(events)).toEqual(types(whole.events));
    const identity = (event: VenueEvent): string =>
      JSON.stringify(event, (_key, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
      );
    expect(new Set(events.map(identity))).toEqual(new Set(whole.events.map(identity)));
  });

  test('of a missing file says which', async () => {
    const log = await openSqliteLog({ path: join(folder, 'missing.sqlite') });
    await expect(importFile({ log, file: join(folder, 'nothing.jsonl') })).rejects.toMatchObject({
      code: 'BAD_ARGUMENT',
    });
    await log.close();
  });
});
