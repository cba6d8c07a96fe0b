// `ladderlog up`: the supervisor. It starts the engine, the simulators, the recorder and the service as processes, starts those
// again that end unasked, and ends them in order: the recorder first, so that nothing that was received is lost.

import type { Options } from '../command.ts';
import type { Context } from '../context.ts';
import { openDataDirectory } from '../data/data-directory.ts';
import { lockUp, writeUp } from '../data/up-lock.ts';
import { aborted } from './aborted.ts';
import type { AllFacts } from './role-set.ts';
import { RoleSet } from './role-set.ts';
import { serveUpMetrics } from './up-metrics.ts';

export type Up = {
  readonly url: string;
  readonly demoKey: string | null;
  readonly simulated: boolean;
  /** Venues that are being recorded. */
  readonly venues: readonly string[];
  /** Why venues are left out. Printed with --json under this name. */
  readonly left: readonly string[];
  readonly sqlUrl: string | null;
  readonly metricsPort: number | null;
  readonly directory: string;
  /** By role. */
  readonly processes: Readonly<Record<string, number | null>>;
  /** Settles when everything ended; rejects with the first failure. */
  readonly done: Promise<void>;
};

export async function startUp(context: Context, flags: Options): Promise<Up> {
  const { config, logger, signal } = context;
  const directory = openDataDirectory(config.data, logger);
  const lock = await lockUp(directory.path);
  const roles = new RoleSet(context, flags, () =>
    writeUp(directory.path, { pid: process.pid, processes: roles.running() }),
  );
  const metrics =
    config.metricsPort === null
      ? null
      : await serveUpMetrics(roles, directory.sockets, config.host, config.metricsPort).catch(
          (error: unknown) => {
            lock.release();
            throw error;
          },
        );
  const end = async (): Promise<void> => {
    await roles.stop();
    await metrics?.close();
    lock.release();
  };
  try {
    const stopped = aborted(signal);
    const facts = await Promise.race([
      roles.begin(),
      stopped.then(() => Promise.reject(signal.reason as Error)),
    ]);
    return {
      ...describe(context, facts),
      metricsPort: metrics?.port ?? null,
      directory: directory.path,
      processes: pidsOf(roles),
      done: stopped.then(end),
    };
  } catch (error) {
    await end();
    throw error;
  }
}

const pidsOf = (roles: RoleSet): Up['processes'] =>
  Object.fromEntries(Object.entries(roles.running()).map(([role, { pid }]) => [role, pid]));

function describe({ config }: Context, { engine, recorder, service }: AllFacts) {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    url: `http://${host}:${service.port}`,
    demoKey: service.demoKey,
    simulated: config.venues.mode === 'simulated',
    venues: recorder?.venues ?? [],
    left: recorder?.leftOut ?? [],
    sqlUrl: engine?.sqlUrl ?? null,
  };
}
