// `ladderlog import`: another recorder's frames, through the same normalizers as live capture, with provenance `imported`.
// A file is known by its SHA-256: every event it gives has a deterministic identity, so a second run of the same file adds
// nothing, and a run that was killed goes on where the log ends.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

import type { LadderEvent, Session, Venue, CapturedVenue, VenueEvent } from '@ladderlog/core';
import { Capture, LadderlogError, VENUES, adapterOf, framesTopic } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';

import { MAX_FRAME_BYTES, appendEncodable } from '../recorder/encodable.ts';
import { parseImportLine } from './import-line.ts';
import type { ImportLine } from './import-line.ts';
import { readLines } from './lines.ts';

/** Lines of one append: everything before the newest batch is known to be whole in the log. */
const BATCH_LINES = 2_000;
const BATCH_EVENTS = 8_000;
/** A rejected line is kept up to here; whoever needs more has the file. */
const KEPT_LINE_BYTES = 1 << 20;

export type ImportProgress = {
  readonly file: string;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly lines: number;
  readonly events: number;
};

export type ImportReport = {
  readonly file: string;
  readonly sha256: string;
  readonly lines: number;
  readonly frames: number;
  /** Events appended by this run. */
  readonly appended: number;
  /** Events that were in the log already. */
  readonly present: number;
  readonly observations: number;
  readonly rejects: number;
  readonly badLines: readonly { readonly line: number; readonly reason: string }[];
  readonly badLineCount: number;
};

export type ImportOptions = {
  readonly log: EventLog;
  /** Default: as registered. */
  readonly adapter?: (venue: Venue) => CapturedVenue;
  readonly file: string;
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly signal?: AbortSignal;
};

export async function importFile(options: ImportOptions): Promise<ImportReport> {
  const { log, file, adapter = adapterOf } = options;
  const survey = await surveyFile(file);
  const prefix = `import-${survey.sha256.slice(0, 16)}-`;
  const present = await findPresent(log, prefix, survey);

  const captures = new Map<Venue, Capture>();
  const sessions = new Map<string, { session: Session; lastAt: number }>();
  const report = {
    lines: 0,
    frames: 0,
    appended: 0,
    present: 0,
    observations: 0,
    rejects: 0,
    badLineCount: 0,
  };
  const badLines: { line: number; reason: string }[] = [];
  let batch: LadderEvent[] = [];
  let batchLines = 0;
  const totalBytes = (await stat(file)).size;
  let fallbackVenue: Venue = survey.firstVenue ?? VENUES[0]!;

  const flush = async (): Promise<void> => {
    const isPresent = (event: LadderEvent): boolean => present.has(event as VenueEvent);
    const fresh = batch.filter((event) => !isPresent(event));
    const appended = fresh.length > 0 ? await appendEncodable(log, fresh, isPresent) : fresh;
    report.appended += appended.length;
    report.present += batch.length - appended.length;
    batch = [];
    batchLines = 0;
    // Ctrl-C and the progress bar get their turn.
    await new Promise((resolve) => setImmediate(resolve));
  };

  const feed = (line: ImportLine): void => {
    let capture = captures.get(line.venue);
    if (!capture)
      captures.set(
        line.venue,
        (capture = new Capture({
          adapter: adapter(line.venue),
          collector: 'import',
          provenance: 'imported',
        })),
      );
    const id = `${prefix}${line.venue}${line.session === '' ? '' : `-${line.session}`}`;
    let open = sessions.get(id);
    if (!open) sessions.set(id, (open = { session: capture.openSession(id), lastAt: 0 }));
    open.lastAt = Math.max(open.lastAt, line.receivedAt);
    for (const [text, direction] of [
      ...line.outbound.map((text) => [text, 'out'] as const),
      ...(line.frame === null ? [] : [[line.frame, 'in'] as const]),
    ]) {
      const { channel, receivedAt: observedAt, settings } = line;
      const body = text === line.frame && line.bytes ? line.bytes : Buffer.from(text, 'utf8');
      const { events } = open.session.frame({ channel, direction, text, observedAt, settings }, body);
      report.frames++;
      for (const event of events) {
        if (event.type === 'BookObserved') report.observations++;
        else if (event.type === 'FrameRejected') report.rejects++;
        batch.push(event);
      }
    }
  };

  const rejectLine = (number: number, bytes: Buffer | null, venue: Venue | null, reason: string): void => {
    report.badLineCount++;
    report.rejects++;
    if (badLines.length < 100) badLines.push({ line: number, reason });
    batch.push({
      type: 'FrameRejected',
      venue: venue ?? fallbackVenue,
      market: '',
      observedAt: survey.firstAt,
      sourceTs: null,
      session: `${prefix}lines`,
      ordinal: number,
      provenance: 'imported',
      channel: 'import',
      body: (bytes ?? Buffer.alloc(0)).subarray(0, KEPT_LINE_BYTES),
      reason: 'bad_import_line',
      detail: `line ${number}: ${reason}`,
    });
  };

  for await (const { number, bytes, consumed } of readLines(file)) {
    options.signal?.throwIfAborted();
    report.lines = number;
    if (bytes?.length === 0) continue;
    if (bytes === null) rejectLine(number, null, null, `longer than ${MAX_FRAME_BYTES} bytes`);
    else {
      const parsed = parseImportLine(bytes.toString('utf8'));
      if (parsed.ok) {
        fallbackVenue = parsed.line.venue;
        feed(parsed.line);
        const id = `${prefix}${parsed.line.venue}${parsed.line.session === '' ? '' : `-${parsed.line.session}`}`;
        if (survey.lastLineOf.get(sessionKey(parsed.line)) === number) {
          const open = sessions.get(id)!;
          batch.push(...open.session.stop(open.lastAt, 'end_of_recording'));
          sessions.delete(id);
          captures.get(parsed.line.venue)!.closeSession(open.session);
        }
      } else rejectLine(number, bytes, parsed.venue, parsed.reason);
    }
    if (++batchLines >= BATCH_LINES || batch.length >= BATCH_EVENTS) {
      await flush();
      options.onProgress?.({
        file,
        bytes: consumed,
        totalBytes,
        lines: number,
        events: report.appended + report.present,
      });
    }
  }
  await flush();
  options.onProgress?.({
    file,
    bytes: totalBytes,
    totalBytes,
    lines: report.lines,
    events: report.appended + report.present,
  });
  return { file, sha256: survey.sha256, ...report, badLines };
}

