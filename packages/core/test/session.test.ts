import { describe, expect, test } from 'vitest';

import type {
  BookFinding,
  CapturedVenue,
  Finding,
  Frame,
  GapClosed,
  GapOpened,
  Normalizer,
  VenueEvent,
} from '../src/index.ts';
import { Capture, Markets, evidenceOf } from '../src/index.ts';

// A venue whose frames are scripted findings as JSON: the session's own rules, without any dialect.
const scripted: CapturedVenue = {
  venue: 'venuec',
  capture: {
    priceBounds: [0, 1_000_000],
    sequenced: false,
    streamsSamples: true,
    bookOutcomes: () => ['t1'],
    createNormalizer: (): Normalizer => ({
      normalize: (frame) => JSON.parse(frame.text) as Finding[],
      forget: () => undefined,
      learn: () => undefined,
    }),
  },
};

const book = (kind: 'snapshot' | 'delta', outcome = 't1', bid = 400_000, ask = 600_000): BookFinding => ({
  type: 'book',
  market: 'm1',
  outcome,
  kind,
  sourceTs: null,
  bidPrices: [bid],
  bidSizes: [1_000_000],
  askPrices: [ask],
  askSizes: [2_000_000],
  nativeBid: 'BUY',
  nativeAsk: 'SELL',
  askComplement: false,
  priceFormat: 'min',
  sizeFormat: 'min',
  exceptions: [],
  hash: null,
  sequence: null,
  nativeIds: {},
  flags: [],
});

const frame = (at: number, ...findings: Finding[]): Frame => ({
  channel: 'ws',
  direction: 'in',
  text: JSON.stringify(findings),
  observedAt: at,
  settings: {},
});

const open = (id = 's1', adapter = scripted) => {
  const capture = new Capture({ adapter, collector: 'c', provenance: 'captured' });
  const session = capture.openSession(id);
  const say = (at: number, ...findings: Finding[]): VenueEvent[] =>
    session.frame(frame(at, ...findings), new Uint8Array()).events;
  return { capture, session, say };
};

const types = (events: readonly VenueEvent[]): string[] => events.map(({ type }) => type);
const only = <T extends VenueEvent['type']>(events: readonly VenueEvent[], type: T) =>
  events.filter((event): event is Extract<VenueEvent, { type: T }> => event.type === type);

describe('a session', () => {
  test('writes the tape first, then says that capture started, then what it saw', () => {
    const { say } = open();
    expect(types(say(10, book('snapshot')))).toEqual(['FrameCaptured', 'CaptureStarted', 'BookObserved']);
    expect(types(say(11, book('delta')))).toEqual(['FrameCaptured', 'BookObserved']);
  });

  test('numbers frames from 0 and stamps every event with its frame', () => {
    const { say } = open();
    say(10, book('snapshot'));
    const [observed] = only(say(11, book('delta'), book('delta', 't2')), 'BookObserved');
    expect(observed).toMatchObject({ ordinal: 1, observedAt: 11, session: 's1', entry: 0 });
  });

  test('keeps a failing observation and names what failed', () => {
    const { say } = open();
    const [observed] = only(say(10, book('snapshot', 't1', 700_000, 600_000)), 'BookObserved');
    expect(observed).toMatchObject({
      state: 'crossed',
      flags: ['crossed'],
      bidPrices: [700_000],
      askPrices: [600_000],
    });
  });

  test('flags a venue clock that steps back', () => {
    const { say } = open();
    say(10, { ...book('snapshot'), sourceTs: 100 });
    const [observed] = only(say(11, { ...book('delta'), sourceTs: 99 }), 'BookObserved');
    expect(observed?.flags).toEqual(['source_time_backwards']);
  });
});

