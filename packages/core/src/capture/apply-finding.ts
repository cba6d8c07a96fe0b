// What a frame was found to say, as events: the row checks, and what each finding means for coverage. One rule for all venues.

import { bookState, checkBook } from './checks.ts';
import type { CheckFlag, Envelope, VenueEvent } from '../events/events.ts';
import type { LateReading } from './late.ts';
import type { OpenSession, SharedCapture } from './shared.ts';
import type { Micros } from '../kernel/time.ts';
import type { Track } from './tracks.ts';
import type {
  BookFinding,
  BreakFinding,
  Finding,
  Frame,
  MarketFinding,
  RejectFinding,
  SampleFinding,
} from './finding.ts';

/** One frame while its findings are applied, in order. */
export type FindingContext = {
  readonly capture: SharedCapture;
  readonly session: string;
  readonly frame: Frame;
  readonly body: Uint8Array;
  readonly envelope: Envelope;
  /** Newest activity of the connection before this frame; 0: none. */
  readonly activeBefore: Micros;
  /** Set while the connection reads what piled up when the recorder was held up. */
  readonly late: LateReading | null;
  /** An answer to a question that was asked before the connection had caught up: too old to end a gap. */
  readonly askedLate: boolean;
  nextBook: number;
  nextSample: number;
  readonly events: VenueEvent[];
};

export function applyFinding(context: FindingContext, finding: Finding): void {
  const { capture, envelope, events } = context;
  switch (finding.type) {
    case 'book':
      applyBook(context, finding);
      return;
    case 'market':
      applyMarket(context, finding);
      return;
    case 'sample':
      applySample(context, finding);
      return;
    case 'break':
      applyBreak(context, finding);
      return;
    case 'compare': {
      if (context.late) return;
      const { type: _type, ...compared } = finding;
      events.push({ ...envelope, ...compared, type: 'BookCompared', equal: finding.levelsDiffering === 0 });
      return;
    }
    case 'reject':
      applyReject(context, finding);
      return;
    case 'end':
      for (const track of capture.tracks.ofMarket(finding.market))
        capture.tracks.stop(track, { ...envelope, market: finding.market }, finding.reason, events);
      return;
    case 'skip':
  }
}

function applyBook(context: FindingContext, finding: BookFinding): void {
  const { capture, events } = context;
  const { tracks } = capture;
  const { continues = true } = finding;
  const envelope = { ...context.envelope, market: finding.market, sourceTs: finding.sourceTs };
  const { track, owner } = watched(context, 'books', finding.market, finding.outcome);
  const besideStream = !continues || (owner?.streams === true && !isSocket(context));
  if (isLate(context, track)) {
    passOver(context, track, envelope);
    if (!owner && !besideStream && isSocket(context)) context.late?.hold(track, finding);
    return;
  }
  if (track.gap) {
    // A change inside a gap builds on a book we cannot vouch for; a book from beside the stream does not mend the stream.
    if (finding.kind === 'delta' || besideStream) return;
    if (owner) tracks.handOver(track, envelope, envelope, events);
  }
  tracks.observed(track, envelope, events);
  if (finding.kind === 'snapshot' && capture.adapter.capture.streamsSamples && isSocket(context))
    resumeSamples(context, envelope);
  emitBook(capture, track, envelope, finding, context.nextBook++, events);
}

/** The book as an observation of the track, with its checks. */
export function emitBook(
  { adapter }: SharedCapture,
  track: Track,
  envelope: Envelope,
  finding: BookFinding,
  entry: number,
  into: VenueEvent[],
): void {
  const { type: _type, flags: found, continues: _continues, ...book } = finding;
  track.lastBook = finding;
  let flags: readonly CheckFlag[] = checkBook(finding, adapter.capture.priceBounds, envelope, found);
  if (finding.sourceTs !== null) {
    if (
      track.lastSourceTs !== null &&
      finding.sourceTs < track.lastSourceTs &&
      !flags.includes('source_time_backwards')
    ) {
      flags = [...flags, 'source_time_backwards'];
    }
    track.lastSourceTs = finding.sourceTs;
  }
  into.push({
    ...envelope,
    type: 'BookObserved',
    ...book,
    entry,
    state: bookState(finding),
    flags,
  });
}

/** Late, or too old for a gap that is open. */
const isLate = ({ late, askedLate }: FindingContext, track: Track): boolean =>
  late !== null || (askedLate && track.gap !== null);

/** No observation; one that would have begun the capture begins it with a gap. */
function passOver({ capture, late, events }: FindingContext, track: Track, envelope: Envelope): void {
  const { tracks } = capture;
  tracks.start(track, envelope, events);
  if (late && !track.gap) {
    const detail = 'the first of it came late';
    tracks.stall(track, envelope, { from: envelope.observedAt, detail, first: late.first }, events);
  }
  tracks.noteLate(track, envelope);
}

const isSocket = ({ frame }: FindingContext): boolean => frame.channel === 'ws';