const sessionKey = (line: ImportLine): string => `${line.venue}\u0000${line.session}`;

type Survey = {
  readonly sha256: string;
  readonly lastLineOf: ReadonlyMap<string, number>;
  readonly firstVenue: Venue | null;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly venues: ReadonlySet<Venue>;
};

/** First pass: the file's identity, its time range, and where each recorded connection ends. */
async function surveyFile(file: string): Promise<Survey> {
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
  // A file without one good line still has its rejects; they need some time, and the epoch of 2000 says "unknown".
  if (firstAt === Number.POSITIVE_INFINITY) firstAt = lastAt = 946_684_800_000_000;
  return { sha256: hash.digest('hex'), lastLineOf, firstVenue, firstAt, lastAt, venues };
}

/** What of this file the log already has: whole up to a frame of each session, event by event after it. */
class Present {
  private readonly wholeTo = new Map<string, number>();
  private readonly events = new Set<string>();

  /** `newest` is the newest frame of the session in the log; the batch it was in may be there only in part (on Kafka). */
  frame(session: string, newest: number): void {
    this.wholeTo.set(session, Math.max(newest - BATCH_LINES * 2, this.wholeTo.get(session) ?? -1));
  }

  isTail(event: VenueEvent): boolean {
    return event.ordinal > (this.wholeTo.get(event.session) ?? -1);
  }

  add(event: VenueEvent): void {
    this.events.add(identity(event));
  }

  has(event: VenueEvent): boolean {
    return !this.isTail(event) || this.events.has(identity(event));
  }
}

const identity = (event: VenueEvent): string =>
  [
    event.type,
    event.session,
    event.ordinal,
    event.market,
    'outcome' in event ? event.outcome : '',
    'entry' in event ? event.entry : '',
    'metric' in event ? event.metric : '',
    'gapId' in event ? event.gapId : '',
    'reason' in event ? event.reason : '',
    'dataset' in event ? event.dataset : '',
    'method' in event ? event.method : '',
  ].join('\u0000');

async function findPresent(log: EventLog, prefix: string, survey: Survey): Promise<Present> {
  const present = new Present();
  const times = { from: survey.firstAt, to: survey.lastAt + 1 };
  const topics = new Map((await log.topics()).map((info) => [info.topic, info]));
  const eachEvent = async (topic: string, visit: (event: VenueEvent) => void): Promise<void> => {
    const info = topics.get(topic);
    if (!info) return;
    const from = info.partitions
      .filter(({ begin, end }) => end > begin)
      .map(({ partition, begin }) => ({ topic, partition, offset: begin }));
    if (from.length === 0) return;
    for await (const { records } of log.read({ from, times })) {
      for (const record of records) {
        if (record.time < times.from || record.time >= times.to) continue;
        const { decoded } = record;
        if (decoded.ok && 'session' in decoded.event && decoded.event.session.startsWith(prefix))
          visit(decoded.event);
      }
    }
  };
  for (const venue of survey.venues.size > 0 ? survey.venues : VENUES) {
    await eachEvent(framesTopic(venue), (event) => {
      present.frame(event.session, event.ordinal);
    });
    await eachEvent(framesTopic(venue), (event) => {
      if (present.isTail(event)) present.add(event);
    });
    await eachEvent(venue, (event) => {
      if (present.isTail(event)) present.add(event);
    });
  }
  return present;
}
