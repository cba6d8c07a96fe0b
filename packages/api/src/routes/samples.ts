import type { Metric } from '@ladderlog/core';
import { samplesPage } from '@ladderlog/store';
import { sendPage } from '../answers/answers.ts';
import { cursorFor } from '../answers/paging.ts';
import { askedRange } from '../answers/ranges.ts';
import type { Handler } from '../server/context.ts';
import { integer, text, venueOf } from '../server/context.ts';
import { historyPage, observationAfter, observationKey } from './history.ts';
import { marketOf } from './markets.ts';

export const listSamples = historyPage('samples', 'api.samples', (context) => {
  const outcome = text(context, 'outcome');
  const metric = text(context, 'metric') as Metric;
  return {
    outcome,
    query: (request, after) =>
      samplesPage({ ...request, metric, outcome, after: after && observationAfter(after) }),
    cursorKey: observationKey,
  };
});

/** Reserved: fills are not recorded, and the answer says so by being empty. */
export const listTrades: Handler = async (context) => {
  await cursorFor(context);
  askedRange(context, venueOf(context));
  await marketOf(context);
  sendPage(context, [], { limit: integer(context, 'limit'), count: 0, nextCursor: null });
};