describe('gaps', () => {
  test('a break opens one gap from the last activity, hides changes, and ends at the next whole book', () => {
    const { say } = open();
    say(10, book('snapshot'));
    say(20, book('delta'));
    const broken = say(30, {
      type: 'break',
      market: 'm1',
      outcome: 't1',
      cause: 'sequence_break',
      scope: 'connection',
      detail: null,
    });
    const [opened] = only(broken, 'GapOpened');
    expect(opened).toMatchObject({
      from: 20,
      cause: 'sequence_break',
      lastBefore: { ordinal: 1, observedAt: 20 },
    });
    expect(types(say(40, book('delta')))).toEqual(['FrameCaptured']);
    const after = say(50, book('snapshot'));
    expect(types(after)).toEqual(['FrameCaptured', 'GapClosed', 'BookObserved']);
    expect(only(after, 'GapClosed')[0]).toMatchObject({
      gapId: (opened as GapOpened).gapId,
      from: 20,
      to: 50,
      firstAfter: { ordinal: 4, observedAt: 50 },
    });
    expect(types(say(60, book('delta')))).toEqual(['FrameCaptured', 'BookObserved']);
  });

  test('a second cause inside an open gap changes nothing', () => {
    const { say, session } = open();
    say(10, book('snapshot'));
    expect(session.openGaps('silence', 90, null)).toHaveLength(1);
    expect(session.openGaps('disconnected', 95, null)).toEqual([]);
    expect(only(say(99, book('snapshot')), 'GapClosed')[0]).toMatchObject({
      cause: 'silence',
      from: 10,
      to: 99,
    });
  });

  test('a change for a book never seen starts capture inside a gap', () => {
    const { say } = open();
    const waiting: Finding = {
      type: 'break',
      market: 'm1',
      outcome: 't1',
      cause: 'awaiting_snapshot',
      scope: 'book',
      detail: null,
    };
    expect(types(say(10, waiting))).toEqual(['FrameCaptured', 'CaptureStarted', 'GapOpened']);
    expect(types(say(11, waiting))).toEqual(['FrameCaptured']);
    expect(only(say(12, book('snapshot')), 'GapClosed')[0]).toMatchObject({
      from: 10,
      to: 12,
      lastBefore: null,
    });
  });

  test('a lost connection hits every book it carried and nothing else', () => {
    const { capture, say, session } = open();
    say(10, book('snapshot', 't1'), book('snapshot', 't2'));
    const other = capture.openSession('s2');
    other.frame(frame(12, { ...book('snapshot', 'x'), market: 'm2' }), new Uint8Array());
    const gaps = only(session.openGaps('disconnected', 30, 'reset'), 'GapOpened');
    expect(gaps.map(({ market, outcome, from, scope }) => [market, outcome, from, scope])).toEqual([
      ['m1', 't1', 10, 'connection'],
      ['m1', 't2', 10, 'connection'],
    ]);
  });

  test('the next connection closes the gap of the one before', () => {
    const { capture, say, session } = open();
    say(10, book('snapshot'));
    session.openGaps('disconnected', 30, null);
    const next = capture.openSession('s2');
    const events = next.frame(frame(40, book('snapshot')), new Uint8Array()).events;
    expect(types(events)).toEqual(['FrameCaptured', 'GapClosed', 'BookObserved']);
    expect(only(events, 'GapClosed')[0]).toMatchObject({
      from: 10,
      to: 40,
      firstAfter: { session: 's2', ordinal: 0 },
    });
  });

  test('an answer that comes after its connection is gone goes on the tape and closes nothing', () => {
    const { capture, say, session } = open();
    say(10, book('snapshot'));
    session.openGaps('disconnected', 30, null);
    capture.closeSession(session);
    expect(types(say(35, book('snapshot')))).toEqual(['FrameCaptured']);
    const late = frame(36, book('snapshot', 't1', 300_000));
    expect(session.probe(late, new Uint8Array(), null, 'silence')).toMatchObject({
      lost: [],
      events: [{ type: 'FrameCaptured' }],
    });
    const next = capture.openSession('s2').frame(frame(40, book('snapshot')), new Uint8Array()).events;
    expect(only(next, 'GapClosed')[0]).toMatchObject({ from: 10, to: 40 });
  });

  test('an unreadable frame makes every book of an unnumbered connection suspect; an unknown kind does not', () => {
    const { say } = open();
    say(10, book('snapshot'));
    expect(types(say(20, { type: 'reject', market: '', reason: 'unknown_kind', detail: '' }))).toEqual([
      'FrameCaptured',
      'FrameRejected',
    ]);
    const events = say(30, { type: 'reject', market: '', reason: 'malformed_json', detail: '' });
    expect(types(events)).toEqual(['FrameCaptured', 'FrameRejected', 'GapOpened']);
    expect(only(events, 'GapOpened')[0]).toMatchObject({ cause: 'rejected_frame', from: 20 });
  });

  test('a market that ends inside a gap closes it without an observation after', () => {
    const { say, session } = open();
    say(10, book('snapshot'));
    session.openGaps('disconnected', 30, null);
    const events = session.stop(50, 'resolved', 'm1');
    expect(types(events)).toEqual(['GapClosed', 'CaptureStopped']);
    expect((events[0] as GapClosed).firstAfter).toBeNull();
  });

  test('a subscribed book that never came begins with a gap', () => {
    const { session } = open();
    session.watch('m1', 't1', 10);
    expect(session.openOverdueGaps(9, 40)).toEqual([]);
    const events = session.openOverdueGaps(10, 40);
    expect(types(events)).toEqual(['CaptureStarted', 'GapOpened']);
    expect(events[1]).toMatchObject({ from: 10, cause: 'awaiting_snapshot' });
    expect(session.openOverdueGaps(10, 50)).toEqual([]);
  });
});

