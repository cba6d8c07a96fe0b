import type { Projection } from '../projection.ts';
import type { TableName } from '../tables.ts';
import { bookSnapshots } from './book-snapshots.ts';
import { comparisons } from './comparisons.ts';
import { coverage } from './coverage.ts';
import { gaps } from './gaps.ts';
import { latestBooks } from './latest-books.ts';
import { marketHistory, markets } from './markets.ts';
import { metricSamples } from './metric-samples.ts';
import { rejects } from './rejects.ts';

/** Every table of Ladderlog, and what fills it. */
const BY_TABLE = {
  book_snapshots: bookSnapshots,
  latest_books: latestBooks,
  metric_samples: metricSamples,
  markets,
  market_history: marketHistory,
  coverage,
  gaps,
  rejects,
  comparisons,
} as const satisfies { readonly [T in TableName]: Projection<T> };

// A Projection<T> only ever meets its own table's rows; the union cannot say so.
export const PROJECTIONS = Object.values(BY_TABLE) as unknown as readonly Projection[];
