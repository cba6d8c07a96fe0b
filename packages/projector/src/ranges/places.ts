import type { Projection } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import type { Store } from '@ladderlog/store';

import type { CursorStore } from './cursor.ts';

/** Where the tables are, what they are made from and by. */
export type Places = {
  readonly log: EventLog;
  readonly store: Store;
  readonly cursors: CursorStore;
  readonly projections: readonly Projection[];
};
