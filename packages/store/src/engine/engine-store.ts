// The embedded engine in a process of its own (startEngineServer), through its Unix socket. While that process is away every
// statement is STORE_UNAVAILABLE, and may be asked again.

import type { AgentOptions } from 'node:http';
import { Agent } from 'node:http';
import type { Store } from '../store.ts';
import { CHDB_LIMITS } from './chdb-store.ts';
import { openHttpStore } from './http-store.ts';
import type { Logger } from './logger.ts';
import type { OnStatement, StoreLimits } from './statements.ts';

export type EngineStoreOptions = {
  readonly socket: string;
  readonly database?: string;
  readonly limits?: Partial<StoreLimits>;
  readonly log?: Logger;
  readonly onStatement?: OnStatement;
};

export function openEngineStore(options: EngineStoreOptions): Promise<Store> {
  const { socket, database, log, onStatement } = options;
  const limits: StoreLimits = { ...CHDB_LIMITS, ...options.limits };
  // Node's types leave out socketPath of an agent.
  const agent: AgentOptions & { socketPath: string } = {
    socketPath: socket,
    keepAlive: true,
    maxSockets: limits.read.running + limits.write.running,
  };
  return openHttpStore({
    kind: 'chdb',
    what: `the engine at ${socket}`,
    access: { url: 'http://localhost', http_agent: new Agent(agent) },
    database,
    limits,
    log,
    onStatement,
  });
}
