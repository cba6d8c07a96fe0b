// A venue's own protocol as a server, without sockets: authentication, quotas, subscriptions, sequence numbers and envelopes
// are the venue's (venue-x/server.ts); HTTP, WebSockets, timers and faults are the shell's (packages/servers). What is served,
// a simulated market or a recording, is a source behind both.

import type { Micros } from '../../kernel/time.ts';
import type { Query } from './query.ts';

/** Cryptography that a server needs; the shell has it from the platform. Texts are UTF-8, digests hexadecimal. */
export type ServerPrimitives = {
  sha1(text: string): string;
  sha256(text: string): string;
  hmacSha256(secret: string, text: string): string;
  /** Checks RSA-PSS signatures (SHA-256, base64) made with this private key. */
  rsaPssVerifier(privateKeyPem: string): (text: string, signature: string) => boolean;
  /** A fresh RSA key, PEM. */
  rsaPrivateKey(): string;
};

/** One HTTP address. Its URL is the value of the setting `<name>Url`. */
export type Service = {
  /** Also the first part of the channel that an answer is recorded under: `rest`, `gamma`. */
  readonly name: string;
  /** Path of the API: '' or `/trade-api/v2`. */
  readonly base: string;
  /** Where its WebSocket opens, if it has one; the value of the setting `wsUrl`. */
  readonly socketPath?: string;
};

/** A request as it arrived. */
export type RequestHead = {
  readonly service: string;
  readonly method: string;
  readonly path: string;
  /** As sent, without the question mark: signatures are over the exact text. */
  readonly rawQuery: string;
  readonly query: Query;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, unknown>>;
};

/** A question to the source. */
export type RestRequest = {
  readonly service: string;
  readonly method: string;
  /** Path below the service's base, without the query: `/markets/KX…/orderbook`. */
  readonly path: string;
  readonly query: Query;
  /** Path and query without what only authenticates: `/book?token_id=…`. */
  readonly target: string;
  readonly body: string;
};

export type RestAnswer = {
  readonly status: number;
  /** The exact text. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Native ids of the markets it speaks of, when it is about few: for the record of what was sent. */
  readonly markets?: readonly string[];
};

export const asJson = (status: number, value: unknown, markets?: readonly string[]): RestAnswer => ({
  status,
  body: JSON.stringify(value),
  ...(markets ? { markets } : {}),
});

/** What a source has for clients at a time. Each venue adds its own fields. */
export type VenueFrame = { readonly market: string };

/** What to do for a client, in order. */
export type Output =
  | {
      readonly do: 'send';
      readonly text: string;
      /** `data`: market content. `control`: acknowledgements and errors. `pong`: sent even while a fault silences the venue. */
      readonly kind: 'data' | 'control' | 'pong';
      readonly markets: readonly string[];
    }
  | { readonly do: 'close'; readonly code: number; readonly reason: string }
  /** The client now watches these ids. */
  | { readonly do: 'watch'; readonly ids: ReadonlySet<string> }
  /** The client showed life: its ping timeout starts again. */
  | { readonly do: 'alive' };

export const sendData = (text: string, markets: readonly string[]): Output => ({
  do: 'send',
  text,
  kind: 'data',
  markets,
});
export const sendControl = (text: string): Output => ({ do: 'send', text, kind: 'control', markets: [] });

/** What a protocol may ask about one client while it handles an input. */
export type Client<F extends VenueFrame = VenueFrame> = {
  now(): Micros;
  /** Bytes that were sent and that the client has not taken yet. */
  unsent(): number;
  /** What a client gets at once for ids that it newly watches. */
  initial(ids: readonly string[]): readonly F[];
  /** Null unless a fault silences some id (market, ticker, token): then says which. */
  silence(): ((id: string) => boolean) | null;
  /** True once, when a fault lets the next frame about one of these ids be lost. */
  takeSkip(ids: readonly string[]): boolean;
  /** Reports that a fault kept this client from a frame. */
  lose(market: string): void;
};

/** True when a fault takes this frame from the client. */
export function isLost(client: Client, market: string, numbered = true): boolean {
  if (!client.silence()?.(market) && !(numbered && client.takeSkip([market]))) return false;
  client.lose(market);
  return true;
}

/** One client's socket. */
export type ServerSocket<F extends VenueFrame = VenueFrame> = {
  /** What it gets before it says anything. */
  opened?(): readonly Output[];
  message(text: string): readonly Output[];
  /** A frame of the source, at its time; nothing where the client does not watch it. */
  frame(frame: F): readonly Output[];
  watches(id: string): boolean;
  /** Ends every subscription as for a reader that is too slow, where the venue has such an end. */
  overflow?(): readonly Output[];
};

/** Whether a REST request may be answered. */
export type Admission = {
  readonly refusal?: RestAnswer | null;
  /** A venue that throttles lets the caller wait. */
  readonly delayMs?: number;
};

export type ServerProtocol<F extends VenueFrame = VenueFrame> = {
  /** Counts the request, and checks quotas and signature. */
  admit(request: RequestHead, now: Micros): Admission;
  /** Headers of every answer, quota used so far. */
  headers?(): Readonly<Record<string, string>>;
  /** An answer refuses the socket. */
  refuseSocket?(request: RequestHead, now: Micros): RestAnswer | null;
  openSocket?(request: RequestHead, client: Client<F>): ServerSocket<F>;
};

/** How long sockets live and how their life is checked; absent: for ever, or not at all. */
export type KeepAlive = {
  /** The venue closes a connection that is this old, with 1001. */
  readonly lifeMs?: number;
  /** A client that sends no ping for so long is dropped. */
  readonly pingTimeoutMs?: number;
  /** The venue pings this often and drops a client that did not answer the ping before. */
  readonly heartbeatMs?: number;
};

export type ProtocolOptions = {
  readonly primitives: ServerPrimitives;
  /** By setting name, as a client would configure them. Null: anyone may enter, whatever the signature. */
  readonly credentials: Readonly<Record<string, string>> | null;
  /** In the venue's own measure (weight a minute, reads a second); its real one unless given. */
  readonly quota?: number;
  /** Refuse unsigned REST reads where the venue itself mostly answers them. */
  readonly requireRestAuth?: boolean;
};

export type VenueServerPart<F extends VenueFrame = VenueFrame> = {
  /** The first has the socket, if there is one. A venue that is only polled has services without sockets. */
  readonly services: readonly Service[];
  /** Query parameters that only authenticate: no part of the question. */
  readonly authParameters: readonly string[];
  readonly keepAlive: KeepAlive;
  /** The venue's own words. */
  readonly refusals: {
    readonly notFound: RestAnswer;
    readonly tooMany: RestAnswer;
    readonly failed: RestAnswer;
  };
  open(options: ProtocolOptions): ServerProtocol<F>;
};
