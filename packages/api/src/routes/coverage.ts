import type { Dataset, GapRow, Venue } from '@ladderlog/core';
import { EARLIEST_MICROS, toIso } from '@ladderlog/core';
import { gapsPage } from '@ladderlog/store';
import { sendOne, sendPage, written } from '../answers/answers.ts';
import type { Handler } from '../server/context.ts';
import { integer, text } from '../server/context.ts';
import { aliveSince, coverageView, evidenceOf, gapView, watchedSpan } from '../answers/coverage-view.ts';
import { ApiError } from '../answers/errors.ts';
import { cursorFor } from '../answers/paging.ts';
import { plainRange, requireVenue } from '../answers/ranges.ts';

export const getCoverage: Handler = async (context) => {
  const venue = text(context, 'venue') as Venue;
  const market = text(context, 'market_id')!;
  const dataset = (text(context, 'dataset') ?? 'books') as Dataset;
  const outcome = text(context, 'outcome');
  const asked = plainRange(context);
  requireVenue(context.key, venue, context.parts.plans);
  if (!(await context.parts.catalogue.find(venue, market)))
    throw new ApiError('MARKET_NOT_FOUND', `No market '${market}' was ever seen here.`, { market });
  const evidence = await evidenceOf(context, venue, market, dataset);
  const span = watchedSpan(evidence, outcome);
  // An open end is the last evidence; asked about the time after that, now.
  const open = span && (asked.from ?? span.from) <= span.to ? span.to : context.now;
  const to = Math.min(asked.to ?? open, context.now);
  const range = { from: Math.min(asked.from ?? span?.from ?? to, to), to };
  const coverage = coverageView(evidence, range, dataset, outcome, aliveSince(context));
  const ratio = coverage.covered_ratio ?? 0;
  sendOne(context, {
    venue,
    market_id: market,
    dataset,
    outcome_id: outcome,
    available_since: span ? toIso(span.from) : null,
    available_until: span ? toIso(span.to) : null,
    condition: ratio >= 1 ? 'available' : ratio > 0 ? 'degraded' : 'missing',
    coverage,
  });
};

export const listGaps: Handler = async (context) => {
  const venue = text(context, 'venue') as Venue;
  const market = text(context, 'market_id');
  const dataset = text(context, 'dataset') as Dataset | null;
  const asked = plainRange(context);
  const limit = integer(context, 'limit');
  const paging = await cursorFor(context);
  requireVenue(context.key, venue, context.parts.plans);
  if (market !== null && !(await context.parts.catalogue.find(venue, market)))
    throw new ApiError('MARKET_NOT_FOUND', `No market '${market}' was ever seen here.`, { market });
  const [fromAt, gapId] = paging.after ?? [];
  const rows = await context.parts.store.query<GapRow>(
    gapsPage({
      generation: paging.generation,
      venue,
      ...(market === null ? {} : { market }),
      ...(dataset === null ? {} : { dataset }),
      from: asked.from ?? EARLIEST_MICROS,
      to: asked.to ?? context.now + 1,
      after: paging.after ? { fromAt: Number(fromAt), gapId: String(gapId) } : null,
      limit: limit + 1,
    }),
    { name: 'api.gaps', signal: context.signal },
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  sendPage(
    context,
    await written(page, (gap) => ({
      gap_id: gap.gap_id,
      venue: gap.venue,
      market_id: gap.market,
      ...gapView(gap),
      detail: gap.detail === '' ? null : gap.detail,
    })),
    {
      limit,
      count: page.length,
      nextCursor: rows.length > limit && last ? paging.write([last.from_at, last.gap_id]) : null,
    },
  );
};
