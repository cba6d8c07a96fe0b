import type { GapRow } from '@ladderlog/core';
import { latestSnapshots, openGaps } from '@ladderlog/store';
import { metaOf, sendBytes, splitLines } from '../answers.ts';
import type { KnownMarket } from '../catalogue.ts';
import type { Context, Handler } from '../context.ts';
import { text, venueOf } from '../context.ts';
import type { GapView } from '../coverage-view.ts';
import { gapView } from '../coverage-view.ts';
import { checkAsset, marketOf } from './markets.ts';
import { dataGap, outcomesOf, shapeOf } from './snapshots.ts';

type Found = { readonly records: readonly Uint8Array[]; readonly gap: GapView | null };

/** Default outcome of a venue that has one book a market. */
const DEFAULT_OUTCOME = { venuea: '0', venueb: 'yes', venuec: null } as const;

function fromMemory(context: Context, market: string): Found | null {
  const venue = venueOf(context);
  const asked = text(context, 'outcome') ?? DEFAULT_OUTCOME[venue];
  const { latest } = context.parts;
  const shape = shapeOf(context);
  const books = latest.of(venue, market);
  const meant = asked === null ? books : books.filter(({ outcome }) => outcome === asked);
  if (meant.length === 0) return null;
  let gap: GapView | null = null;
  for (const { outcome } of meant) gap ??= latest.gap(venue, market, outcome);
  return { records: meant.map((book) => book.json(shape)), gap };
}

/** Markets too quiet to be in memory. */
async function fromStore(context: Context, known: KnownMarket): Promise<Found | null> {
  const { parts } = context;
  const request = { generation: await parts.generation(), venue: known.venue, market: known.market };
  const outcomes = outcomesOf(context, known);
  const records = splitLines(
    await parts.store.queryRaw(
      latestSnapshots({ ...request, outcomes, identity: known.identity, shape: shapeOf(context) }),
      'JSONEachRow',
      { name: 'api.latest' },
    ),
  );
  if (records.length === 0) return null;
  const gaps = await parts.store.query<GapRow>(openGaps({ ...request, dataset: 'books' }), {
    name: 'api.open-gaps',
  });
  const open = gaps.find(({ outcome }) => outcome === '' || !outcomes || outcomes.includes(outcome));
  return { records, gap: open ? gapView(open) : null };
}

const latest =
  (many: boolean): Handler =>
  async (context) => {
    const market = context.params['market_id'] ?? context.params['market_ticker']!;
    let found = fromMemory(context, market);
    if (found && context.params['asset'] !== undefined)
      checkAsset(context, await context.parts.catalogue.find('venuec', market), market);
    if (!found) {
      const known = await marketOf(context);
      found = await fromStore(context, known);
      if (!found) throw dataGap(context.now, null, text(context, 'outcome'));
    }
    const { records, gap } = found;
    const parts: Uint8Array[] = [many ? OPEN_MANY : OPEN_ONE];
    records.forEach((record, at) => {
      if (at > 0) parts.push(COMMA);
      if (many || at === 0) parts.push(record);
    });
    parts.push(Buffer.from(`${many ? ']' : ''},"meta":${JSON.stringify(metaOf(context, { gap }))}}`));
    context.response.setHeader('Cache-Control', 'no-store');
    sendBytes(context, Buffer.concat(parts));
  };

const OPEN_ONE = Buffer.from('{"data":');
const OPEN_MANY = Buffer.from('{"data":[');
const COMMA = Buffer.from(',');

export const getLatest = latest(false);
export const getLatests = latest(true);