describe('two connections of one market', () => {
  const two = () => {
    const { capture, session, say } = open('a');
    const other = capture.openSession('b');
    const sayOther = (at: number, channel: string, ...findings: Finding[]): VenueEvent[] =>
      other.frame({ ...frame(at, ...findings), channel }, new Uint8Array()).events;
    return { capture, session, say, other, sayOther };
  };
  const told = (events: readonly VenueEvent[]) =>
    events.flatMap(({ type, session, observedAt }) =>
      type === 'FrameCaptured' ? [] : [`${observedAt} ${session} ${type}`],
    );
  const lost: Finding = {
    type: 'break',
    market: 'm1',
    outcome: 't1',
    cause: 'sequence_break',
    scope: 'connection',
    detail: null,
  };

  test('a book that was asked for beside a stream neither ends its gap nor takes it over', () => {
    const { capture, session, say, other, sayOther } = two();
    say(10, book('snapshot'));
    expect(told(sayOther(20, 'rest:/book', book('snapshot')))).toEqual(['20 b BookObserved']);
    say(30, lost);
    expect(told(sayOther(40, 'rest:/book', book('snapshot')))).toEqual([]);
    expect(told(other.stop(40, 'end_of_recording'))).toEqual([]);
    capture.closeSession(other);
    expect(told(say(50, book('delta')))).toEqual([]);
    expect(told(say(60, book('snapshot')))).toEqual(['60 a GapClosed', '60 a BookObserved']);
    expect(told(session.stop(70, 'end_of_recording'))).toEqual(['70 a CaptureStopped']);
  });

  test('a stream takes over what was only asked for, without a hole', () => {
    const { session, say, sayOther } = two();
    expect(told(sayOther(10, 'rest:/book', book('snapshot')))).toEqual([
      '10 b CaptureStarted',
      '10 b BookObserved',
    ]);
    expect(told(say(20, book('snapshot')))).toEqual([
      '20 b CaptureBeat',
      '20 a CaptureStarted',
      '20 a BookObserved',
    ]);
    say(30, lost);
    expect(told(sayOther(40, 'rest:/book', book('snapshot')))).toEqual([]);
    expect(told(session.stop(50, 'end_of_recording'))).toEqual([]);
  });

  test('the end of the first is not the end of the second', () => {
    const { capture, session, say, other, sayOther } = two();
    say(10, book('snapshot'));
    expect(told(sayOther(20, 'ws', book('snapshot')))).toEqual(['20 b BookObserved']);
    expect(told(say(30, book('delta')))).toEqual(['30 a BookObserved']);
    expect(told(session.stop(30, 'end_of_recording'))).toEqual(['30 a CaptureBeat', '30 b CaptureStarted']);
    capture.closeSession(session);
    expect(told(sayOther(40, 'ws', book('delta')))).toEqual(['40 b BookObserved']);
    expect(told(other.stop(50, 'end_of_recording'))).toEqual(['50 b CaptureStopped']);
  });

  test('whichever stream sends a whole book ends the gap, and watches from there', () => {
    const { session, say, other, sayOther } = two();
    say(10, book('snapshot'));
    sayOther(20, 'ws', book('snapshot'));
    say(30, lost);
    expect(told(sayOther(40, 'ws', book('delta')))).toEqual([]);
    expect(told(sayOther(50, 'ws', book('snapshot')))).toEqual(['50 b GapClosed', '50 b BookObserved']);
    expect(told(session.stop(60, 'end_of_recording'))).toEqual([]);
    expect(told(other.stop(70, 'end_of_recording'))).toEqual(['70 b CaptureStopped']);
  });
});

