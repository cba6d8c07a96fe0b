// Our book held against the venue's own full book: the measured drift.

import { defineProjection } from '../projection.ts';
import { envelopeColumns } from './envelope-columns.ts';

const VERSION = 1;

export const comparisons = defineProjection('comparisons', {
  version: VERSION,
  handles: ['BookCompared'],
  project: (event, position) => [
    {
      ...envelopeColumns(event, position, VERSION),
      outcome: event.outcome,
      method: event.method,
      equal: event.equal,
      levels_ours: event.levelsOurs,
      levels_theirs: event.levelsTheirs,
      levels_differing: event.levelsDiffering,
      size_drift: event.sizeDrift,
      detail: event.detail ?? '',
    },
  ],
});
