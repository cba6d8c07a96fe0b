// A replay as lines: messages of the feed, or frames in the format that `ladderlog import` reads.

import type { EventType, FrameCaptured, Position } from '@ladderlog/core';
import { formatPosition, toIso } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Pace } from '../source/pace.ts';
import type { ReplayRequest } from './steps.ts';
import { messageText, replayMessages } from './steps.ts';
import { replayBatches } from '../source/source.ts';

export type LinesRequest = ReplayRequest & { readonly format: 'books' | 'frames' };

const FRAMES: ReadonlySet<EventType> = new Set(['FrameCaptured']);

/** Chunks of whole lines. The same log and request give the same bytes. */
export async function* replayLines(
  log: EventLog,
  request: LinesRequest,
  pace: Pace,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const source = request.format === 'books' ? bookLines(log, request) : frameLines(log, request);
  for await (const lines of source) {
    let chunk = '';
    for (const { time, text } of lines) {
      const due = pace.due(time, signal);
      if (due) {
        if (chunk !== '') yield chunk;
        chunk = '';
        await due;
      }
      if (signal.aborted) return;
      chunk += `${text}\n`;
    }
    if (chunk !== '') yield chunk;
  }
}

type Line = { readonly time: number; readonly text: string };

async function* bookLines(log: EventLog, request: ReplayRequest): AsyncGenerator<Line[]> {
  for await (const messages of replayMessages(log, request))
    yield messages.map((message) => ({ time: message.time, text: messageText(message) }));
}

async function* frameLines(log: EventLog, request: LinesRequest): AsyncGenerator<Line[]> {
  for await (const items of replayBatches(log, { ...request, types: FRAMES }))
    yield items.map(({ event, position, time }) => ({
      time,
      text: frameLine(event as FrameCaptured, position),
    }));
}

const strict = new TextDecoder('utf-8', { fatal: true });

function frameLine(event: FrameCaptured, position: Position): string {
  return JSON.stringify({
    venue: event.venue,
    channel: event.channel,
    received_at: toIso(event.observedAt),
    session: event.session,
    ...(event.direction === 'out' ? { outbound: true } : {}),
    ...bodyOf(event.body),
    seq: formatPosition(position),
    ordinal: event.ordinal,
    ...(event.market === '' ? {} : { market_id: event.market }),
    ...(event.requestedAt === null ? {} : { requested_at: toIso(event.requestedAt) }),
    ...(Object.keys(event.settings).length > 0 ? { settings: event.settings } : {}),
  });
}

/** Text where the bytes are text; otherwise the bytes. */
function bodyOf(body: Uint8Array): { frame: string } | { frame_base64: string } {
  try {
    return { frame: strict.decode(body) };
  } catch {
    return { frame_base64: Buffer.from(body).toString('base64') };
  }
}
