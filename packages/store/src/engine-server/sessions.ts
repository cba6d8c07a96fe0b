// Sessions of chDB that stay open for the next request: a new one for each took half as long as a small query. Parameters are
// given to a session by SET in the text of the statement. chDB's own binding runs one such query at a time in the whole process,
// so a slow page held up every other.

import type { ClickHouseClient, DataFormat } from '@clickhouse/client';
import type { ChdbStore } from '../engine/chdb-store.ts';
import { collected } from '../engine/statements.ts';
import { checkedName, quoteText } from '../queries/sql.ts';

export type Statement = {
  readonly sql: string;
  readonly database: string;
  /** Values as the HTTP protocol writes them. */
  readonly params: ReadonlyMap<string, string>;
  /** Settings of the request; they would stay with a session. */
  readonly settings: ReadonlyMap<string, string>;
  /** Of the answer, unless the statement names one. */
  readonly format: DataFormat;
};

type Session = {
  readonly client: ClickHouseClient;
  /** Null: not known. */
  database: string | null;
  /** Every parameter it was ever given: there is no way to take one back. */
  readonly given: Set<string>;
};

/** Parameters may be long lists, and SET is held to the length of a query. */
const LONGEST_STATEMENT = 64 * 1024 * 1024;

/** What these leave behind belongs to nobody else. */
const CHANGES_SESSION = /^\s*(set|use|create\s+temporary)\s/i;

export class Sessions {
  private readonly store: ChdbStore;
  private readonly free: Session[] = [];

  constructor(store: ChdbStore) {
    this.store = store;
  }

  async run(statement: Statement): Promise<Uint8Array> {
    const session = this.take(statement) ?? (await this.open());
    const keep = statement.settings.size === 0 && !CHANGES_SESSION.test(statement.sql);
    try {
      const answer = await execute(session, statement);
      session.database = statement.database;
      return answer;
    } catch (error) {
      session.database = null;
      throw error;
    } finally {
      if (keep) this.free.push(session);
      else await session.client.close();
    }
  }

  async close(): Promise<void> {
    for (const { client } of this.free.splice(0)) await client.close();
  }

  private async open(): Promise<Session> {
    const client = await this.store.session();
    await client.command({ query: `SET max_query_size = ${LONGEST_STATEMENT}` });
    return { client, database: this.store.database, given: new Set() };
  }

  /** A free session that has no parameter of an earlier request which this statement names but does not give. */
  private take({ sql, params }: Statement): Session | undefined {
    const named = new Set(Array.from(sql.matchAll(/\{\s*(\w+)\s*:/g), (found) => found[1]!));
    for (const name of params.keys()) named.delete(name);
    const at = this.free.findLastIndex(({ given }) => given.isDisjointFrom(named));
    return at < 0 ? undefined : this.free.splice(at, 1)[0];
  }
}

async function execute(session: Session, statement: Statement): Promise<Uint8Array> {
  const { sql, database, params, settings, format } = statement;
  const first = session.database === database ? [] : [`USE ${checkedName(database)}`];
  const set = [
    ...Array.from(params, ([name, value]) => `param_${checkedName(name)} = ${quoteText(value)}`),
    ...Array.from(settings, ([name, value]) => `${checkedName(name)} = ${quoteText(value)}`),
  ];
  if (set.length > 0) first.push(`SET ${set.join(', ')}`);
  for (const name of params.keys()) session.given.add(name);
  const query = [...first, sql].join(';\n');
  // The default format is an option of chDB's call, not a setting of the session.
  return collected(
    (await session.client.exec({ query, clickhouse_settings: { default_format: format } })).stream,
  );
}
