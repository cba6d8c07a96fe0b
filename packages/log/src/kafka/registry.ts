// The schemas of the Kafka log, in a Confluent-compatible registry. One subject per event type, named as the record is (a topic
// carries many types), BACKWARD compatible: the registry refuses a schema that could not read what is already in the log.

import type { EventType } from '@ladderlog/core';
import { EVENT_TYPES, LadderlogError, setBounded } from '@ladderlog/core';
import confluent from '@kafkajs/confluent-schema-registry';
import type { Logger } from 'pino';
import type { SchemaIds } from '../avro/codec.ts';
import { schemaIdOf } from '../avro/codec.ts';
import { retrying } from './retry.ts';
import { EVENT_SCHEMAS } from '../avro/schemas.ts';

const { COMPATIBILITY, SchemaRegistry, SchemaType } = confluent;

export type RegistryAccess = {
  /** Of its Confluent API. */
  readonly registryUrl: string;
  readonly registryAuth?: { readonly username: string; readonly password: string };
};

export type RegistryOptions = RegistryAccess & {
  readonly retryForMs: number;
  readonly logger: Logger;
};

export type Registry = SchemaIds & {
  /** Fetches the schemas of ids not seen before, so that decoding needs no waiting. Unknown ones stay unknown. */
  learn(values: Iterable<Uint8Array>): Promise<void>;
};

/** An id that the registry did not know may be registered later; foreign bytes must not cause a request each. */
const ASK_AGAIN_AFTER_MS = 30_000;
/** Foreign bytes may seem to have any id. */
const MAX_UNKNOWN = 10_000;
const FETCH_TIMEOUT_MS = 15_000;

type Answer = {
  readonly schema?: string;
  /** Absent: Avro. */
  readonly schemaType?: string;
  readonly error_code?: number;
  readonly message?: string;
};

export async function openRegistry(options: RegistryOptions): Promise<Registry> {
  const registry = new ConfluentRegistry(options);
  await registry.register();
  return registry;
}

class ConfluentRegistry implements Registry {
  private readonly options: RegistryOptions;
  private readonly ids = new Map<EventType, number>();
  private readonly texts = new Map<number, string>();
  /** Ids that the registry did not know, and when they may be asked for again. */
  private readonly unknownUntil = new Map<number, number>();

  constructor(options: RegistryOptions) {
    this.options = options;
  }

  idOf(type: EventType): number {
    return this.ids.get(type)!;
  }

  schemaOf(id: number): string | null {
    return this.texts.get(id) ?? null;
  }

  async register(): Promise<void> {
    const { registryUrl: host, registryAuth: auth, retryForMs, logger } = this.options;
    const client = new SchemaRegistry({ host, clientId: 'ladderlog', ...(auth ? { auth } : {}) });
    await Promise.all(
      EVENT_TYPES.map(async (type) => {
        const { name, text } = EVENT_SCHEMAS[type];
        const doing = `registering ${name}`;
        const subject = { subject: name, compatibility: COMPATIBILITY.BACKWARD };
        const { id } = await retrying({ doing, forMs: retryForMs }, () =>
          client.register({ type: SchemaType.AVRO, schema: text }, subject).catch((error: unknown) => {
            throw refusal(error, doing) ?? error;
          }),
        );
        this.ids.set(type, id);
        this.texts.set(id, text);
      }),
    );
    logger.debug({ event: 'log.kafka.schemas', ids: Object.fromEntries(this.ids) }, 'schemas registered');
  }

  async learn(values: Iterable<Uint8Array>): Promise<void> {
    const wanted = new Set<number>();
    for (const value of values) {
      const id = schemaIdOf(value);
      if (id !== null && !this.texts.has(id) && (this.unknownUntil.get(id) ?? 0) <= performance.now())
        wanted.add(id);
    }
    for (const id of wanted) await this.fetchSchema(id);
  }

  /** A refusal (401, 403) is no proof that the id is unknown: the records would be rejected for ever. */
  private async fetchSchema(id: number): Promise<void> {
    const attempts = { doing: `fetching schema ${id}`, forMs: this.options.retryForMs };
    const text = await retrying(attempts, () => this.askFor(id));
    if (text !== null) {
      this.texts.set(id, text);
      this.unknownUntil.delete(id);
      return;
    }
    setBounded(this.unknownUntil, id, performance.now() + ASK_AGAIN_AFTER_MS, MAX_UNKNOWN);
    this.options.logger.warn({ event: 'log.kafka.unknown_schema', id }, 'schema id unknown');
  }

  /** Null when the registry has no such id, or something else than Avro under it. The client's own error tells neither. */
  private async askFor(id: number): Promise<string | null> {
    const { registryUrl: url, registryAuth: auth } = this.options;
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
}

const basic = ({ username, password }: NonNullable<RegistryAccess['registryAuth']>): string =>
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
