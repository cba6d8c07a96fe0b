// One row is one sample of exactly one metric: chance, price and last_trade never share a row.

import { defineProjection } from '../projection.ts';
import { envelopeColumns } from './envelope-columns.ts';

const VERSION = 1;

export const metricSamples = defineProjection('metric_samples', {
  version: VERSION,
  handles: ['MetricSampled'],
  project: (event, position) => [
    {
      ...envelopeColumns(event, position, VERSION),
      outcome: event.outcome,
      entry: event.entry,
      metric: event.metric,
      value: event.value,
      text: event.text,
      exact: event.exact,
      size: event.size,
      taker_side: event.takerSide,
    },
  ],
});