/**
 * The track that a finding is about, and the other connection that watches it, if there is one. It stays with that one while
 * it is open: what is asked for beside a stream is not the stream, and of two streams either may end first.
 */
function watched(
  context: FindingContext,
  dataset: 'books' | 'samples',
  market: string,
  outcome: string | null,
): { track: Track; owner: OpenSession | null } {
  const { capture, session, envelope } = context;
  const { tracks } = capture;
  const known = tracks.get(dataset, market, outcome);
  if (known?.session === session) return { track: known, owner: null };
  const owner = known && capture.session(known.session);
  if (!owner)
    return { track: tracks.watch(dataset, market, outcome, session, envelope.observedAt), owner: null };
  if (isSocket(context) && !owner.streams) {
    const at = envelope.observedAt;
    tracks.handOver(known, owner.envelope(known, at), { ...envelope, market }, context.events);
    return { track: known, owner: null };
  }
  known.otherSessions.add(session);
  return { track: known, owner };
}

/**
 * Samples come on the socket that sends the books. What it had watched on an earlier connection is watched again with the
 * first book of this one: a market without a trade is quiet, not in a gap.
 */
function resumeSamples(context: FindingContext, envelope: Envelope): void {
  const { capture, session, events } = context;
  const samples = capture.tracks.get('samples', envelope.market, null);
  if (!samples?.gap || samples.session === session || capture.session(samples.session)?.streams) return;
  capture.tracks.watch('samples', envelope.market, null, session, envelope.observedAt);
  capture.tracks.resume(samples, envelope, events);
}

function applyMarket(context: FindingContext, finding: MarketFinding): void {
  const { capture, envelope, events } = context;
  capture.learn(finding.market, finding.fields);
  if (!capture.changed(finding.market, finding.fields)) return;
  events.push({
    ...envelope,
    market: finding.market,
    sourceTs: finding.sourceTs,
    type: 'MarketObserved',
    ...finding.fields,
  });
}

function applySample(context: FindingContext, finding: SampleFinding): void {
  const { tracks } = context.capture;
  const { type: _type, ...sample } = finding;
  const envelope = { ...context.envelope, market: finding.market, sourceTs: finding.sourceTs };
  const { track } = watched(context, 'samples', finding.market, null);
  if (isLate(context, track)) {
    passOver(context, track, envelope);
    return;
  }
  tracks.observed(track, envelope, context.events);
  context.events.push({ ...envelope, type: 'MetricSampled', entry: context.nextSample++, ...sample });
}

function applyBreak(context: FindingContext, finding: BreakFinding): void {
  const { tracks } = context.capture;
  const envelope = { ...context.envelope, market: finding.market };
  const hit: Track[] = [];
  if (finding.dataset === 'samples') {
    const track = tracks.get('samples', finding.market, null);
    if (track) hit.push(track);
  } else if (finding.outcome !== null) {
    const { track } = watched(context, 'books', finding.market, finding.outcome);
    // Watching began with a change we cannot use: covered from here, and in a gap from here.
    tracks.start(track, envelope, context.events);
    hit.push(track);
  } else {
    for (const track of tracks.ofMarket(finding.market)) if (track.dataset === 'books') hit.push(track);
  }
  const from =
    finding.cause === 'awaiting_snapshot'
      ? envelope.observedAt
      : (finding.since ?? (context.activeBefore || envelope.observedAt));
  for (const track of hit) {
    context.late?.lose(track);
    const since = Math.max(from, track.lastObserved ? 0 : track.watchedAt);
    tracks.open(track, envelope, { ...finding, from: since }, context.events);
  }
}

function applyReject(context: FindingContext, finding: RejectFinding): void {
  const { frame, body, events } = context;
  const { tracks, adapter } = context.capture;
  const envelope = { ...context.envelope, market: finding.market };
  events.push({
    ...envelope,
    type: 'FrameRejected',
    channel: frame.channel,
    body,
    reason: finding.reason,
    detail: finding.detail,
  });
  // A message kind we do not know is not a lost book. Otherwise a socket frame that cannot be read may have been a change.
  if (frame.channel !== 'ws' || finding.reason === 'unknown_kind' || finding.booksIntact) return;
  const gap = {
    cause: 'rejected_frame' as const,
    from: context.activeBefore || envelope.observedAt,
    detail: finding.reason,
  };
  if (finding.market !== '') {
    for (const track of tracks.ofMarket(finding.market)) {
      context.late?.lose(track);
      tracks.open(track, envelope, { ...gap, scope: 'book' }, events);
    }
    return;
  }
  // Where the venue numbers its messages, a lost one shows in the numbers; elsewhere any book of the connection is suspect.
  if (adapter.capture.sequenced) return;
  for (const track of tracks.all()) {
    if (track.session !== context.session || track.dataset !== 'books') continue;
    context.late?.lose(track);
    tracks.open(track, { ...envelope, market: track.market }, { ...gap, scope: 'connection' }, events);
  }
}
