// After a kill, what was watched is found in the log, whatever was imported into it since.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Capture, adapterOf } from '@ladderlog/core';
import { openSqliteLog } from '@ladderlog/log';
import { expect, test } from 'vitest';

import { importFile } from '../src/index.ts';
import { recoverEvidence } from '../src/recorder/recover.ts';

const venueB = adapterOf('venueb');

const KILLED = 1_794_700_800_000_000;
const MINUTE = 60_000_000;
const LOOKBACK = 4 * MINUTE;
const MARKETS = ['KXA', 'KXB', 'KXC', 'KXD', 'KXE', 'KXF'];

const snapshot = (market: string, seq: number): string =>
  JSON.stringify({
    type: 'orderbook_snapshot',
    sid: 1,
    seq,
    msg: { market_ticker: market, yes_dollars_fp: [['0.5300', '1.00']] },
  });

test.each([
  ['by a recorder whose clock was ahead', 10 * MINUTE, 20 * MINUTE],
  ['of what another recorder saw after the kill', 10 * MINUTE, 60 * MINUTE],
  ['of old frames', -600 * MINUTE, MINUTE],
])('recovery is not misled by an import %s', async (_what, importedAt, restartedAt) => {
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-recover-'));
  const log = await openSqliteLog({ path: join(folder, 'log.sqlite') });
  const capture = new Capture({ adapter: venueB, collector: 'test', provenance: 'captured' });
  const session = capture.openSession('live');
  for (const [at, market] of MARKETS.entries()) {
    const text = snapshot(market, at + 1);
    await log.append(
      session.frame(
        { channel: 'ws', direction: 'in', text, observedAt: KILLED, settings: {} },
        Buffer.from(text),
      ).events,
    );
  }
  session.noteActivity(KILLED + MINUTE);
  await log.append(session.beat());
  const file = join(folder, 'other.jsonl');
  // More of them than one look back from the end takes in.
  const lines = Array.from({ length: 3_000 }, (_, at) =>
    JSON.stringify({
      venue: 'venueb',
      channel: 'ws',
      received_at: (KILLED + importedAt) / 1_000 + at,
      frame: snapshot(`OTHER${at}`, at + 1),
    }),
  );
  writeFileSync(file, lines.join('\n'));
  await importFile({ log, file });
  const evidence = await recoverEvidence(log, 'venueb', LOOKBACK, KILLED + restartedAt);
  expect(evidence.map(({ market }) => market).sort()).toEqual(MARKETS);
  expect(new Set(evidence.map(({ lastEvidence }) => lastEvidence))).toEqual(new Set([KILLED + MINUTE]));
  await log.close();
  rmSync(folder, { recursive: true, force: true });
});
