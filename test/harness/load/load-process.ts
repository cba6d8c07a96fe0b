// The load as a process of its own: venues B and C on real sockets, frames at the rate that the parent sets. The time in a frame
// is the time of its sending. Run by load.ts with an IPC channel.

import type { RestAnswer, RestRequest, VenueFrame } from '@ladderlog/core';
import { adapterOf } from '@ladderlog/core';
import type { NativeSource, SentFrame } from '@ladderlog/servers';
import { nodePrimitives, startVenueServer } from '@ladderlog/servers';

import { loadMarkets } from './markets.ts';
import type { LoadReady, LoadStats, LoadVenue } from './load.ts';

const TICK_MS = 4;
/** More than this behind its own plan, it gives up what was due, and says so. */
const GIVE_UP_MS = 1_000;

const clock = (): number => Date.now() * 1_000;
const markets = loadMarkets(Date.now());
const sent: Record<LoadVenue, number> = { venueb: 0, venuec: 0 };
const answer = (body: object): RestAnswer => ({ status: 200, body: JSON.stringify(body) });

type Served = {
  readonly settings: Readonly<Record<string, string>>;
  readonly watched: () => number;
  readonly push: (frame: VenueFrame) => void;
  readonly unsent: () => number;
};

/** First books of several tokens come in one frame. */
const booksIn = (text: string): number => (text.startsWith('[') ? text.split('"asset_id"').length - 1 : 1);

/** One venue with the load's books behind its protocol. */
async function serve(
  venue: LoadVenue,
  initial: (id: string) => VenueFrame | null,
  rest: (request: RestRequest) => RestAnswer | null,
): Promise<Served> {
  const content = markets.content(venue);
  const credentials = adapterOf(venue).simulate.credentials(1, nodePrimitives);
  const readers = new Map<(frame: VenueFrame) => void, ReadonlySet<string>>();
  const source: NativeSource = {
    rest: (request) => rest(request) ?? content.rest(request),
    connect(deliver) {
      readers.set(deliver, new Set());
      return {
        initial: (ids) => ids.flatMap((id) => initial(id) ?? []),
        watching: (ids) => void readers.set(deliver, new Set(ids)),
        close: () => void readers.delete(deliver),
      };
    },
  };
  const onSent = ({ channel, kind, text }: SentFrame): void => {
    if (channel === 'ws' && kind === 'data') sent[venue] += booksIn(text);
  };
  const server = await startVenueServer({
    venue,
    source,
    clock,
    onSent,
    settings: { credentials, quota: 1_000 },
  });
  const urls = Object.entries(server.urls).map(([name, url]) => [`${name}Url`, url] as const);
  return {
    settings: { ...Object.fromEntries(urls), ...credentials },
    watched: () => [...readers.values()].reduce((sum, ids) => sum + ids.size, 0),
    push: (frame) => readers.forEach((_ids, deliver) => deliver(frame)),
    unsent: () => server.clients.backlog(),
  };
}

const { booksB, booksC } = markets;
const ofMarket = new Map(booksB.map((book) => [book.market, book]));
const ofToken = new Map(booksC.map((book) => [book.token, book]));

const b = await serve(
  'venueb',
  (id) => ofMarket.get(id)?.snapshot() ?? null,
  ({ path }) => {
    const book = ofMarket.get(/^\/markets\/([^/]+)\/orderbook$/.exec(path)?.[1] ?? '');
    if (!book) return null;
    // A book that a quiet market is asked for is recorded like any other.
    sent.venueb++;
    return answer(book.orderbook());
  },
);
const c = await serve(
  'venuec',
  (id) => ofToken.get(id)?.current(Date.now()) ?? null,
  ({ service, path, query }) => {
    const book =
      service === 'clob' && path === '/book' ? ofToken.get(query.get('token_id') ?? '') : undefined;
    return book ? { status: 200, body: book.current(Date.now()).text } : null;
  },
);

let rate = 0;
let began = 0;
let due = 0;
let made = 0;
let turn = 0;
let behindMs = 0;
let givenUp = 0;

/** Frames of the two venues in turn, each from the next of its books. */
function send(): void {
  const now = Date.now();
  const iso = new Date(now).toISOString();
  due = ((performance.now() - began) * rate) / 1_000;
  if (rate > 0) behindMs = Math.max(behindMs, ((due - made) * 1_000) / rate - TICK_MS);
  if (due - made > (rate * GIVE_UP_MS) / 1_000) {
    givenUp += Math.floor(due - made);
    made = due;
  }
  for (; made + 1 <= due; made++, turn++) {
    if (turn % 2 === 0) b.push(booksB[(turn / 2) % booksB.length]!.delta(now, iso));
    else c.push(booksC[((turn - 1) / 2) % booksC.length]!.change(now));
  }
}

setInterval(send, TICK_MS);
setInterval(() => markets.advance(Date.now()), 1_000);

type Told = { readonly rate: number } | { readonly ask: number };
process.on('message', (told: Told) => {
  if ('rate' in told) {
    rate = told.rate;
    began = performance.now();
    made = 0;
    behindMs = 0;
    return;
  }
  const { user, system } = process.cpuUsage();
  const stats: LoadStats = {
    answers: told.ask,
    sent: { ...sent },
    watched: b.watched() + c.watched(),
    books: booksB.length + booksC.length,
    cpuSeconds: (user + system) / 1e6,
    behindMs: Math.round(behindMs),
    givenUp,
    unsentBytes: Math.max(b.unsent(), c.unsent()),
  };
  process.send!(stats);
});
process.on('disconnect', () => process.exit(0));

const ready: LoadReady = {
  settings: {
    venueb: { ...b.settings, ...markets.settings.venueb },
    venuec: { ...c.settings, ...markets.settings.venuec },
  },
  paths: markets.paths,
};
process.send!(ready);
