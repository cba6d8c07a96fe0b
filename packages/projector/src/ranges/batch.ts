// One range of one partition, projected: pure in the records and the projections, so that a repeat gives the same rows.

import type { EventType, LadderEvent, Position, Projection, TableName, TableRow } from '@ladderlog/core';
import { TABLES, hashText, isNewer, poisonRow, timeOf } from '@ladderlog/core';
import type { EventCodec, LogRecord } from '@ladderlog/log';

import type { OffsetRange } from './cursor.ts';

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

/** Projects records into one sink per projection, in the order of the projections. */
export type RangeProjector = (
  topic: string,
  partition: number,
  records: readonly LogRecord[],
  sinks: readonly RowSink[],
) => ProjectedRange;

type Newest = { readonly record: LogRecord; readonly event: LadderEvent; readonly observedAt: number };

export function createRangeProjector(codec: EventCodec, projections: readonly Projection[]): RangeProjector {
  const rejectsAt = projections.findIndex(({ table }) => table === 'rejects');
  const routes = routesOf(projections);

  return (topic, partition, records, sinks) => {
    const newest = projections.map(({ newestBy }) => (newestBy ? new Map<string, Newest>() : null));
    let poison = 0;

    const reject = (
      record: LogRecord,
      origin: 'record' | 'projection',
      reason: string,
      detail: string,
    ): void => {
      poison++;
      if (rejectsAt < 0) return;
      const { key, time, value: body, offset } = record;
      const position = { topic, partition, offset };
      sinks[rejectsAt]!.add(poisonRow({ origin, key, time, reason, detail, body }, position), null);
    };

    const project = (
      at: number,
      event: LadderEvent,
      position: Position,
      newestKey: string | null,
    ): string | null => {
      try {
        for (const row of projections[at]!.project(event, position)) sinks[at]!.add(row, newestKey);
        return null;
      } catch (error) {
        return `${projections[at]!.name}: ${error instanceof Error ? error.message : String(error)}`;
      }
    };

    for (const record of records) {
      if (record.fault) {
        reject(record, 'record', record.fault.code, record.fault.message);
        continue;
      }
      const decoded = codec.decode(record.value);
      if (!decoded.ok) {
        reject(record, 'record', decoded.error.code, decoded.error.message);
        continue;
      }
      const { event } = decoded;
      const takers = routes.get(event.type);
      if (!takers) continue;
      const position = { topic, partition, offset: record.offset };
      let failure: string | null = null;
      for (const at of takers.every) failure = joined(failure, project(at, event, position, null));
      if (failure !== null) {
        reject(record, 'projection', 'PROJECTION_FAILED', failure);
        continue;
      }
      for (const at of takers.newest) {
        const key = projections[at]!.newestBy!(event);
        const observedAt = timeOf(event);
        const held = newest[at]!.get(key);
        if (!held || isNewer(observedAt, record.offset, held.observedAt, held.record.offset))
          newest[at]!.set(key, { record, event, observedAt });
      }
    }

    newest.forEach((latest, at) => {
      if (!latest) return;
      for (const [key, { record, event }] of latest) {
        const failure = project(at, event, { topic, partition, offset: record.offset }, key);
        if (failure !== null) reject(record, 'projection', 'PROJECTION_FAILED', failure);
      }
    });
    return { events: records.length, poison };
  };
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

/**
 * Names exactly these rows: a repeat under the same token adds nothing. Whatever changes what a range gives is in it, because
 * ClickHouse drops different rows under a reused token and reports success.
 */
export const tokenOf = (
  projection: Projection,
  generation: number,
  topic: string,
  partition: number,
  range: OffsetRange,
): string =>
  `${projection.name}:g${generation}:v${projection.version}:${schemaHash(projection.table)}:` +
  `${topic}:${partition}:${range.first}-${range.last}`;

const hashes = new Map<TableName, string>();

export function schemaHash(table: TableName): string {
  let hash = hashes.get(table);
  if (hash === undefined) {
    hash = hashText(JSON.stringify(Object.entries(TABLES[table]))).slice(0, 12);
    hashes.set(table, hash);
  }
  return hash;
}
