import { describe, expect, test } from 'vitest';

import type { LadderEvent, Position, Projection, TableName, TableRow } from '../../src/index.ts';
import { EVENT_TYPES, PROJECTIONS, TABLES, TABLE_NAMES, isNewer, poisonRow } from '../../src/index.ts';
import * as given from './events.ts';
import { T0, envelope } from './events.ts';

const at = (offset: number): Position => ({ topic: 'venueb', partition: 2, offset });
const projection = <T extends TableName>(table: T) =>
  PROJECTIONS.find((candidate) => candidate.table === table) as unknown as Projection<T>;

/** Given a log that holds these events, the table holds these rows: engine rules applied as the projection states them. */
function tableOf<T extends TableName>(table: T, events: readonly LadderEvent[], times = 1): TableRow<T>[] {
  const value = projection(table);
  const rows = new Map<string, TableRow<T>>();
  for (let time = 0; time < times; time++) {
    events.forEach((event, offset) => {
      if (!value.handles.includes(event.type)) return;
      for (const row of value.project(event, at(offset))) {
        const key = value.newestBy?.(event) ?? value.merging?.key(row) ?? `${offset}`;
        const before = rows.get(key);
        if (before && value.merging) rows.set(key, value.merging.merge(before, row));
        else if (!before || !value.newestBy || newer(row, before)) rows.set(key, row);
      }
    });
  }
  return [...rows.values()];
}
const newer = (a: object, b: object): boolean => {
  const [x, y] = [a, b] as { observed_at: number; offset: number }[];
  return isNewer(x!.observed_at, x!.offset, y!.observed_at, y!.offset);
};

const position = (offset: number) => ({ version: 1, topic: 'venueb', partition: 2, offset });
const source = {
  venue: 'venueb',
  market: 'KXBTC-26NOV15',
  observed_at: T0,
  source_ts: T0 - 1_500,
  session: 's1',
  ordinal: 7,
  provenance: 'captured',
};

const everything: LadderEvent[] = [
  given.started,
  given.market,
  given.book,
  given.sample,
  given.beat,
  given.gapOpened,
  given.gapClosed,
  given.rejected,
  given.compared,
  given.stopped,
];

describe('every projection', () => {
  test.each(TABLE_NAMES)('%s gives exactly the columns of its table', (table) => {
    const rows = tableOf(table, everything);
    expect(rows.length).toBeGreaterThan(0);
    const columns = ['version', 'topic', 'partition', 'offset', ...Object.keys(TABLES[table])];
    for (const row of rows) expect(Object.keys(row).sort()).toEqual([...columns].sort());
  });

  test.each(TABLE_NAMES)('%s is the same table when the log is projected twice', (table) => {
    expect(tableOf(table, everything, 2)).toEqual(tableOf(table, everything));
  });

  test('together they take every event of a venue but the tape', () => {
    const taken = new Set(PROJECTIONS.flatMap(({ handles }) => handles));
    const left = EVENT_TYPES.filter((type) => !taken.has(type));
    expect(left).toEqual(['FrameCaptured', 'KeyIssued', 'KeyRevoked']);
  });
});

describe('book_snapshots', () => {
  test('a book becomes a row with its ladders as they came', () => {
    expect(tableOf('book_snapshots', [given.book])).toEqual([
      {
        ...position(0),
        ...source,
        outcome: 'yes',
        entry: 0,
        kind: 'snapshot',
        state: 'two_sided',
        flags: ['inexact'],
        best_bid: 540_000,
        best_ask: 560_000,
        bid_levels: 2,
        ask_levels: 1,
        bid_prices: [540_000, 530_000],
        bid_sizes: [10_000_000, 2_500_000],
        ask_prices: [560_000],
        ask_sizes: [7_000_000],
        native_bid: 'yes',
        native_ask: 'no',
        ask_complement: true,
        price_format: '4',
        size_format: 'min',
        exception_sides: ['bid'],
        exception_levels: [1],
        exception_prices: ['0.53'],
        exception_sizes: ['2.50000001'],
        hash: '',
        sequence: 12,
        native_ids: { market_uuid: 'u-1' },
      },
    ]);
  });

  test('the ladders are the arrays of the event, not copies', () => {
    const [row] = tableOf('book_snapshots', [given.book]);
    expect(row!.bid_prices).toBe(given.book.bidPrices);
    expect(row!.ask_sizes).toBe(given.book.askSizes);
  });

  test('a missing side is null, never zero', () => {
    const empty = { ...given.book, bidPrices: [], bidSizes: [], state: 'ask_only' as const };
    expect(tableOf('book_snapshots', [empty])[0]).toMatchObject({
      best_bid: null,
      best_ask: 560_000,
      bid_levels: 0,
    });
  });
});

describe('latest_books', () => {
  test('the newest observation wins, and at one instant the later in the log', () => {
    const newest = { ...given.book, observedAt: T0 + 2, ordinal: 9 };
    const same = { ...given.book, observedAt: T0 + 2, ordinal: 10 };
    const rows = tableOf('latest_books', [given.book, newest, same]);
    expect(rows).toMatchObject([{ ordinal: 10, offset: 2 }]);
  });

  test('an import of an older recording does not replace a live book', () => {
    const imported = { ...given.book, observedAt: T0 - 60_000_000, provenance: 'imported' as const };
    expect(tableOf('latest_books', [given.book, imported])).toMatchObject([{ provenance: 'captured' }]);
  });

  test('outcomes of one market are kept apart', () => {
    expect(tableOf('latest_books', [given.book, { ...given.book, outcome: 'no' }])).toHaveLength(2);
  });
});

