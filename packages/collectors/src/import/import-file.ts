// `ladderlog import`: another recorder's frames, through the same normalizers as live capture, with provenance `imported`.
// A file is known by its SHA-256: every event it gives has a deterministic identity, so a second run of the same file adds
// nothing, and a run that was killed goes on where the log ends.

import { stat } from 'node:fs/promises';

import type { CapturedVenue, LadderEvent, Session, Venue, VenueEvent } from '@ladderlog/core';
import { Capture, VENUES, adapterOf } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';

import { MAX_FRAME_BYTES, appendEncodable } from '../recorder/encodable.ts';
import { parseImportLine } from './import-line.ts';
import type { ImportLine } from './import-line.ts';
import { readLines } from './lines.ts';
import type { Present } from './present.ts';
import { BATCH_LINES, findPresent } from './present.ts';
import type { Survey } from './survey.ts';
import { sessionKey, surveyFile } from './survey.ts';

const BATCH_EVENTS = 8_000;
/** A rejected line is kept up to here; whoever needs more has the file. */
const KEPT_LINE_BYTES = 1 << 20;
const BAD_LINES_NAMED = 100;

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
  const { log, file, signal, onProgress } = options;
  const survey = await surveyFile(file);
  const totalBytes = (await stat(file)).size;
  const run = new ImportRun(options, survey, await findPresent(log, prefixOf(survey), survey));
  let inBatch = 0;
  for await (const { number, bytes, consumed } of readLines(file)) {
    signal?.throwIfAborted();
    run.take(number, bytes);
    if (bytes?.length === 0 || (++inBatch < BATCH_LINES && run.waiting < BATCH_EVENTS)) continue;
    await run.flush();
    inBatch = 0;
    onProgress?.({ file, bytes: consumed, totalBytes, ...run.progress() });
  }
  await run.flush();
  onProgress?.({ file, bytes: totalBytes, totalBytes, ...run.progress() });
  return run.report();
}

/** Names of sessions, and so of events, that this file gives. */
const prefixOf = ({ sha256 }: Survey): string => `import-${sha256.slice(0, 16)}-`;

class ImportRun {
  private readonly options: ImportOptions;
  private readonly survey: Survey;
  private readonly present: Present;
  private readonly captures = new Map<Venue, Capture>();
  private readonly sessions = new Map<string, { readonly session: Session; lastAt: number }>();
  private readonly badLines: { line: number; reason: string }[] = [];
  private readonly counts = {
    lines: 0,
    frames: 0,
    appended: 0,
    present: 0,
    observations: 0,
    rejects: 0,
    badLineCount: 0,
  };
  private batch: LadderEvent[] = [];
  /** Of a line that names none: that of the line before it. */
  private venue: Venue;

  constructor(options: ImportOptions, survey: Survey, present: Present) {
    this.options = options;
    this.survey = survey;
    this.present = present;
    this.venue = survey.firstVenue ?? VENUES[0]!;
  }

  get waiting(): number {
    return this.batch.length;
  }

  progress(): Pick<ImportProgress, 'lines' | 'events'> {
    const { lines, appended, present } = this.counts;
    return { lines, events: appended + present };
  }

  report(): ImportReport {
    const { sha256 } = this.survey;
    return { file: this.options.file, sha256, ...this.counts, badLines: this.badLines };
  }

  /** One line; null bytes: it was too long. */
  take(number: number, bytes: Buffer | null): void {
    this.counts.lines = number;
    if (bytes === null) this.reject(number, null, this.venue, `longer than ${MAX_FRAME_BYTES} bytes`);
    else if (bytes.length > 0) {
      const parsed = parseImportLine(bytes.toString('utf8'));
      if (parsed.ok) this.feed(number, parsed.line);
      else this.reject(number, bytes, parsed.venue ?? this.venue, parsed.reason);
    }
  }

  async flush(): Promise<void> {
    const { batch, counts } = this;
    const isPresent = (event: LadderEvent): boolean => this.present.has(event as VenueEvent);
    const fresh = batch.filter((event) => !isPresent(event));
    const appended = fresh.length > 0 ? await appendEncodable(this.options.log, fresh, isPresent) : fresh;
    counts.appended += appended.length;
    counts.present += batch.length - appended.length;
    this.batch = [];
    // Ctrl-C and the progress bar get their turn.
    await new Promise((resolve) => setImmediate(resolve));
  }

  private capture(venue: Venue): Capture {
    let capture = this.captures.get(venue);
    if (!capture) {
      const adapter = (this.options.adapter ?? adapterOf)(venue);
      capture = new Capture({ adapter, collector: 'import', provenance: 'imported' });
      this.captures.set(venue, capture);
    }
    return capture;
  }

  private feed(number: number, line: ImportLine): void {
    const { venue, channel, receivedAt: observedAt, settings } = line;
    this.venue = venue;
    const capture = this.capture(venue);
    const id = `${prefixOf(this.survey)}${venue}${line.session === '' ? '' : `-${line.session}`}`;
    let open = this.sessions.get(id);
    if (!open) this.sessions.set(id, (open = { session: capture.openSession(id), lastAt: 0 }));
    open.lastAt = Math.max(open.lastAt, observedAt);
    for (const text of line.outbound)
      this.keep(
        open.session.frame({ channel, direction: 'out', text, observedAt, settings }, Buffer.from(text)),
      );
    const { frame: text } = line;
    if (text !== null)
      this.keep(
        open.session.frame(
          { channel, direction: 'in', text, observedAt, settings },
          line.bytes ?? Buffer.from(text),
        ),
      );
    if (this.survey.lastLineOf.get(sessionKey(line)) !== number) return;
    this.batch.push(...open.session.stop(open.lastAt, 'end_of_recording'));
    this.sessions.delete(id);
    capture.closeSession(open.session);
  }

  private keep({ events }: { readonly events: readonly VenueEvent[] }): void {
    this.counts.frames++;
    for (const event of events) {
      if (event.type === 'BookObserved') this.counts.observations++;
      else if (event.type === 'FrameRejected') this.counts.rejects++;
      this.batch.push(event);
    }
  }

  private reject(number: number, bytes: Buffer | null, venue: Venue, reason: string): void {
    this.counts.badLineCount++;
    this.counts.rejects++;
    if (this.badLines.length < BAD_LINES_NAMED) this.badLines.push({ line: number, reason });
    this.batch.push({
      type: 'FrameRejected',
      venue,
      market: '',
      observedAt: this.survey.firstAt,
      sourceTs: null,
      session: `${prefixOf(this.survey)}lines`,
      ordinal: number,
      provenance: 'imported',
      channel: 'import',
      body: (bytes ?? Buffer.alloc(0)).subarray(0, KEPT_LINE_BYTES),
      reason: 'bad_import_line',
      detail: `line ${number}: ${reason}`,
    });
  }
}
