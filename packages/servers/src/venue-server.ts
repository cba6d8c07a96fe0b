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

import { Clients, type ClientsOptions } from './clients.ts';
import { openHost, type Host } from './host.ts';
import { nodePrimitives } from './primitives.ts';
import { OPEN_GATE, type Gate, type NativeSource, type Taps } from './source.ts';

/** What may differ from the real venue: its limits, and who may enter (anyone, unless credentials are given). */
export type ServerSettings = KeepAlive & Partial<Omit<ProtocolOptions, 'primitives'>>;

export type VenueServerOptions<F extends VenueFrame = VenueFrame> = Taps & {
  readonly venue: Venue;
  readonly source: NativeSource<F>;
  readonly host?: string;
  /** By the name of the service; a free one unless given. */
  readonly ports?: Readonly<Record<string, number>>;
  /** Microseconds; for timestamps checked in signatures, quotas and the record. */
  readonly clock: () => number;
  readonly settings?: ServerSettings;
  readonly gate?: Gate;
};

export type VenueServer = {
  /** The port of the first service. */
  readonly port: number;
  /** By service, and `ws`. */
  readonly urls: Readonly<Record<string, string>>;
  readonly clients: Omit<Clients, 'accept'>;
  close(): Promise<void>;
};

export async function startVenueServer<F extends VenueFrame>({
  venue,
  host = '127.0.0.1',
  ports = {},
  settings = {},
  gate = OPEN_GATE,
  ...options
}: VenueServerOptions<F>): Promise<VenueServer> {
  const part: VenueServerPart = adapterOf(venue).server;
  const protocol = part.open({ primitives: nodePrimitives, credentials: null, ...settings });
  const source = options.source as NativeSource;
  const context = {
    ...options,
    venue,
    source,
    gate,
    protocol,
    keepAlive: { ...part.keepAlive, ...settings },
  };
  const clients = new Clients(context);
  const hosts: Host[] = [];
  for (const service of part.services)
    hosts.push(
      await openHost({
        host,
        port: ports[service.name] ?? 0,
        gate,
        answer: (request, body) => answer(part, service, context, headOf(service, request), body),
        authorize(request) {
          const head = headOf(service, request);
          if (head.path !== service.socketPath) return part.refusals.notFound;
          return protocol.refuseSocket?.(head, options.clock()) ?? null;
        },
        accept: (socket, request) => clients.accept(socket, headOf(service, request)),
      }),
    );
  return {
    port: hosts[0]!.port,
    urls: urlsOf(part.services, hosts, host),
    clients,
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

/** What a fault forces, what the protocol refuses, what the source has, or not found. */
async function answer(
  part: VenueServerPart,
  { name, base }: Service,
  { venue, protocol, source, clock, gate, onSent }: ClientsOptions,
  head: RequestHead,
  body: string,
): Promise<RestAnswer> {
  const { method, query } = head;
  const path = head.path.startsWith(`${base}/`) ? head.path.slice(base.length) : null;
  const target = targetOf(path ?? head.path, head.rawQuery, part.authParameters);
  const forced = gate.restStatus();
  const admission =
    forced === null
      ? protocol.admit(head, clock())
      : { refusal: forced === 429 ? part.refusals.tooMany : part.refusals.failed };
  if (admission.delayMs) await delay(admission.delayMs);
  const found =
    admission.refusal ??
    (path === null ? null : source.rest({ service: name, method, path, query, target, body })) ??
    part.refusals.notFound;
  onSent?.({
    venue,
    channel: `${name}:${target}`,
    text: found.body,
    at: clock(),
    markets: found.markets ?? [],
    connection: 0,
    kind: forced === null ? 'data' : 'fault',
  });
  return { ...found, headers: { ...found.headers, ...protocol.headers?.() } };
}

/** The question without what only authenticates. */
function targetOf(path: string, rawQuery: string, authParameters: readonly string[]): string {
  const kept = rawQuery
    .split('&')
    .filter((pair) => pair !== '' && !authParameters.includes(pair.split('=', 1)[0]!))
    .join('&');
  return kept === '' ? path : `${path}?${kept}`;
}

function urlsOf(services: readonly Service[], hosts: readonly Host[], host: string): Record<string, string> {
  const urls: Record<string, string> = {};
  services.forEach(({ name, base }, at) => (urls[name] = `http://${host}:${hosts[at]!.port}${base}`));
  const at = services.findIndex(({ socketPath }) => socketPath !== undefined);
  if (at >= 0) urls['ws'] = `ws://${host}:${hosts[at]!.port}${services[at]!.socketPath}`;
  return urls;
}
