// The embedded engine in a process of its own (startEngineServer), through its Unix socket. While that process is away every
// statement is STORE_UNAVAILABLE, and may be asked again. Not through @clickhouse/client: it puts 2 ms on top of every statement,
// more than the engine needs for a small one.

import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseError } from '@clickhouse/client';
import { LadderlogError } from '@ladderlog/core';
import { quoteText } from '../queries/sql.ts';
import type { Store } from '../store.ts';
import { CHDB_LIMITS } from './chdb-store.ts';
import type { HttpConnection, HttpStatement } from './http-store.ts';
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
  return openHttpStore({
    kind: 'chdb',
    what: `the engine at ${socket}`,
    connect: (to) => connect(socket, limits, to),
    database,
    limits,
    log,
    onStatement,
  });
}

function connect(socketPath: string, limits: StoreLimits, database = 'default'): HttpConnection {
  const agent = new Agent({ keepAlive: true, maxSockets: limits.read.running + limits.write.running });
  return {
    async send(statement) {
      const answer = await exchange(socketPath, agent, database, statement);
      if (answer.statusCode !== 200) throw parseError(await text(answer));
      return answer;
    },
    close: async () => agent.destroy(),
  };
}

/** Rejects where no answer came; one that is cut off fails by its length. */
function exchange(
  socketPath: string,
  agent: Agent,
  database: string,
  { sql, params = {}, body, signal }: HttpStatement,
): Promise<IncomingMessage> {
  const search = new URLSearchParams({ database });
  for (const [name, value] of Object.entries(params)) search.set(`param_${name}`, paramText(value));
  if (body !== undefined) search.set('query', sql);
  const bytes = body ?? Buffer.from(sql);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        socketPath,
        agent,
        method: 'POST',
        path: `/?${search.toString()}`,
        headers: { 'Content-Length': bytes.length },
        ...(signal === undefined ? {} : { signal }),
      },
      resolve,
    );
    sent.on('error', reject);
    sent.end(bytes);
  });
}

/** A value as the protocol writes it in an address: escaped, but quoted only within a list. */
function paramText(value: unknown): string {
  if (!Array.isArray(value)) return scalarText(value, escaped, '\\N');
  return `[${value.map((item) => scalarText(item, quoteText, 'NULL')).join(',')}]`;
}

function scalarText(value: unknown, ofText: (text: string) => string, none: string): string {
  switch (typeof value) {
    case 'string':
      return ofText(value);
    case 'number':
    case 'bigint':
    case 'boolean':
      return value.toString();
    default:
      if (value === null || value === undefined) return none;
      throw new LadderlogError('BAD_ARGUMENT', `a ${typeof value} cannot be a parameter of a statement`);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const escaped = (value: string): string => value.replace(/[\\\t\n\r]/g, (sign) => ESCAPES[sign]!);
