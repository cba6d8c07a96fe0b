// The schemas of the Kafka log, in a Confluent-compatible registry. One subject per event type, named as the record is (a topic
// carries many types), BACKWARD compatible: the registry refuses a schema that could not read what is already in the log.

import type { EventType } from '@ladderlog/core';
import { EVENT_TYPES, LadderlogError } from '@ladderlog/core';
import confluent from '@kafkajs/confluent-schema-registry';
import type { Logger } from 'pino';
import type { SchemaIds } from './codec.ts';
import { schemaIdOf } from './codec.ts';
import { retrying } from '../kafka/retry.ts';
import { EVENT_SCHEMAS } from './schemas.ts';

const { COMPATIBILITY, SchemaRegistry, SchemaType } = confluent;

export type RegistryOptions = {
  readonly url: string;
  readonly auth?: { readonly username: string; readonly password: string };
  readonly retryForMs: number;
  readonly logger: Logger;
};

export type Registry = SchemaIds & {
  /** Fetches the schemas of ids not seen before, so that decoding needs no waiting. Unknown ones stay unknown. */
  learn(values: Iterable<Uint8Array>): Promise<void>;
};

/** An id that the registry did not know may be registered later; foreign bytes must not cause a request each. */
const ASK_AGAIN_AFTER_MS = 30_000;
const FETCH_TIMEOUT_MS = 15_000;

type Answer = {
  readonly schema?: string;
  /** Absent: Avro. */
  readonly schemaType?: string;
  readonly error_code?: number;
  readonly message?: string;
};

export async function openRegistry(options: RegistryOptions): Promise<Registry> {
  const { url, auth, retryForMs, logger } = options;
  const client = new SchemaRegistry({ host: url, clientId: 'ladderlog', ...(auth ? { auth } : {}) });
  const ids = new Map<EventType, number>();
  const texts = new Map<number, string>();
  const missing = new Map<number, number>();

  const attempt = <T>(doing: string, call: () => Promise<T>): Promise<T> =>
    retrying({ doing, forMs: retryForMs }, async () => {
      try {
        return await call();
      } catch (error) {
        throw refusal(error, doing) ?? error;
      }
    });

  await Promise.all(
    EVENT_TYPES.map(async (type) => {
      const { name, text } = EVENT_SCHEMAS[type];
      const { id } = await attempt(`registering ${name}`, () =>
        client.register(
          { type: SchemaType.AVRO, schema: text },
          { subject: name, compatibility: COMPATIBILITY.BACKWARD },
        ),
      );
      ids.set(type, id);
      texts.set(id, text);
    }),
  );
  logger.debug({ event: 'log.kafka.schemas', ids: Object.fromEntries(ids) }, 'schemas registered');

  /** Null when the registry has no such id, or something else than Avro under it. The client's own error tells neither. */
  async function textOf(id: number): Promise<string | null> {
    const answer = await fetch(`${url}/schemas/ids/${id}`, {
      headers: auth ? { authorization: basic(auth) } : {},
      signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    });
    const text = await answer.text();
    const body = answer.headers.get('content-type')?.includes('json') ? (JSON.parse(text) as Answer) : {};
    if (answer.ok && body.schema !== undefined)
      return (body.schemaType ?? 'AVRO') === 'AVRO' ? body.schema : null;
    // The registry's own "not found", not that of a proxy before it.
    if (Math.floor((body.error_code ?? 0) / 100) === 404) return null;
    throw new Error(`status ${answer.status}: ${body.message ?? text.slice(0, 200)}`);
  }

  /** A refusal (401, 403) is no proof that the id is unknown: the records would be rejected for ever. */
  async function fetchSchema(id: number): Promise<void> {
    const text = await retrying({ doing: `fetching schema ${id}`, forMs: retryForMs }, () => textOf(id));
    if (text !== null) {
      texts.set(id, text);
      missing.delete(id);
      return;
    }
    missing.set(id, performance.now() + ASK_AGAIN_AFTER_MS);
    logger.warn({ event: 'log.kafka.unknown_schema', id }, 'schema id unknown');
  }

  return {
    idOf: (type) => ids.get(type)!,
    schemaOf: (id) => texts.get(id) ?? null,
    async learn(values) {
      let unknown: Set<number> | null = null;
      for (const value of values) {
        const id = schemaIdOf(value);
        if (id === null || texts.has(id) || (missing.get(id) ?? 0) > performance.now()) continue;
        (unknown ??= new Set()).add(id);
      }
      for (const id of unknown ?? []) await fetchSchema(id);
    },
  };
}

const basic = ({ username, password }: NonNullable<RegistryOptions['auth']>): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Answers of the registry that no repeat changes; everything else (network, 5xx) is tried again. */
function refusal(error: unknown, doing: string): LadderlogError | null {
  const status = (error as { status?: number }).status;
  const reason = `${doing}: ${(error as Error).message}`;
  if (status === 409 || (error as Error).name === 'ConfluentSchemaRegistryCompatibilityError')
    return new LadderlogError('SCHEMA_INCOMPATIBLE', reason, { cause: error });
  if (status === 404 || status === 422)
    return new LadderlogError('CODEC_UNKNOWN_SCHEMA', reason, { cause: error });
  if (status === 401 || status === 403)
    return new LadderlogError('LOG_UNAVAILABLE', reason, { cause: error });
  return null;
}
