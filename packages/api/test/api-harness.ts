// A whole API over a real SQLite log and a real chDB store in a temporary folder. Events are appended to the log, and a real
// projector brings them into the tables.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  BookObserved,
  Clock,
  LadderEvent,
  MarketObserved,
  Micros,
  Plan,
  Position,
  Venue,
} from '@ladderlog/core';
import { PROJECTIONS, checkBook } from '@ladderlog/core';
import type { SqliteLog } from '@ladderlog/log';
import { openSqliteLog } from '@ladderlog/log';
import { createProjector, openSqliteCursors } from '@ladderlog/projector';
import type { Store } from '@ladderlog/store';
import { openChdbStore } from '@ladderlog/store';
import pino from 'pino';
import type { Api, ApiOptions, ApiServer } from '@ladderlog/api';
import type { Live, LiveOptions } from '@ladderlog/live';
import { openLive } from '@ladderlog/live';
import { createApi, issueKey, serveApi } from '@ladderlog/api';
import * as build from '../../../test/builders/events.ts';

export const SILENT = pino({ level: 'silent' });
export const SECRET = 'a secret for cursors that is long enough';

export type World = {
  readonly log: SqliteLog;
  readonly store: Store;
  readonly folder: string;
  /** What the API takes for now; tests move it. */
  now: Micros;
  readonly clock: Clock;
  /** Appends and, unless told otherwise, projects. */
  append(events: readonly LadderEvent[], project?: boolean): Promise<Position[]>;
  /** Brings the tables up to the log's end. */
  project(): Promise<void>;
  projected(): Promise<readonly Position[]>;
  key(plan: Plan): Promise<string>;
  start(options?: Partial<ApiOptions> & Pick<LiveOptions, 'days' | 'maxMarkets'>): Promise<Running>;
  close(): Promise<void>;
};

export type Running = {
  readonly live: Live;
  readonly api: Api;
  readonly server: ApiServer;
  readonly url: string;
  close(): Promise<void>;
};

