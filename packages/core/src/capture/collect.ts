// How a venue is collected, as values: which calls find its markets, what is said on its sockets, how it is polled, how fast it
// may be asked. Nothing here talks to anyone: the collectors' shell makes the calls, keeps the time and hands the answers back.

import type { SettingValues, VenueSettings } from '../kernel/settings.ts';
import type { Micros } from '../kernel/time.ts';
import type { Finding, MarketFields } from './finding.ts';

/** How often and how long. Tests and scaled simulators shorten it. */
export type VenueTiming = {
  readonly discoverMs: number;
  /** Watch so long before a market opens: new short-dated ones are subscribed ahead of time. */
  readonly leadMs: number;
  /** What is watched goes on so long after the end of trading, in case the venue does. */
  readonly graceMs: number;
  /** Nothing inbound at all, pings included, for so long: the socket is dead. */
  readonly silenceMs: number;
  /** A book quiet for so long is held against the venue's own book by REST. */
  readonly quietMs: number;
  /** How often some book is compared on schedule, where the venue's plan says so. */
  readonly compareMs: number | null;
  /** After open, a subscribed book that has not come by then is overdue. */
  readonly firstBookMs: number;
  readonly keepAliveMs: number;
  /** A polled book older than this is in a gap. */
  readonly staleMs: number;
  /** We leave before the venue closes (24 h). */
  readonly lifeMs: number;
};

export const DEFAULT_TIMING: VenueTiming = {
  discoverMs: 15_000,
  leadMs: 120_000,
  graceMs: 120_000,
  silenceMs: 35_000,
  quietMs: 30_000,
  compareMs: 30_000,
  firstBookMs: 10_000,
  keepAliveMs: 10_000,
  staleMs: 20_000,
  lifeMs: 23 * 3_600_000,
};

const SIMULATED_TIMING: Partial<VenueTiming> = { discoverMs: 5_000 };

/** The venue's timing, for the real one or the simulated one. */
export const timingOf = (collect: VenueCollect, simulated: boolean): VenueTiming => ({
  ...DEFAULT_TIMING,
  ...collect.timing,
  ...(simulated ? { ...SIMULATED_TIMING, ...collect.simulated.timing } : {}),
});

/** What a venue cannot do by itself: time, chance and cryptography. */
export type Primitives = {
  readonly wallMs: () => number;
  readonly randomHex: (bytes: number) => string;
  readonly hmacSha256Hex: (secret: string, text: string) => string;
  /** RSA-PSS with SHA-256, salt as long as the digest. */
  readonly rsaPssSha256Base64: (privateKeyPem: string, text: string) => string;
};

/**
 * A REST call: the shell joins it to the source's base address, signs it where the venue wants that, and stamps the answer with
 * `channel`.
 */
export type VenueRequest = {
  /** Which base address, and the first part of the channel: `rest`, `gamma`, `clob`. */
  readonly source: string;
  readonly method: 'GET' | 'POST';
  /** Path below the base address, with its query. */
  readonly path: string;
  readonly body: string | null;
  /** The channel of the answer's frame. */
  readonly channel: string;
};

/** What became of one request. `text` is the answer's body. */
export type Answer =
  | { readonly ok: true; readonly findings: readonly Finding[]; readonly text: string }
  | { readonly ok: false };

/** Asks for one thing after another; each answer is handed back before the next is asked. */
export type Requests = Generator<VenueRequest, void, Answer>;

export type KnownMarket = readonly [market: string, fields: MarketFields];

export type RestEndpoint = {
  readonly baseUrl: string;
  readonly perSecond: number;
  readonly burst: number;
  /** Adds what the venue wants (signature, key); may change the query. What is recorded is the path without it. */
  readonly sign?: (request: Pick<VenueRequest, 'method' | 'path'>) => {
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
  };
};

/** One market on a socket, and the outcomes of it whose books are sent. */
export type Target = { readonly market: string; readonly outcomes: readonly string[] };

