// The rows of a merging table as its engine keeps them, one a key, for those who have the log and not the table.

import type { LadderEvent } from '../events/events.ts';
import type { Position } from '../events/topics.ts';
import type { Projection } from './projection.ts';
import type { StoredRow, TableName, TableRow } from './tables.ts';

export class MergedRows<T extends TableName> {
  private readonly projection: Projection<T>;
  private readonly rows = new Map<string, TableRow<T>>();

  constructor(projection: Projection<T>) {
    this.projection = projection;
  }

  /** Events of other types than the projection's change nothing. */
  add(event: LadderEvent, position: Position): void {
    const { handles, merging, project } = this.projection;
    if (!merging || !handles.includes(event.type)) return;
    for (const row of project(event, position)) {
      const key = merging.key(row);
      const held = this.rows.get(key);
      this.rows.set(key, held ? merging.merge(held, row) : row);
    }
  }

  /** Only tables without bytes merge: what was given is what would be read. */
  list(): StoredRow<T>[] {
    return [...this.rows.values()] as unknown as StoredRow<T>[];
  }
}