export async function openWorld(now: Micros): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-api-'));
  const log = await openSqliteLog({ path: join(folder, 'log.sqlite'), upkeepMs: 0, pollMs: 20 });
  const store = await openChdbStore({ path: join(folder, 'store') });
  await store.migrate();
  const running = new Set<Running>();

  const cursors = openSqliteCursors(join(folder, 'log.sqlite'));
  const limits = { maxWaitMs: 5, minBackoffMs: 1 };
  const options = { log, store, cursors, projections: PROJECTIONS, generation: 1, logger: SILENT, limits };
  const projector = createProjector(options);
  const stop = new AbortController();
  const projecting = projector.run(stop.signal);
  /** Until it is let go, nothing is written: a test says when the tables follow. */
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    void projector.quiesced(() => promise);
    return resolve;
  };
  let letGo = hold();
  let turn = Promise.resolve();
  const project = (): Promise<void> =>
    (turn = turn.then(async () => {
      letGo();
      await Promise.race([projector.caughtUp(), projecting]);
      letGo = hold();
    }));

  const world: World = {
    log,
    store,
    folder,
    now,
    clock: () => world.now,
    async append(events, follow = true) {
      const positions = await log.append(events);
      if (follow) await project();
      return positions;
    },
    project,
    async projected() {
      const at = await cursors.list(1);
      return at.map(({ topic, partition, hwm }) => ({ topic, partition, offset: hwm + 1 }));
    },
    async key(plan) {
      return (await issueKey(log, world.clock, { plan, name: `test ${plan}` })).key;
    },
    async start(options = {}) {
      const engines = { store, log, logger: SILENT, clock: world.clock };
      const live = await openLive({ ...engines, projected: world.projected, ...options });
      const api = await createApi({
        ...engines,
        live,
        cursorSecret: SECRET,
        version: 'test',
        memoMs: 0,
        validateResponses: true,
        anonymousRates: [{ requests: 1_000_000, seconds: 1 }],
        plans: GENEROUS,
        ...options,
      });
      live.follow();
      await live.caughtUp;
      const server = await serveApi(api, { port: 0, logger: SILENT });
      const one: Running = {
        api,
        server,
        live,
        url: `http://127.0.0.1:${server.port}`,
        async close() {
          running.delete(one);
          await server.close();
          await live.close();
        },
      };
      running.add(one);
      return one;
    },
    async close() {
      for (const one of running) await one.close();
      stop.abort();
      letGo();
      await projecting;
      await cursors.close();
      await log.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

/** The plans without their rate limits, so that tests may hurry. */
export const GENEROUS: NonNullable<ApiOptions['plans']> = {
  explorer: { venues: ['venueb', 'venuec'], rates: [{ requests: 1_000_000, seconds: 1 }], historyDays: 31 },
  quant: {
    venues: ['venuea', 'venueb', 'venuec'],
    rates: [{ requests: 1_000_000, seconds: 1 }],
    historyDays: 60,
  },
  desk: {
    venues: ['venuea', 'venueb', 'venuec'],
    rates: [{ requests: 1_000_000, seconds: 1 }],
    historyDays: null,
  },
};

export const SECOND = 1_000_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const VENUE_A_MARKET = '4107231';
export const VENUE_B_MARKET = 'KXBTC15M-26NOV141915-T91263.65';
export const VENUE_C_MARKET = `0x${'5d1c'.repeat(16)}`;
export const C_UP = '71183960810705820955071415844881728181970340514894896943812046065452395013351';
export const C_DOWN = '10423960810705820955071415844881728181970340514894896943812046065452395073875';

type Identity = { readonly venue: Venue; readonly market: string; readonly outcome: string };

export const A_UP: Identity = { venue: 'venuea', market: VENUE_A_MARKET, outcome: '0' };
export const B_YES: Identity = { venue: 'venueb', market: VENUE_B_MARKET, outcome: 'yes' };
export const C_OF_UP: Identity = { venue: 'venuec', market: VENUE_C_MARKET, outcome: C_UP };
export const C_OF_DOWN: Identity = { venue: 'venuec', market: VENUE_C_MARKET, outcome: C_DOWN };

export type BookOptions = {
  readonly observedAt: Micros;
  readonly ordinal?: number;
  readonly bids?: readonly (readonly [number, number])[];
  readonly asks?: readonly (readonly [number, number])[];
  readonly sourceTs?: Micros | null;
  readonly session?: string;
};

export function book(of: Identity, options: BookOptions): BookObserved {
  const bids = options.bids ?? [
    [510_000, 42_000_000],
    [500_000, 310_400_000],
  ];
  const asks = options.asks ?? [
    [530_000, 18_750_000],
    [540_000, 120_000_000],
  ];
  const ladders = {
    bidPrices: bids.map(([price]) => price),
    bidSizes: bids.map(([, size]) => size),
    askPrices: asks.map(([price]) => price),
    askSizes: asks.map(([, size]) => size),
  };
  const { observedAt, ordinal = 0 } = options;
  return build.book({
    ...of,
    observedAt,
    sourceTs: options.sourceTs === undefined ? observedAt - 23_456 : options.sourceTs,
    session: options.session ?? `s-${of.venue}`,
    ordinal,
    ...ladders,
    flags: checkBook(ladders, [0, 1_000_000], { market: of.market, observedAt }),
    ...(of.venue === 'venueb' ? { sequence: ordinal } : {}),
    ...(of.venue === 'venuec'
      ? { nativeBid: 'BUY', nativeAsk: 'SELL', hash: '0a1b2c', nativeIds: { asset_id: of.outcome } }
      : {}),
  });
}

export function market(
  venue: Venue,
  id: string,
  observedAt: Micros,
  more: Partial<MarketObserved> = {},
): MarketObserved {
  const labels = venue === 'venueb' ? ['Yes', 'No'] : ['Up', 'Down'];
  const ids = venue === 'venuea' ? ['0', '1'] : venue === 'venueb' ? ['yes', 'no'] : [C_UP, C_DOWN];
  return build.market({
    venue,
    market: id,
    observedAt,
    session: `catalogue-${venue}`,
    slug: venue === 'venueb' ? null : `btc-updown-5m-${id.slice(0, 10)}`,
    title: 'BTC Up or Down',
    question: 'Will BTC be up?',
    asset: 'BTC',
    window: venue === 'venueb' ? '15m' : '5m',
    nativeStatus: venue === 'venuea' ? 'OPEN' : 'active',
    eventId: venue === 'venuea' ? '990017' : venue === 'venueb' ? 'KXBTC15M-26NOV141915' : '51772',
    seriesId: venue === 'venuea' ? null : venue === 'venueb' ? 'KXBTC15M' : 'btc-up-or-down-5m',
    conditionId: venue === 'venueb' ? null : venue === 'venuea' ? '0x1c3e' : id,
    outcomes: ids.map((one, index) => ({
      id: one,
      label: labels[index]!,
      index,
      tokenId: venue === 'venueb' ? null : venue === 'venuea' ? `88${index}` : one,
      winner: null,
    })),
    opensAt: observedAt,
    closesAt: observedAt + 15 * MINUTE,
    listedAt: observedAt - DAY,
    expectedResolutionAt: observedAt + 16 * MINUTE,
    strike: '91263.65',
    volume: 18_230_000_000,
    liquidity: 12_076_980_000,
    participantCount: 41,
    chain: venue === 'venueb' ? null : '56',
    collateral: 'USDT',
    feeBps: 200,
    tickSize: 10_000,
    minSize: 5_000_000,
    simulated: true,
    native: JSON.stringify({ id, odd: 'kept' }),
    ...more,
  });
}

const watched = (of: Identity, observedAt: Micros, session = `s-${of.venue}`) => ({
  ...of,
  observedAt,
  session,
  collector: 'test',
});

export const captureStarted = (of: Identity, at: Micros, session?: string): LadderEvent =>
  build.started(watched(of, at, session));

export const captureBeat = (of: Identity, at: Micros, session?: string): LadderEvent =>
  build.beat(watched(of, at, session));

export const captureStopped = (of: Identity, at: Micros, session?: string): LadderEvent =>
  build.stopped(watched(of, at, session));

export const sample = (
  of: Identity,
  metric: 'chance' | 'price' | 'last_trade',
  at: Micros,
  value: number,
  entry = 0,
): LadderEvent =>
  build.sample({
    ...of,
    observedAt: at,
    session: 's-samples',
    entry,
    metric,
    value,
    text: String(value / 1e6),
  });

export const sampleCapture = (
  of: Identity,
  type: 'CaptureStarted' | 'CaptureBeat',
  at: Micros,
): LadderEvent => {
  const fields = { ...watched(of, at, 's-samples'), dataset: 'samples', outcome: null } as const;
  return type === 'CaptureStarted' ? build.started(fields) : build.beat(fields);
};

export function gap(of: Identity, from: Micros, to: Micros | null): LadderEvent[] {
  const session = `s-${of.venue}`;
  const common = {
    ...of,
    session,
    gapId: `gap-${of.venue}-${of.outcome.slice(0, 8)}-${from}`,
    from,
    lastBefore: { session, ordinal: 1, observedAt: from },
  };
  const opened = build.gapOpened({ ...common, observedAt: from + SECOND, detail: 'closed 1006' });
  if (to === null) return [opened];
  const firstAfter = { session, ordinal: 2, observedAt: to };
  return [opened, build.gapClosed({ ...common, observedAt: to, firstAfter })];
}

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  // Tests look into answers of every shape; the response validator has checked them against the contract.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
};

export async function ask(
  url: string,
  key: string | null = null,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    headers: { ...(key === null ? {} : { Authorization: `Bearer ${key}` }), ...headers },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}
