// A venue's own protocol on real sockets, with any content behind it: one HTTP server for each of its services.

import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import type {
  KeepAlive,
  ProtocolOptions,
  RequestHead,
  RestAnswer,
  Service,
  Venue,
  VenueFrame,
  VenueServerPart,
} from '@ladderlog/core';
import { Query, adapterOf } from '@ladderlog/core';

import { Clients } from './clients.ts';
import { openHost, type Host } from './host.ts';
import { nodePrimitives } from './primitives.ts';
import { OPEN_GATE, type Gate, type LostFrame, type NativeSource, type SentFrame } from './source.ts';

/** What may differ from the real venue's limits. */
export type ServerSettings = KeepAlive & Partial<Omit<ProtocolOptions, 'primitives'>>;

export type VenueServerOptions<F extends VenueFrame = VenueFrame> = {
  readonly venue: Venue;
  readonly source: NativeSource<F>;
  readonly host?: string;
  /** By the name of the service; a free one unless given. */
  readonly ports?: Readonly<Record<string, number>>;
  /** Microseconds; for timestamps checked in signatures, quotas and the record. */
  readonly clock: () => number;
  /** Anyone may enter unless credentials are given. */
  readonly settings?: ServerSettings;
  readonly gate?: Gate;
  readonly onSent?: (frame: SentFrame) => void;
  readonly onLost?: (frame: LostFrame) => void;
};

/** A running server of one venue. */
export type VenueServer = {
  /** The port of the first service. */
  readonly port: number;
  /** By service, and `ws`. */
  readonly urls: Readonly<Record<string, string>>;
  /** Open sockets. */
  connections(): number;
  /** Bytes that wait for the slowest reader: a source that is not bound to the clock holds back by it. */
  backlog(): number;
  /** Cuts every socket without a closing handshake. This and the next return how many sockets they touched. */
  disconnect(): number;
  /** Closes every socket with a code, as a venue does at the end of a connection's life. */
  closeAll(code: number, reason: string): number;
  /** Sends a text to every client, or to those that watch this id. */
  broadcast(text: string, id: string | null): number;
  /** Ends every subscription as for a reader that is too slow, where the venue has such an end. */
  overflow(): number;
  /** The next market frame of each client (that concerns this id) is lost. */
  skipNext(id: string | null): void;
  close(): Promise<void>;
};

export async function startVenueServer<F extends VenueFrame>(
  options: VenueServerOptions<F>,
): Promise<VenueServer> {
  const { venue, clock, gate = OPEN_GATE, host = '127.0.0.1', ports = {}, settings = {} } = options;
  const { onSent = () => {}, onLost = () => {} } = options;
  const part: VenueServerPart = adapterOf(venue).server;
  const source = options.source as NativeSource;
  const protocol = part.open({ primitives: nodePrimitives, credentials: null, ...settings });
  const keepAlive = { ...part.keepAlive, ...settings };
  const clients = new Clients({ venue, protocol, source, clock, gate, keepAlive, onSent, onLost });

  /** Not an answer of the source: what the gate forces, or what the protocol refuses. */
  async function refusal(head: RequestHead): Promise<RestAnswer | null> {
    const forced = gate.restStatus();
    if (forced !== null) return forced === 429 ? part.refusals.tooMany : part.refusals.failed;
    const { refusal: refused = null, delayMs = 0 } = protocol.admit(head, clock());
    if (delayMs > 0) await delay(delayMs);
    return refused;
  }

  const answerOf = (service: Service) => async (request: IncomingMessage, body: string) => {
    const head = headOf(service, request);
    const isForced = gate.restStatus() !== null;
    const { path, target } = questionOf(service, head, part.authParameters);
    const refused = await refusal(head);
    const { method, query } = head;
    const answer =
      refused ??
      (path === null ? null : source.rest({ service: service.name, method, path, query, target, body })) ??
      part.refusals.notFound;
    onSent({
      venue,
      channel: `${service.name}:${target}`,
      text: answer.body,
      at: clock(),
      markets: answer.markets ?? [],
      connection: 0,
      kind: isForced ? 'fault' : 'data',
    });
    return { ...answer, headers: { ...answer.headers, ...protocol.headers?.() } };
  };

  const hosts: Host[] = [];
  for (const service of part.services)
    hosts.push(
      await openHost({
        host,
        port: ports[service.name] ?? 0,
        gate,
        answer: answerOf(service),
        authorize(request) {
          const head = headOf(service, request);
          if (head.path !== service.socketPath) return part.refusals.notFound;
          return protocol.refuseSocket?.(head, clock()) ?? null;
        },
        accept: (socket, request) => clients.accept(socket, headOf(service, request)),
      }),
    );

  return {
    port: hosts[0]!.port,
    urls: urlsOf(part.services, hosts, host),
    connections: () => clients.connections(),
    backlog: () => clients.backlog(),
    disconnect: () => clients.disconnect(),
    closeAll: (code, reason) => clients.closeAll(code, reason),
    broadcast: (text, id) => clients.broadcast(text, id),
    overflow: () => clients.overflow(),
    skipNext: (id) => clients.skipNext(id),
    async close() {
      clients.disconnect();
      await Promise.all(hosts.map((one) => one.close()));
    },
  };
}

function headOf({ name }: Service, { url = '/', method = 'GET', headers }: IncomingMessage): RequestHead {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const rawQuery = mark < 0 ? '' : url.slice(mark + 1);
  return { service: name, method, path, rawQuery, query: new Query(rawQuery), headers };
}

/** The path below the service's base (null: it is not below), and the question without what only authenticates. */
function questionOf(
  { base }: Service,
  { path, rawQuery }: RequestHead,
  authParameters: readonly string[],
): { path: string | null; target: string } {
  const below = path.startsWith(`${base}/`) ? path.slice(base.length) : null;
  const kept = rawQuery
    .split('&')
    .filter((pair) => pair !== '' && !authParameters.includes(pair.split('=', 1)[0]!))
    .join('&');
  const asked = below ?? path;
  return { path: below, target: kept === '' ? asked : `${asked}?${kept}` };
}

function urlsOf(services: readonly Service[], hosts: readonly Host[], host: string): Record<string, string> {
  const urls: Record<string, string> = {};
  services.forEach(({ name, base }, at) => (urls[name] = `http://${host}:${hosts[at]!.port}${base}`));
  const at = services.findIndex(({ socketPath }) => socketPath !== undefined);
  if (at >= 0) urls['ws'] = `ws://${host}:${hosts[at]!.port}${services[at]!.socketPath}`;
  return urls;
}
