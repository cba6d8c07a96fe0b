// A page of the history of one market: which range it is about, whether the client has it already, its records, and what of the
// range was recorded.

import type { Dataset, Interval, MarketIdentity, Venue } from '@ladderlog/core';
import type { Keyset, Query } from '@ladderlog/store';
import { sendPage, splitLines } from '../answers/answers.ts';
import type { KnownMarket } from '../answers/catalogue.ts';
import type { Evidence } from '../answers/coverage-view.ts';
import {
  aliveSince,
  booksSeen,
  coverageView,
  evidenceOf,
  watchedSpan,
  watchedUntil,
} from '../answers/coverage-view.ts';
import type { CursorKey } from '../answers/cursor.ts';
import { marketView } from '../answers/market-view.ts';
import type { RecordKey } from '../answers/paging.ts';
import { cursorFor, filtersOf, keyOfRecord } from '../answers/paging.ts';
import type { AskedRange } from '../answers/ranges.ts';
import { askedRange } from '../answers/ranges.ts';
import type { Context, Handler } from '../server/context.ts';
import { integer, venueOf } from '../server/context.ts';
import { marketOf } from './markets.ts';

/** What every query of history is asked. */
export type HistoryRequest = Interval & {
  readonly generation: number;
  readonly venue: Venue;
  readonly market: string;
  readonly identity: MarketIdentity | null;
  readonly limit: number;
};

type Asked = {
  /** The one outcome that is meant; null: several, or all. */
  readonly outcome: string | null;
  readonly query: (request: HistoryRequest, after: CursorKey | null) => Query;
  /** Where the next page begins, after this record. */
  readonly cursorKey: (last: RecordKey) => CursorKey;
};

/** For records in order of observation. */
export const observationKey = ({ observedAt, offset }: RecordKey): CursorKey => [observedAt, offset];
export const observationAfter = ([observedAt, offset]: CursorKey): Keyset => ({
  observedAt: Number(observedAt),
  offset: Number(offset),
});

export const historyPage =
  (dataset: Dataset, name: string, ask: (context: Context, known: KnownMarket) => Asked): Handler =>
  async (context) => {
    const paging = await cursorFor(context);
    const asked = askedRange(context, venueOf(context));
    const known = await marketOf(context);
    if (notModified(context, known, asked, paging.generation)) return;
    const { venue, market, metadata } = known;
    const { outcome, query, cursorKey } = ask(context, known);
    const evidence = await evidenceOf(context, venue, market, dataset);
    const { range, shown } = rangeOf(asked, evidence, outcome);
    const limit = integer(context, 'limit');
    const request: HistoryRequest = {
      generation: paging.generation,
      venue,
      market,
      identity: metadata,
      ...range,
      // One more says whether there is a next page.
      limit: limit + 1,
    };
    const lines = splitLines(
      await context.parts.store.queryRaw(query(request, paging.after), 'JSONEachRow', {
        name,
        signal: context.signal,
      }),
    );
    const page = lines.slice(0, limit);
    const last = page.at(-1);
    const nextCursor = last && lines.length > limit ? paging.write(cursorKey(keyOfRecord(last))) : null;
    sendPage(
      context,
      page,
      { limit, count: page.length, nextCursor },
      {
        coverage: coverageView(evidence, shown, dataset, outcome, aliveSince(context)),
        market: marketView(venue, market, metadata),
      },
    );
  };

/**
 * An open start is the first evidence of capture, or the oldest the plan reaches. An open end is now, or the end of capture
 * where that was on purpose: what nobody meant to record is no gap. `shown` is what the answer speaks of; `range` is what is
 * asked of the store, half-open, so that an observation at the very end of capture is still inside.
 */
function rangeOf(
  asked: AskedRange,
  evidence: Evidence,
  outcome: string | null,
): { readonly range: Interval; readonly shown: Interval } {
  const since = watchedSpan(evidence, outcome)?.from ?? null;
  const until = asked.exactTo ? null : watchedUntil(evidence, outcome);
  const to = until === null ? asked.to : Math.min(asked.to, Math.max(until, asked.from ?? 0));
  const exact = asked.from !== null && (since === null || asked.from > since || asked.exactFrom);
  const from = exact ? Math.min(asked.from!, to) : Math.min(since ?? to, to);
  return { range: { from, to: until === null ? to : to + 1 }, shown: { from, to } };
}

/**
 * Sets the ETag of a closed range; true when the client has it already and 304 was sent. Weak: request id and time differ from
 * answer to answer. None where the answer changes as time goes by: while evidence of the range's end may still be on its way,
 * and where the plan decides since when.
 */
function notModified(context: Context, known: KnownMarket, asked: AskedRange, generation: number): boolean {
  const { parts, request, response } = context;
  if (!asked.closed) {
    response.setHeader('Cache-Control', 'private, no-store');
    return false;
  }
  response.setHeader('Cache-Control', 'private, no-cache');
  if (asked.to > context.now - parts.silent || (!asked.exactFrom && asked.from !== null)) return false;
  const etag = parts.revisions.etag({
    topic: known.venue,
    market: known.market,
    to: asked.to,
    generation,
    query: [
      context.operation.name,
      context.params,
      filtersOf(context),
      context.query['limit'],
      context.query['cursor'],
      // Evidence of coverage that is in memory only.
      booksSeen(context, known).map(({ outcome, at }) => [outcome, Math.min(at, asked.to)]),
    ],
  });
  if (etag === null) return false;
  response.setHeader('ETag', etag);
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  const sent = request.headers['if-none-match']?.split(',').map(opaque) ?? [];
  if (!sent.includes(opaque(etag)) && !sent.includes('*')) return false;
  response.statusCode = 304;
  response.end();
  return true;
}
