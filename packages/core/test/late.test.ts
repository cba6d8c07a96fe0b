import { describe, expect, test } from 'vitest';
import type { BookFinding, Finding, Frame, SampleFinding, VenueEvent } from '../src/index.ts';
import { Capture, Markets, adapterOf, evidenceOf, isLateFrame } from '../src/index.ts';

const book = (kind: 'snapshot' | 'delta', bid = 400_000, outcome = 't1'): BookFinding => ({
  type: 'book',
  market: 'm1',
  outcome,
  kind,
  sourceTs: null,
  bidPrices: [bid],
  bidSizes: [1_000_000],
  askPrices: [600_000],
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

const trade: SampleFinding = {
  type: 'sample',
  market: 'm1',
  outcome: 't1',
  sourceTs: null,
  metric: 'last_trade',
  value: 500_000,
  text: '0.5',
  exact: true,
  size: null,
  takerSide: null,
};

const lost: Finding = {
  type: 'break',
  market: 'm1',
  outcome: null,
  cause: 'sequence_break',
  scope: 'book',
  detail: null,
};

/** Frames say their findings themselves. */
const open = (sequenced: boolean) => {
  const own = adapterOf('venueb');
  const adapter = {
    ...own,
    capture: {
      ...own.capture,
      sequenced,
      createNormalizer: () => ({
        normalize: ({ text }: Frame) => JSON.parse(text) as Finding[],
        forget: () => undefined,
        learn: () => undefined,
      }),
    },
  };
  const capture = new Capture({ adapter, collector: 'c', provenance: 'captured' });
  const session = capture.openSession('s1');
  const frame = (at: number, findings: readonly Finding[], channel = 'ws'): Frame => ({
    channel,
    direction: 'in',
    text: JSON.stringify(findings),
    observedAt: at,
    settings: {},
  });
  const say = (at: number, ...findings: Finding[]): VenueEvent[] =>
    session.frame(frame(at, findings), new Uint8Array()).events;
  const answer = (at: number, requestedAt: number, ...findings: Finding[]): VenueEvent[] =>
    session.frame(frame(at, findings, 'rest'), new Uint8Array(), requestedAt).events;
  return { capture, session, say, answer };
};

const only = <T extends VenueEvent['type']>(events: readonly VenueEvent[], type: T) =>
  events.filter((event): event is Extract<VenueEvent, { type: T }> => event.type === type);
const types = (events: readonly VenueEvent[]): string[] => events.map(({ type }) => type);

describe('a recorder that was held up', () => {
  test('is in a gap on all it watches, since it was last on time and never before the last observation', () => {
    const { session, say } = open(true);
    say(10, book('snapshot'), book('snapshot', 400_000, 't2'));
    say(30, book('delta'), trade);
    const events = session.stall(20, 100, 'held up');
    expect(only(events, 'GapOpened')).toMatchObject([
      { outcome: 't1', from: 30, observedAt: 100, cause: 'recorder_stalled', scope: 'collector' },
      { outcome: 't2', from: 20, late: [{ session: 's1', first: 2, last: null }], detail: 'held up' },
      { dataset: 'samples', outcome: null, from: 30 },
    ]);
  });

  test('late frames are on the tape and give no observation, whole books included; metadata does', () => {
    const { session, say } = open(true);
    say(10, book('snapshot'), trade);
    session.stall(10, 100, 'held up');
    expect(types(say(100, book('delta', 410_000), trade))).toEqual(['FrameCaptured']);
    expect(types(say(101, book('snapshot', 420_000)))).toEqual(['FrameCaptured']);
    expect(session.beat()).toEqual([]);
  });

  test('a numbered stream goes on with the book it holds; the gap names the frames that came late', () => {
    const { session, say } = open(true);
    say(10, book('snapshot'), trade);
    session.stall(10, 100, 'held up');
    say(100, book('delta', 410_000));
    say(101, book('delta', 420_000));
    const { events, unknown, lateFrames } = session.catchUp(110);
    expect([unknown, lateFrames]).toEqual([[], 2]);
    expect(types(events)).toEqual(['GapClosed', 'BookObserved', 'GapClosed']);
    expect(events).toMatchObject([
      {
        from: 10,
        to: 110,
        firstAfter: { session: 's1', ordinal: 2, observedAt: 110 },
        late: [{ session: 's1', first: 1, last: 2 }],
      },
      { kind: 'snapshot', bidPrices: [420_000], observedAt: 110, ordinal: 2 },
      { dataset: 'samples', to: 110 },
    ]);
    expect(types(say(120, book('delta', 430_000)))).toEqual(['FrameCaptured', 'BookObserved']);
  });

  test('a book that nothing was sent for is stated again as it was', () => {
    const { session, say } = open(true);
    say(10, book('snapshot', 405_000));
    session.stall(15, 100, 'held up');
    const { events } = session.catchUp(110);
    expect(events).toMatchObject([
      { type: 'GapClosed', from: 15, late: [] },
      { type: 'BookObserved', bidPrices: [405_000], observedAt: 110 },
    ]);
  });

  test('where messages are not numbered a fresh book is asked for, and that one ends the gap', () => {
    const { session, say } = open(false);
    say(10, book('snapshot'));
    session.stall(10, 100, 'held up');
    say(100, book('snapshot', 410_000));
    const { events, unknown } = session.catchUp(110);
    expect([events, unknown]).toEqual([[], ['m1']]);
    expect(types(say(111, book('delta', 420_000)))).toEqual(['FrameCaptured']);
    expect(say(112, book('snapshot', 430_000))).toMatchObject([
      { type: 'FrameCaptured' },
      { type: 'GapClosed', to: 112, late: [{ session: 's1', first: 1, last: 1 }] },
      { type: 'BookObserved', bidPrices: [430_000] },
    ]);
  });

  test('a numbered stream that lost something while it was late must be sent anew', () => {
    const { session, say } = open(true);
    say(10, book('snapshot'));
    session.stall(10, 100, 'held up');
    say(100, lost);
    say(101, book('delta', 410_000));
    expect(session.catchUp(110)).toMatchObject({ events: [], unknown: ['m1'] });
  });

  test('held up again while it is late: the gap goes on; and again before the fresh book: both stretches are named', () => {
    const { session, say } = open(false);
    say(10, book('snapshot'));
    session.stall(10, 100, 'held up');
    say(100, book('delta'));
    expect(session.stall(105, 200, 'again')).toEqual([]);
    say(200, book('delta'));
    session.catchUp(210);
    say(215, book('delta'));
    expect(session.stall(215, 300, 'and again')).toMatchObject([
      { type: 'GapOpened', from: 10, cause: 'recorder_stalled' },
    ]);
    say(300, book('snapshot'));
    session.catchUp(310);
    const [closed] = only(say(320, book('snapshot')), 'GapClosed');
    expect(closed).toMatchObject({
      from: 10,
      to: 320,
      late: [
        { session: 's1', first: 1, last: 2 },
        { session: 's1', first: 4, last: 4 },
      ],
    });
    expect([0, 1, 2, 3, 4, 5].filter((ordinal) => isLateFrame(closed!.late, 's1', ordinal))).toEqual([
      1, 2, 4,
    ]);
  });

  test('a connection that broke while it was late: the next one ends the gap, which names the late frames', () => {
    const { capture, session, say } = open(true);
    say(10, book('snapshot'));
    session.stall(10, 100, 'held up');
    say(100, book('delta'));
    expect(session.openGaps('disconnected', 101, 'closed')).toEqual([]);
    capture.closeSession(session);
    const next = capture.openSession('s2');
    const text = JSON.stringify([book('snapshot', 450_000)]);
    const frame = { channel: 'ws', direction: 'in' as const, text, observedAt: 150, settings: {} };
    expect(next.frame(frame, new Uint8Array()).events).toMatchObject([
      { type: 'FrameCaptured' },
      { type: 'GapClosed', cause: 'recorder_stalled', late: [{ session: 's1', first: 1, last: null }] },
      { type: 'BookObserved', bidPrices: [450_000] },
    ]);
  });

  test('killed while it was late: the gap goes on after the next start, and still names the late frames', () => {
    const { capture, session, say } = open(true);
    const events = [
      ...say(10, book('snapshot')),
      ...session.stall(12, 100, 'held up'),
      ...say(100, book('delta')),
    ];
    const markets = new Markets();
    events.forEach((event, offset) => markets.apply(event, { topic: 'venueb', partition: 0, offset }));
    const evidence = [...markets.values()].flatMap(evidenceOf);
    const next = new Capture({ adapter: capture.adapter as never, collector: 'c', provenance: 'captured' });
    expect(next.recover(evidence, 's2', 500)).toEqual([]);
    const text = JSON.stringify([book('snapshot', 450_000)]);
    const frame = { channel: 'ws', direction: 'in' as const, text, observedAt: 510, settings: {} };
    expect(next.openSession('s2').frame(frame, new Uint8Array()).events).toMatchObject([
      { type: 'FrameCaptured' },
      {
        type: 'GapClosed',
        cause: 'recorder_stalled',
        from: 12,
        to: 510,
        late: [{ session: 's1', first: 1, last: null }],
      },
      { type: 'BookObserved' },
    ]);
  });

  test('an answer to a question from before the connection had caught up does not end a gap', () => {
    const { session, answer } = open(false);
    answer(10, 9, book('snapshot'));
    expect(session.stall(50, 100, 'held up')).toMatchObject([{ from: 10 }]);
    expect(session.catchUp(105)).toMatchObject({ events: [], unknown: [] });
    expect(types(answer(110, 40, book('snapshot', 410_000)))).toEqual(['FrameCaptured']);
    expect(answer(120, 106, book('snapshot', 420_000))).toMatchObject([
      { type: 'FrameCaptured' },
      { type: 'GapClosed', from: 10, to: 120, late: [{ session: 's1', first: 1, last: 1 }] },
      { type: 'BookObserved', bidPrices: [420_000] },
    ]);
  });

  test('a first book that comes late begins the capture with a gap', () => {
    const { session, say } = open(true);
    session.stall(10, 100, 'held up');
    expect(say(100, book('snapshot', 410_000))).toMatchObject([
      { type: 'FrameCaptured' },
      { type: 'CaptureStarted', observedAt: 100 },
      { type: 'GapOpened', from: 100, cause: 'recorder_stalled', late: [{ first: 0, last: null }] },
    ]);
    expect(session.catchUp(110).events).toMatchObject([
      { type: 'GapClosed', to: 110, late: [{ first: 0, last: 0 }] },
      { type: 'BookObserved', bidPrices: [410_000] },
    ]);
  });
});

test('beats carry the largest delay of a stamp since the beat before; those of late frames do not count', () => {
  const { session, say } = open(true);
  say(10, book('snapshot'));
  session.noteStampDelay(300);
  session.noteStampDelay(200);
  say(20, book('delta'));
  expect(session.beat()).toMatchObject([{ type: 'CaptureBeat', stampDelay: 300 }]);
  say(30, book('delta'));
  expect(session.beat()).toMatchObject([{ type: 'CaptureBeat', stampDelay: null }]);
  session.stall(30, 100, 'held up');
  session.noteStampDelay(70_000);
  session.catchUp(110);
  session.noteStampDelay(50);
  say(120, book('delta'));
  expect(session.beat()).toMatchObject([{ type: 'CaptureBeat', stampDelay: 50 }]);
});