describe('metric_samples', () => {
  test('one sample is one row of one metric', () => {
    expect(tableOf('metric_samples', [given.sample])).toEqual([
      {
        ...position(0),
        ...source,
        outcome: 'yes',
        entry: 1,
        metric: 'last_trade',
        value: 550_000,
        text: '0.55',
        exact: true,
        size: 3_000_000,
        taker_side: 'yes',
      },
    ]);
  });
});

describe('markets and market_history', () => {
  const closed = { ...given.market, observedAt: T0 + 5, status: 'closed' as const };

  test('history has every change, markets the newest', () => {
    expect(tableOf('market_history', [given.market, closed]).map((row) => row.status)).toEqual([
      'open',
      'closed',
    ]);
    expect(tableOf('markets', [given.market, closed])).toMatchObject([{ status: 'closed', offset: 1 }]);
  });

  test('a backfill of the past does not replace what is known now', () => {
    const backfilled = { ...given.market, observedAt: T0 - 5, provenance: 'backfilled' as const };
    expect(tableOf('markets', [closed, backfilled])).toMatchObject([{ status: 'closed' }]);
  });

  test('outcomes become aligned arrays; what the venue does not say is empty', () => {
    expect(tableOf('markets', [given.market])[0]).toMatchObject({
      outcome_ids: ['yes', 'no'],
      outcome_labels: ['Yes', 'No'],
      outcome_indexes: [0, 1],
      outcome_tokens: ['', 't-2'],
      outcome_winners: ['', 'no'],
      volume: 1_000_000,
      liquidity: null,
    });
  });
});

describe('coverage', () => {
  test('start, beat and stop are evidence at their own time', () => {
    const rows = tableOf('coverage', [given.started, given.beat, given.stopped]);
    expect(rows.map(({ kind, at, reason, collector }) => ({ kind, at, reason, collector }))).toEqual([
      { kind: 'started', at: T0, reason: '', collector: 'c1' },
      { kind: 'beat', at: T0 + 5_000_000, reason: '', collector: 'c1' },
      { kind: 'stopped', at: T0 + 9_000_000, reason: 'resolved', collector: 'c1' },
    ]);
  });

  test('an opened gap is evidence until its beginning, not until it was noticed', () => {
    expect(tableOf('coverage', [given.gapOpened])).toMatchObject([{ kind: 'gap', at: T0 + 1_000_000 }]);
  });

  test('beats of a session become one, the newest; starts stay apart', () => {
    const again = { ...given.started, observedAt: T0 + 7_000_000 };
    const later = { ...given.beat, observedAt: T0 + 8_000_000 };
    const rows = tableOf('coverage', [given.started, later, given.beat, again]);
    expect(rows.map((row) => [row.kind, row.at])).toEqual([
      ['started', T0],
      ['beat', T0 + 8_000_000],
      ['started', T0 + 7_000_000],
    ]);
  });

  test('no outcome means every outcome', () => {
    expect(tableOf('coverage', [{ ...given.beat, outcome: null }])[0]!.outcome).toBe('');
  });
});

describe('gaps', () => {
  const closed = {
    gap_id: 'g1',
    dataset: 'books',
    outcome: '',
    cause: 'disconnected',
    scope: 'connection',
    from_at: T0 + 1_000_000,
    to_at: T0 + 4_000_000,
    last_before_session: 's1',
    last_before_ordinal: 7,
    last_before_at: T0,
    first_after_session: 's2',
    first_after_ordinal: 0,
    first_after_at: T0 + 4_000_000,
    detail: 'code 1006',
  };

  test('while open it has no end', () => {
    expect(tableOf('gaps', [given.gapOpened])).toMatchObject([
      { gap_id: 'g1', to_at: null, first_after_at: null, detail: 'code 1006' },
    ]);
  });

  test('opened and closed are one gap, whichever comes first', () => {
    expect(tableOf('gaps', [given.gapOpened, given.gapClosed])).toMatchObject([closed]);
    expect(tableOf('gaps', [given.gapClosed, given.gapOpened])).toMatchObject([closed]);
  });
});

describe('rejects', () => {
  test('a rejected frame keeps its bytes and reason', () => {
    expect(tableOf('rejects', [given.rejected])).toEqual([
      {
        ...position(0),
        ...source,
        origin: 'frame',
        channel: 'ws',
        reason: 'malformed_json',
        detail: 'Unexpected end',
        body: given.rejected.body,
      },
    ]);
  });

  test('a poison record has its position, and of a huge body the beginning', () => {
    const row = poisonRow(
      {
        origin: 'record',
        key: envelope.market,
        time: T0,
        reason: 'CODEC_CORRUPT',
        detail: 'bad',
        body: new Uint8Array(10_000_000),
      },
      at(41),
    );
    expect(row).toMatchObject({ ...position(41), venue: 'venueb', market: envelope.market, observed_at: T0 });
    expect(row.body).toHaveLength(64 * 1024);
  });
});

describe('comparisons', () => {
  test('the measured drift of a book', () => {
    expect(tableOf('comparisons', [given.compared])).toEqual([
      {
        ...position(0),
        ...source,
        outcome: 'yes',
        method: 'rest',
        equal: false,
        levels_ours: 3,
        levels_theirs: 4,
        levels_differing: 1,
        size_drift: 2_000_000,
        detail: '',
      },
    ]);
  });
});
