import type { LadderShape, Micros } from '@ladderlog/core';
import { adapterOf, toIso } from '@ladderlog/core';
import { sampledSnapshotsPage, snapshotsAt, snapshotsPage } from '@ladderlog/store';
import { joinLines, metaOf, sendBytes, splitLines } from '../answers/answers.ts';
import type { KnownMarket } from '../answers/catalogue.ts';
import type { Context, Handler } from '../server/context.ts';
import { flag, text, venueOf } from '../server/context.ts';
import type { CoverageView, GapView } from '../answers/coverage-view.ts';
import { aliveSince, coverageView, evidenceOf, notCaptured } from '../answers/coverage-view.ts';
import { ApiError } from '../answers/errors.ts';
import { marketView } from '../answers/market-view.ts';
import { keyOfRecord } from '../answers/paging.ts';
import { askedInstant } from '../answers/ranges.ts';
import { historyPage, observationAfter, observationKey } from './history.ts';
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

export const listSnapshots = historyPage('books', 'api.snapshots', (context, known) => {
  const outcomes = outcomesOf(context, known);
  const shape: LadderShape = flag(context, 'include_orderbook') ? shapeOf(context) : null;
  const interval = INTERVALS[text(context, 'interval') ?? ''];
  const outcome = oneOutcome(outcomes);
  return interval === undefined
    ? {
        outcome,
        query: (request, after) =>
          snapshotsPage({ ...request, outcomes, shape, after: after && observationAfter(after) }),
        cursorKey: observationKey,
      }
    : {
        outcome,
        query: (request, after) =>
          sampledSnapshotsPage({
            ...request,
            outcomes,
            shape,
            interval,
            after: after && { bucketAt: Number(after[0]), outcome: String(after[1]) },
          }),
        cursorKey: (last) => [Math.floor(last.observedAt / interval) * interval, last.outcome],
      };
});

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
        { name: 'api.snapshot-at', signal: context.signal },
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
