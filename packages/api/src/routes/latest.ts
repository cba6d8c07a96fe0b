import type { MarketState } from '@ladderlog/core';
import { adapterOf } from '@ladderlog/core';
import { metaOf, sendBytes } from '../answers/answers.ts';
import type { Context, Handler } from '../server/context.ts';
import { marketIdOf, text, venueOf } from '../server/context.ts';
import { aliveSince, booksInOrder } from '../answers/coverage-view.ts';
import { bookBytes, gapOfBook } from '../answers/latest.ts';
import { checkAsset } from './markets.ts';
import { dataGap, shapeOf } from './snapshots.ts';

/** From memory; what memory lacks is read from the store first. */
async function marketOf(context: Context): Promise<MarketState> {
  const { parts, params } = context;
  const venue = venueOf(context);
  const market = marketIdOf(context);
  const found = parts.live.markets.find(venue, market);
  if (found?.whole && params['asset'] === undefined) return found.state;
  const known = await parts.catalogue.find(venue, market);
  // Newer than the tables.
  if (!known && found && found.state.books.length > 0) return found.state;
  if (found?.whole) return found.state;
  return (await parts.loadMarket(checkAsset(context, known, market))).state;
}

const latest =
  (many: boolean): Handler =>
  async (context) => {
    const market = await marketOf(context);
    const asked = text(context, 'outcome') ?? adapterOf(venueOf(context)).record.latestOutcome;
    const books = booksInOrder(market).filter(({ event }) => asked === null || event.outcome === asked);
    if (books.length === 0) throw dataGap(context.now, null, text(context, 'outcome'));
    const gap =
      books.map(({ event }) => gapOfBook(market, event, aliveSince(context))).find((one) => one !== null) ??
      null;
    const parts: Uint8Array[] = [many ? OPEN_MANY : OPEN_ONE];
    books.forEach((book, at) => {
      if (at > 0) parts.push(COMMA);
      if (many || at === 0) parts.push(bookBytes(book, market, shapeOf(context)));
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
