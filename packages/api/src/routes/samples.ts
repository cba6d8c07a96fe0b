import type { Metric } from '@ladderlog/core';
import { samplesPage } from '@ladderlog/store';
import { sendPage, splitLines } from '../answers/answers.ts';
import type { Handler } from '../server/context.ts';
import { integer, text, venueOf } from '../server/context.ts';
import { aliveSince, coverageView, evidenceOf } from '../answers/coverage-view.ts';
import { marketView } from '../answers/market-view.ts';
import { cursorFor, keyOfRecord } from '../answers/paging.ts';
import { askedRange } from '../answers/ranges.ts';
import { marketOf } from './markets.ts';
import { notModified, rangeOf } from './snapshots.ts';

export const listSamples: Handler = async (context) => {
  const paging = await cursorFor(context);
  const asked = askedRange(context, venueOf(context));
  const known = await marketOf(context);
  if (notModified(context, known, asked, paging.generation)) return;
  const outcome = text(context, 'outcome');
  const evidence = await evidenceOf(context, known.venue, known.market, 'samples');
  const { range, shown } = rangeOf(asked, evidence, outcome);
  const limit = integer(context, 'limit');
  const [observedAt, offset] = paging.after ?? [];
  const lines = splitLines(
    await context.parts.store.queryRaw(
      samplesPage({
        generation: paging.generation,
        venue: known.venue,
        market: known.market,
        metric: text(context, 'metric') as Metric,
        outcome,
        identity: known.metadata,
        ...range,
        after: paging.after ? { observedAt: Number(observedAt), offset: Number(offset) } : null,
        limit: limit + 1,
      }),
      'JSONEachRow',
      { name: 'api.samples' },
    ),
  );
  const page = lines.slice(0, limit);
  const last = page.at(-1);
  const key = last && lines.length > limit ? keyOfRecord(last) : null;
  sendPage(
    context,
    page,
    { limit, count: page.length, nextCursor: key ? paging.write([key.observedAt, key.offset]) : null },
    {
      coverage: coverageView(evidence, shown, 'samples', outcome, aliveSince(context)),
      market: marketView(known.venue, known.market, known.metadata),
    },
  );
};

/** Reserved: fills are not recorded, and the answer says so by being empty. */
export const listTrades: Handler = async (context) => {
  await cursorFor(context);
  askedRange(context, venueOf(context));
  await marketOf(context);
  sendPage(context, [], { limit: integer(context, 'limit'), count: 0, nextCursor: null });
};
