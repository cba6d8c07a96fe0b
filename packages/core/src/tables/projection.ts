// A projection is a value: which events it reads and the rows each gives. Rows depend on the event and its position in the
// log only (no clock, no random id, no earlier row), so that any range can be projected again to the same rows.

import type { EventType, LadderEvent } from '../events/events.ts';
import type { TableName, TableRow } from './tables.ts';
import type { Position } from '../events/topics.ts';

/** An event of these types. */
export type EventOf<T extends EventType> = Extract<LadderEvent, { readonly type: T }>;

export type Projection<T extends TableName = TableName> = {
  readonly name: string;
  /** Raised whenever the same event would give other rows. Part of the deduplication token, and of every row. */
  readonly version: number;
  readonly table: T;
  readonly handles: readonly EventType[];
  /**
   * For a table that keeps one row per key, the newest (by observedAt, then by offset): the key. A batch then needs the newest
   * event per key only; the table's engine does the same across batches. Null for a table that keeps every row.
   */
  readonly newestBy: ((event: LadderEvent) => string) | null;
  /**
   * For a table whose engine merges rows of one key: the same rule, so that the table can be verified against the log.
   * Commutative, associative and idempotent.
   */
  readonly merging: Merging<T> | null;
  readonly project: (event: LadderEvent, position: Position) => readonly TableRow<T>[];
};

export type Merging<T extends TableName> = {
  readonly key: (row: TableRow<T>) => string;
  readonly merge: (a: TableRow<T>, b: TableRow<T>) => TableRow<T>;
};

/** Checks the event types once, here; the projector hands over only what `handles` names. */
export const defineProjection = <T extends TableName, E extends EventType>(
  table: T,
  definition: {
    readonly version: number;
    readonly handles: readonly E[];
    readonly newestBy?: (event: EventOf<E>) => string;
    readonly merging?: Merging<T>;
    readonly project: (event: EventOf<E>, position: Position) => readonly TableRow<NoInfer<T>>[];
  },
): Projection<T> => ({
  name: table,
  version: definition.version,
  table,
  handles: definition.handles,
  newestBy: (definition.newestBy as Projection['newestBy'] | undefined) ?? null,
  merging: definition.merging ?? null,
  project: definition.project as Projection<T>['project'],
});

/** Whether `a` replaces `b` in a table of newest rows. Both have one key, hence one partition. */
export const isNewer = (
  aObservedAt: number,
  aOffset: number,
  bObservedAt: number,
  bOffset: number,
): boolean => (aObservedAt === bObservedAt ? aOffset > bOffset : aObservedAt > bObservedAt);

/** Names the set and its versions: all rows of one generation come from one set. */
export const fingerprintOf = (projections: readonly Projection[]): string =>
  projections
    .map(({ name, version }) => `${name}:v${version}`)
    .sort()
    .join(',');
