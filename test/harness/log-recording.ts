// Books of a real venue B recording, for benches: 88,000 changes of two BTC 15-minute markets, each a full ladder. The file is
// not in this repository (it has no licence); where it is missing, ladders of the same size are made up.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { BookObserved } from '@ladderlog/core';
import { Capture, adapterOf } from '@ladderlog/core';
import { bookAt } from './log-events.ts';
import { RECORDINGS } from './recordings.ts';

const venueB = adapterOf('venueb');

const FILE = join(RECORDINGS, 'venue-b', 'ws_btc15m_run_20260515T0916.jsonl.gz');

type Line = {
  readonly event_type: string;
  readonly local_recv_ns: number;
  readonly sequence_number: number | null;
  readonly payload_json: unknown;
};

export type Recording = { readonly source: string; readonly books: BookObserved[] };

export function recordedBooks(limit: number): Recording {
  if (!existsSync(FILE))
    return {
      source: 'made-up ladders of 99+99 levels (the recording is not here)',
      books: Array.from({ length: limit }, (_, n) => bookAt(n, { markets: 2, levels: 99 })),
    };
  const capture = new Capture({ adapter: venueB, collector: 'bench', provenance: 'imported' });
  const session = capture.openSession('bench');
  const books: BookObserved[] = [];
  for (const text of gunzipSync(readFileSync(FILE)).toString('utf8').split('\n')) {
    if (text === '' || books.length >= limit) continue;
    const line = JSON.parse(text) as Line;
    const frame = frameOf(line);
    if (frame === null) continue;
    const { events } = session.frame(
      {
        channel: 'ws',
        direction: 'in',
        text: frame,
        observedAt: Math.floor(line.local_recv_ns / 1_000),
        settings: {},
      },
      Buffer.from(frame),
    );
    for (const event of events) if (event.type === 'BookObserved') books.push(event);
  }
  return { source: 'the venue B recording ws_btc15m', books };
}

/** The recorder kept the message without its envelope. */
function frameOf({ event_type: type, sequence_number: seq, payload_json: msg }: Line): string | null {
  if (type === 'ws_subscribed') return JSON.stringify(msg);
  if (type === 'orderbook_snapshot' || type === 'orderbook_delta')
    return JSON.stringify({ type, sid: 2, seq, msg });
  return null;
}
