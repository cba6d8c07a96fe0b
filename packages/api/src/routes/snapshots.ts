import type { Interval, LadderShape, Micros } from '@ladderlog/core';
import { adapterOf, toIso } from '@ladderlog/core';
import { sampledSnapshotsPage, snapshotsAt, snapshotsPage } from '@ladderlog/store';
import { joinLines, metaOf, sendBytes, sendPage, splitLines } from '../answers/answers.ts';
import type { KnownMarket } from '../answers/catalogue.ts';
import type { Context, Handler } from '../server/context.ts';
import { flag, integer, text, venueOf } from '../server/context.ts';
import type { CoverageView, Evidence, GapView } from '../answers/coverage-view.ts';
import {
  aliveSince,
  booksSeen,
  coverageView,
  evidenceOf,
  notCaptured,
  watchedSpan,
  watchedUntil,
} from '../answers/coverage-view.ts';
import type { CursorKey } from '../answers/cursor.ts';
import { ApiError } from '../answers/errors.ts';
import { marketView } from '../answers/market-view.ts';
import type { RecordKey } from '../answers/paging.ts';
import { cursorFor, filtersOf, keyOfRecord } from '../answers/paging.ts';
import type { AskedRange } from '../answers/ranges.ts';
import { askedInstant, askedRange } from '../answers/ranges.ts';
import { marketOf } from './markets.ts';

const INTERVALS: Readonly<Record<string, Micros>> = {
  '1s': 1_000_000,
  '10s': 10_000_000,
  '1m': 60_000_000,
  '5m': 300_000_000,
  '15m': 900_000_000,
  '1h': 3_600_000_000,
};

export const shapeOf = (context: Context): 'arrays' | 'levels' =>
  text(context, 'ladder') === 'levels' ? 'levels' : 'arrays';

/** The outcomes a route means; null: whatever was recorded. */
export function outcomesOf(context: Context, known: KnownMarket): readonly string[] | null {
  const asked = text(context, 'outcome');
  if (asked !== null) return [asked];
  const { historyOutcomes } = adapterOf(known.venue).record;
  if (historyOutcomes) return historyOutcomes;
  const outcomes = known.metadata?.outcomes.map(({ id }) => id) ?? [];
  return outcomes.length > 0 ? outcomes : null;
}

const oneOutcome = (outcomes: readonly string[] | null): string | null =>
  outcomes?.length === 1 ? outcomes[0]! : null;

export const listSnapshots: Handler = async (context) => {
  const paging = await cursorFor(context);
  const asked = askedRange(context, venueOf(context));
  const known = await marketOf(context);
  if (notModified(context, known, asked, paging.generation)) return;
  const outcomes = outcomesOf(context, known);
  const evidence = await evidenceOf(context, known.venue, known.market, 'books');
  const { range, shown } = rangeOf(asked, evidence, oneOutcome(outcomes));
  const limit = integer(context, 'limit');
  const interval = INTERVALS[text(context, 'interval') ?? ''];
  const shape: LadderShape = flag(context, 'include_orderbook') ? shapeOf(context) : null;
  const request = {
    generation: paging.generation,
    venue: known.venue,
    market: known.market,
    outcomes,
    identity: known.metadata,
    shape,
    ...range,
    // One more says whether there is a next page.
    limit: limit + 1,
  };
  const [at, within] = paging.after ?? [];
  const lines = splitLines(
    await context.parts.store.queryRaw(
      interval
        ? sampledSnapshotsPage({
            ...request,
            interval,
            after: paging.after ? { bucketAt: Number(at), outcome: String(within) } : null,
          })
        : snapshotsPage({
            ...request,
            after: paging.after ? { observedAt: Number(at), offset: Number(within) } : null,
          }),
      'JSONEachRow',
      { name: 'api.snapshots' },
    ),
  );
  const page = lines.slice(0, limit);
  const last = page.at(-1);
  const key = last && lines.length > limit ? keyOfRecord(last) : null;
  const keyset = (of: RecordKey): CursorKey =>
    interval ? [Math.floor(of.observedAt / interval) * interval, of.outcome] : [of.observedAt, of.offset];
  sendPage(
    context,
    page,
    { limit, count: page.length, nextCursor: key ? paging.write(keyset(key)) : null },
    {
      coverage: coverageView(evidence, shown, 'books', oneOutcome(outcomes), aliveSince(context)),
      market: marketView(known.venue, known.market, known.metadata),
    },
  );
};

/**
 * An open start is the first evidence of capture, or the oldest the plan reaches. An open end is now, or the end of capture
 * where that was on purpose: what nobody meant to record is no gap. `shown` is what the answer speaks of; `range` is what is
 * asked of the store, half-open, so that an observation at the very end of capture is still inside.
 */
export function rangeOf(
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
export function notModified(
  context: Context,
  known: KnownMarket,
  asked: AskedRange,
  generation: number,
): boolean {
  const { parts, request, response } = context;
  if (!asked.closed) {
    response.setHeader('Cache-Control', 'private, no-store');
    return false;
  }
  response.setHeader('Cache-Control', 'private, no-cache');
  if (asked.to > aliveSince(context) || (!asked.exactFrom && asked.from !== null)) return false;
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

/** One record or one per outcome, as the route says, each only if its book was being recorded at that instant. */
const at =
  (many: boolean): Handler =>
  async (context) => {
    const instant = askedInstant(context, venueOf(context));
    const known = await marketOf(context);
    const outcomes = outcomesOf(context, known);
    const evidence = await evidenceOf(context, known.venue, known.market, 'books');
    const lines = splitLines(
      await context.parts.store.queryRaw(
        snapshotsAt({
          generation: await context.parts.generation(),
          venue: known.venue,
          market: known.market,
          outcomes,
          identity: known.metadata,
          shape: shapeOf(context),
          at: instant,
        }),
        'JSONEachRow',
        { name: 'api.snapshot-at' },
      ),
    );
    const moment = { from: instant, to: instant + 1 };
    const coverageAt = (outcome: string | null): CoverageView =>
      coverageView(evidence, moment, 'books', outcome, aliveSince(context));
    // An observation is its own evidence; and what follows the newest sign of a running capture is not yet known to be a gap.
    const covered = lines.filter((line) => {
      const { outcome, observedAt } = keyOfRecord(line);
      return observedAt === instant || coverageAt(outcome).gaps.length === 0;
    });
    const coverage = coverageAt(oneOutcome(outcomes));
    const record = covered[0];
    if (!record) throw dataGap(instant, coverage.gaps[0] ?? null, oneOutcome(outcomes));
    const meta = metaOf(context, { coverage, market: marketView(known.venue, known.market, known.metadata) });
    context.response.setHeader('Cache-Control', 'private, no-cache');
    const end = `,"meta":${JSON.stringify(meta)}}`;
    if (many) sendBytes(context, Buffer.from('{"data":['), joinLines(covered), Buffer.from(`]${end}`));
    else sendBytes(context, Buffer.from('{"data":'), record, Buffer.from(end));
  };

export function dataGap(instant: Micros, gap: GapView | null, outcome: string | null): ApiError {
  const shown = gap ?? notCaptured({ from: instant, to: instant }, 'books', outcome);
  return new ApiError('DATA_GAP', `Nothing was recorded at ${toIso(instant)} (${shown.cause}).`, {
    gap: shown,
  });
}

export const getSnapshotAt = at(false);
export const getSnapshotsAt = at(true);