describe('samples of a connection that broke', () => {
  const trade: Finding = {
    type: 'sample',
    market: 'm1',
    outcome: 't1',
    metric: 'last_trade',
    sourceTs: null,
    value: 1,
    text: '0.000001',
    exact: true,
    size: null,
    takerSide: null,
  };
  const gapsOf = (capture: Capture) =>
    [...capture.tracks.all()].map(({ dataset, session, gap }) => [dataset, session, gap?.cause ?? null]);

  test('are watched again with the first book of the next: without a trade a market is quiet', () => {
    const { capture, session, say } = open('a');
    say(10, book('snapshot'));
    say(11, trade);
    session.openGaps('disconnected', 20, null);
    capture.closeSession(session);
    const next = capture.openSession('b');
    const events = next.frame(frame(30, book('snapshot')), new Uint8Array()).events;
    expect(only(events, 'GapClosed')).toMatchObject([
      { dataset: 'books', to: 30 },
      { dataset: 'samples', from: 11, to: 30, firstAfter: { session: 'b', ordinal: 0, observedAt: 30 } },
    ]);
    expect(gapsOf(capture)).toEqual([
      ['books', 'b', null],
      ['samples', 'b', null],
    ]);
    next.noteActivity(50);
    expect(next.beat().map(({ type, session: of }) => [type, of])).toEqual([
      ['CaptureBeat', 'b'],
      ['CaptureBeat', 'b'],
    ]);
  });

  test('stay lost where they were lost on this connection, or come by REST', () => {
    const lostSamples: Finding = {
      type: 'break',
      market: 'm1',
      outcome: null,
      cause: 'venue_error',
      scope: 'connection',
      detail: null,
      dataset: 'samples',
    };
    const { capture, say } = open('a');
    say(10, book('snapshot'));
    say(11, trade);
    say(12, lostSamples);
    say(13, book('snapshot'));
    expect(gapsOf(capture)).toEqual([
      ['books', 'a', null],
      ['samples', 'a', 'venue_error'],
    ]);
    const polled = open('a', { ...scripted, capture: { ...scripted.capture, streamsSamples: false } });
    polled.say(10, book('snapshot'), trade);
    polled.session.openGaps('disconnected', 20, null);
    polled.capture.closeSession(polled.session);
    polled.capture.openSession('b').frame(frame(30, book('snapshot')), new Uint8Array());
    expect(gapsOf(polled.capture)).toEqual([
      ['books', 'b', null],
      ['samples', 'a', 'disconnected'],
    ]);
  });
});

describe('beats', () => {
  test('prove life at the last inbound activity, once, and not inside a gap', () => {
    const { say, session } = open();
    say(10, book('snapshot'));
    expect(session.beat()).toEqual([]);
    session.noteActivity(25);
    expect(session.beat()).toMatchObject([
      { type: 'CaptureBeat', observedAt: 25, market: 'm1', outcome: 't1' },
    ]);
    expect(session.beat()).toEqual([]);
    session.openGaps('disconnected', 30, null);
    session.noteActivity(35);
    expect(session.beat()).toEqual([]);
  });
});

describe('recovery', () => {
  const fold = (events: readonly VenueEvent[]) => {
    const markets = new Markets();
    events.forEach((event, offset) => markets.apply(event, { topic: event.venue, partition: 0, offset }));
    return [...markets.values()].flatMap(evidenceOf);
  };

  test('after a kill, what was watched is in a gap since the last evidence', () => {
    const { say, session } = open();
    const log = [...say(10, book('snapshot')), ...say(20, book('delta'))];
    session.noteActivity(25);
    log.push(...session.beat());
    const capture = new Capture({ adapter: scripted, collector: 'c', provenance: 'captured' });
    const recovered = capture.recover(fold(log), 'r', 100);
    expect(recovered).toMatchObject([
      {
        type: 'GapOpened',
        cause: 'collector_down',
        scope: 'collector',
        from: 25,
        lastBefore: { ordinal: 1, observedAt: 20 },
      },
    ]);
    const events = capture.openSession('s2').frame(frame(120, book('snapshot')), new Uint8Array()).events;
    expect(only(events, 'GapClosed')[0]).toMatchObject({ from: 25, to: 120 });
    expect(only(events, 'CaptureStarted')).toEqual([]);
  });

  test('a gap that was open at the kill stays that gap', () => {
    const { say, session } = open();
    const log = [...say(10, book('snapshot')), ...session.openGaps('silence', 30, null)];
    const capture = new Capture({ adapter: scripted, collector: 'c', provenance: 'captured' });
    expect(capture.recover(fold(log), 'r', 100)).toEqual([]);
    const events = capture.openSession('s2').frame(frame(120, book('snapshot')), new Uint8Array()).events;
    expect(only(events, 'GapClosed')[0]).toMatchObject({ cause: 'silence', from: 10, to: 120 });
  });

  test('an open gap is restated under its own id', () => {
    const { capture, say, session } = open();
    say(10, book('snapshot'));
    const [opened] = session.openGaps('silence', 30, null);
    expect(capture.restate(session, 90)).toMatchObject([
      { type: 'GapOpened', gapId: (opened as GapOpened).gapId, from: 10, observedAt: 90 },
    ]);
  });

  test('what was stopped is not recovered', () => {
    const { say, session } = open();
    expect(fold([...say(10, book('snapshot')), ...session.stop(20, 'resolved', 'm1')])).toEqual([]);
  });
});

describe('metadata', () => {
  test('is written when it changed, and once', () => {
    const { say } = open();
    const fields = { title: 'a' } as never;
    const finding: Finding = { type: 'market', market: 'm1', sourceTs: null, fields };
    expect(types(say(10, finding))).toEqual(['FrameCaptured', 'MarketObserved']);
    expect(types(say(11, finding))).toEqual(['FrameCaptured']);
    expect(types(say(12, { ...finding, fields: { title: 'b' } as never }))).toEqual([
      'FrameCaptured',
      'MarketObserved',
    ]);
  });
});
