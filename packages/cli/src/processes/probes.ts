// GET /metrics, /live (the process answers) and /ready (it can do its work): on a port for whoever watches, and on a Unix socket
// for the supervisor and the other processes of an `up`, there with /status as JSON.

import { chmodSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';

import { removeSocket } from '../data/sockets.ts';
import type { Metrics } from './metrics.ts';

/** How a path is answered: status, content type, body. */
export type Answers = Readonly<Record<string, () => Promise<readonly [number, string, string]>>>;

export type Probes = { readonly port: number; close(): Promise<void> };

const TEXT = 'text/plain';

export const readiness = async (isReady: () => Promise<boolean>): Promise<[number, string, string]> =>
  (await isReady()) ? [200, TEXT, 'ok\n'] : [503, TEXT, 'not ready\n'];

export async function serveProbes(answers: Answers, listen: ListenOptions): Promise<Probes> {
  const all: Answers = { '/live': async () => [200, TEXT, 'ok\n'], ...answers };
  const handler: RequestListener = (request, response) => {
    const answer = all[request.url?.split('?')[0] ?? ''];
    const given = answer
      ? answer()
      : Promise.resolve([404, TEXT, `GET ${Object.keys(all).join(', ')}\n`] as const);
    given.then(
      ([status, type, body]) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    );
  };
  const server = createServer(handler);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(listen, resolve));
  const address = server.address() as AddressInfo | string;
  return {
    port: typeof address === 'string' ? 0 : address.port,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const metricsAnswers = ({ registry }: Metrics, isReady: () => Promise<boolean>): Answers => ({
  '/metrics': async () => [200, registry.contentType, await registry.metrics()],
  '/ready': () => readiness(isReady),
});

/** On a port, for a role that is a process of its own. */
export const serveMetrics = (
  metrics: Metrics,
  host: string,
  port: number,
  isReady: () => Promise<boolean>,
): Promise<Probes> => onMetricsPort(metricsAnswers(metrics, isReady), host, port);

export const onMetricsPort = (answers: Answers, host: string, port: number): Promise<Probes> =>
  serveProbes(answers, { host, port }).catch((error: unknown) => {
    throw Object.assign(error as Error, { flag: '--metrics-port' });
  });

/** On a socket of the data directory, for the other processes. */
export async function serveStatus(
  socket: string,
  metrics: Metrics,
  isReady: () => Promise<boolean>,
  status: () => unknown,
): Promise<Probes> {
  removeSocket(socket);
  const probes = await serveProbes(
    {
      ...metricsAnswers(metrics, isReady),
      '/status': async () => [200, 'application/json', JSON.stringify(status())],
    },
    { path: socket },
  );
  chmodSync(socket, 0o600);
  return probes;
}