/** What is said on one socket. Made anew for every socket; `onOpen` begins it again after a reconnect. */
export type SocketDialogue = {
  /** Fresh per connect: signatures age. */
  readonly endpoint: () => { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  /** What changes the meaning of the frames; recorded beside each. */
  readonly settings: Readonly<Record<string, string>>;
  readonly onOpen?: () => void;
  /** Messages to send after the socket opens, for these targets. */
  readonly hello: (targets: readonly Target[]) => string[];
  readonly add: (targets: readonly Target[]) => string[];
  readonly remove: (targets: readonly Target[]) => string[];
  /** Asks the venue for the whole book of these again, on the open socket. Where that does not help, we reconnect. */
  readonly resync: (targets: readonly Target[]) => string[];
  /** Sees each inbound text before it is normalized (subscription ids and the like); what it gives is sent in answer. */
  readonly onText?: (text: string) => readonly string[];
  /** A text of null: a ping of the WebSocket protocol. */
  readonly keepAlive: { readonly everyMs: number; readonly text: string | null };
  /** At least so long between two messages that we send. */
  readonly minSendGapMs: number;
};

export type PollLimits = { readonly minMs: number; readonly maxMs: number; readonly startMs: number };

/** The plan of one collector of a venue. It may remember what it found: make a new one for a new collector. */
export type CollectPlan = {
  readonly timing: VenueTiming;
  /** By the source that requests name. */
  readonly endpoints: Readonly<Record<string, RestEndpoint>>;
  /** Which markets are wanted; assets in upper case, null: any. */
  readonly choice: {
    readonly assets: readonly string[] | null;
    readonly windows: readonly string[] | null;
    readonly series: readonly string[] | null;
  };
  /** Catalogue calls that find new markets; every `discoverMs`. What the answers say of markets is known by itself. */
  discover(now: Micros): Requests;
  /** Asks again for markets that ended and whose resolution is not known. */
  resolve(markets: readonly KnownMarket[]): Requests;
  /** Calls that sample metrics, for the markets watched now; null where samples come another way, or not at all. */
  readonly sample: ((markets: readonly KnownMarket[]) => Requests) | null;
  /** Sockets, and how many markets one of them carries; null where books are polled. */
  readonly sockets: { readonly perSocket: number; open(): SocketDialogue } | null;
  /** Books by polling; null where sockets bring them. */
  readonly poll: { readonly request: (market: string) => VenueRequest; readonly limits: PollLimits } | null;
  /** The venue's own full book of a market's outcome: for scheduled comparison, and to tell quiet from dead. */
  readonly probe:
    ((market: string, outcome: string, fields: MarketFields | undefined) => VenueRequest | null) | null;
  /**
   * Where a book by REST begins and mends that of a stream: what has none is asked for at once, again after so long, and then
   * ever later; and once a market the books of all its outcomes are compared. Null: it does not.
   */
  readonly seedMs: number | null;
  /** How often some book is compared on schedule; null: only when quiet. */
  readonly compareMs: number | null;
};

/** One call of a backfill, and where it stands: a run that was interrupted goes on from the newest `resume`. */
export type BackfillStep = {
  readonly request: VenueRequest;
  readonly resume: string;
  readonly done: number;
  readonly total: number;
  /** About one item of a list, which the venue may have forgotten since. */
  readonly isDetail?: boolean;
};
export type BackfillPage = { readonly findings: readonly Finding[]; readonly text: string };
export type BackfillWalk = Generator<BackfillStep, void, BackfillPage>;

export type BackfillQuestion = {
  /** Assets or series, see VenueBackfill. */
  readonly of: readonly string[];
  readonly windows: readonly string[];
  /** Close times: from `since` on, before `until`. */
  readonly since: Micros;
  readonly until: Micros;
  readonly resume: string | null;
};

export type VenueBackfill = {
  /** What a question names, and the setting that has the default. Other assets of an answer are not taken. */
  readonly of: 'assets' | 'series';
  readonly setting: string;
  walk(question: BackfillQuestion): BackfillWalk;
};

export type VenueCollect = {
  /** Where it differs from the default. */
  readonly timing: Partial<VenueTiming>;
  /** What is different when the venue is the simulated one: settings that it serves, and timing. */
  readonly simulated: {
    readonly values: Readonly<Record<string, unknown>>;
    readonly timing: Partial<VenueTiming>;
  };
  /** From the values of the venue's settings, and the texts of their files. Or the settings that are needed and not set. */
  plan(
    values: SettingValues<VenueSettings>,
    timing: VenueTiming,
    primitives: Primitives,
  ): CollectPlan | { readonly missing: readonly string[] };
  readonly backfill: VenueBackfill;
};
