// The newest observation per outcome, by observation time: an import of an older recording never replaces a live book.

import { defineProjection } from '../projection.ts';
import { bookRow } from './book-snapshots.ts';

const VERSION = 1;

export const latestBooks = defineProjection('latest_books', {
  version: VERSION,
  handles: ['BookObserved'],
  newestBy: (event) => `${event.venue}\n${event.market}\n${event.outcome}`,
  project: (event, position) => [bookRow(event, position, VERSION)],
});
