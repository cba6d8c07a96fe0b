// The listening sockets: timeouts against slow senders, and an end that answers what is in flight.

import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Api } from './create-api.ts';
import { createMetricsServer } from './metrics.ts';

export type ApiServer = {
  readonly port: number;
  readonly metricsPort: number | null;
  /** The HTTP server, for the live feed's upgrades. */
  readonly server: Server;
  /** Accepts nothing new, answers what is in flight, then ends. Past `graceMs` connections are cut. */
  close(): Promise<void>;
};

export type ServeOptions = {
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
  /** Null: no metrics port. */
  readonly metricsPort?: number | null;
  readonly metricsHost?: string;
  readonly graceMs?: number;
  readonly logger: Logger;
};

export async function serveApi(api: Api, options: ServeOptions): Promise<ApiServer> {
  const server = createServer(
    { maxHeaderSize: 16 * 1024, requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 },
    api.app,
  );
  server.maxRequestsPerSocket = 0;
  const port = await listen(server, options.port, options.host ?? '127.0.0.1');
  const metrics =
    options.metricsPort === undefined || options.metricsPort === null
      ? null
      : createMetricsServer(api.metrics.registry);
  const metricsPort = metrics
    ? await listen(metrics, options.metricsPort!, options.metricsHost ?? '127.0.0.1')
    : null;
  options.logger.info({ event: 'api.listening', port, metrics_port: metricsPort }, 'API listening');
  return {
    port,
    metricsPort,
    server,
    async close() {
      await Promise.all([end(server, options.graceMs ?? 8_000), metrics ? end(metrics, 0) : null]);
      await api.close();
      options.logger.info({ event: 'api.closed' }, 'API closed');
    },
  };
}

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

function end(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
