// One range of one partition, projected: pure in the records and the projections, so that a repeat gives the same rows.

import type { EventType, LadderEvent, Position, Projection, TableName, TableRow } from '@ladderlog/core';
import { isNewer, poisonRow, timeOf } from '@ladderlog/core';
import type { LogRecord } from '@ladderlog/log';

/** Takes the rows of one projection. A throw refuses the row, and leaves nothing of it behind. */
export type RowSink = {
  /** `newestKey` is newestBy of the row's event, null where every row is kept. */
  add(row: TableRow<TableName>, newestKey: string | null): void;
};

export type ProjectedRange = {
  readonly events: number;
  /** Records that gave a reject instead of rows. */
  readonly poison: number;
};

/** Begins a range: its sinks are in the order of the projections. */
export type RangeProjections = (
  topic: string,
  partition: number,
  sinks: readonly RowSink[],
) => Pick<RangeProjection, 'add' | 'finish' | 'poison'>;

export function createRangeProjections(projections: readonly Projection[]): RangeProjections {
  const rejectsAt = projections.findIndex(({ table }) => table === 'rejects');
  const routes = routesOf(projections);
  return (topic, partition, sinks) =>
    new RangeProjection(projections, routes, topic, partition, sinks, rejectsAt);
}

/** Projects records into one sink per projection, in the order of the projections. */
export type RangeProjector = (
  topic: string,
  partition: number,
  records: readonly LogRecord[],
  sinks: readonly RowSink[],
) => ProjectedRange;

export function createRangeProjector(projections: readonly Projection[]): RangeProjector {
  const begin = createRangeProjections(projections);
  return (topic, partition, records, sinks) => {
    const range = begin(topic, partition, sinks);
    for (const record of records) range.add(record);
    range.finish();
    return { events: records.length, poison: range.poison };
  };
}

type Newest = { readonly record: LogRecord; readonly event: LadderEvent; readonly observedAt: number };

class RangeProjection {
  poison = 0;
  private readonly projections: readonly Projection[];
  private readonly routes: ReadonlyMap<EventType, Takers>;
  private readonly topic: string;
  private readonly partition: number;
  private readonly sinks: readonly RowSink[];
  private readonly rejectsAt: number;
  /** Per projection that keeps the newest only: the newest of this range so far. */
  private readonly newest: readonly (Map<string, Newest> | null)[];

  constructor(
    projections: readonly Projection[],
    routes: ReadonlyMap<EventType, Takers>,
    topic: string,
    partition: number,
    sinks: readonly RowSink[],
    rejectsAt: number,
  ) {
    this.projections = projections;
    this.routes = routes;
    this.topic = topic;
    this.partition = partition;
    this.sinks = sinks;
    this.rejectsAt = rejectsAt;
    this.newest = projections.map(({ newestBy }) => (newestBy ? new Map<string, Newest>() : null));
  }

  add(record: LogRecord): void {
    // An event takes many times the memory of its bytes: nobody keeps it but who has asked for it before.
    const decoded = record.peek();
    if (!decoded.ok) return this.reject(record, 'record', decoded.error.code, decoded.error.message);
    const { event } = decoded;
    const takers = this.routes.get(event.type);
    if (!takers) return;
    const position = this.positionOf(record);
    let failure: string | null = null;
    for (const at of takers.every) failure = joined(failure, this.project(at, event, position, null));
    if (failure !== null) return this.reject(record, 'projection', 'PROJECTION_FAILED', failure);
    for (const at of takers.newest) {
      const key = this.projections[at]!.newestBy!(event);
      const observedAt = timeOf(event);
      const held = this.newest[at]!.get(key);
      if (!held || isNewer(observedAt, record.offset, held.observedAt, held.record.offset))
        this.newest[at]!.set(key, { record, event, observedAt });
    }
  }

  finish(): void {
    this.newest.forEach((latest, at) => {
      for (const [key, { record, event }] of latest ?? []) {
        const failure = this.project(at, event, this.positionOf(record), key);
        if (failure !== null) this.reject(record, 'projection', 'PROJECTION_FAILED', failure);
      }
    });
  }

  private positionOf({ offset }: LogRecord): Position {
    return { topic: this.topic, partition: this.partition, offset };
  }

  /** Null, or why the projection could not take the event. */
  private project(
    at: number,
    event: LadderEvent,
    position: Position,
    newestKey: string | null,
  ): string | null {
    const { name, project } = this.projections[at]!;
    try {
      for (const row of project(event, position)) this.sinks[at]!.add(row, newestKey);
      return null;
    } catch (error) {
      return `${name}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  private reject(record: LogRecord, origin: 'record' | 'projection', reason: string, detail: string): void {
    this.poison++;
    if (this.rejectsAt < 0) return;
    const { key, time, value: body } = record;
    const row = poisonRow({ origin, key, time, reason, detail, body }, this.positionOf(record));
    this.sinks[this.rejectsAt]!.add(row, null);
  }
}

/** Tables of every row first: an event they cannot take is no candidate for the newest either. */
type Takers = { readonly every: number[]; readonly newest: number[] };

function routesOf(projections: readonly Projection[]): ReadonlyMap<EventType, Takers> {
  const routes = new Map<EventType, Takers>();
  projections.forEach((projection, at) => {
    for (const type of projection.handles) {
      const takers = routes.get(type) ?? { every: [], newest: [] };
      (projection.newestBy ? takers.newest : takers.every).push(at);
      routes.set(type, takers);
    }
  });
  return routes;
}

const joined = (a: string | null, b: string | null): string | null =>
  a === null ? b : b === null ? a : `${a}; ${b}`;
