// What a schema registry may answer for an id, and what becomes of the record then. The real one is in the Kafka tests.

import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCodec } from '@ladderlog/log';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FULL_EVENTS } from '../../../../test/harness/log-events.ts';
import type { Registry } from '../../src/kafka/registry.ts';
import { openRegistry } from '../../src/kafka/registry.ts';
import { EVENT_SCHEMAS } from '../../src/avro/schemas.ts';

const UNKNOWN = 999;
const logger = pino({ level: 'silent' });
let server: Server;
let registry: Registry;
/** What it says of the id that nobody registered. */
let answer: { status: number; type?: string; body: string };
let asked: (string | undefined)[];

beforeEach(async () => {
  asked = [];
  let ids = 0;
  server = createServer((request, response) => {
    const json = 'application/vnd.schemaregistry.v1+json';
    if (request.url !== `/schemas/ids/${UNKNOWN}`)
      return response
        .setHeader('content-type', json)
        .end(
          JSON.stringify(
            request.url!.startsWith('/config') ? { compatibilityLevel: 'BACKWARD' } : { id: ++ids },
          ),
        );
    asked.push(request.headers.authorization);
    return response.writeHead(answer.status, { 'content-type': answer.type ?? json }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  registry = await openRegistry({
    registryUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    registryAuth: { username: 'reader', password: 'secret' },
    retryForMs: 100,
    logger,
  });
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** A record under the id. */
const record = (): Uint8Array => {
  const bytes = createCodec(registry).encode(FULL_EVENTS.BookObserved);
  Buffer.from(bytes.buffer).writeUInt32BE(UNKNOWN, 1);
  return bytes;
};

test('an id it knows is read with its schema, asked for once and with the credentials', async () => {
  answer = { status: 200, body: JSON.stringify({ schema: EVENT_SCHEMAS.BookObserved.text }) };
  await registry.learn([record(), record()]);
  await registry.learn([record()]);
  expect(createCodec(registry).decode(record())).toEqual({ ok: true, event: FULL_EVENTS.BookObserved });
  expect(asked).toEqual([`Basic ${btoa('reader:secret')}`]);
});

test.each([
  ['it has not', { status: 404, body: '{"error_code":40403,"message":"Schema not found"}' }],
  ['of another kind', { status: 200, body: '{"schemaType":"JSON","schema":"{}"}' }],
])('an id %s is unknown, and not asked for with every record', async (_what, said) => {
  answer = said;
  await registry.learn([record()]);
  await registry.learn([record()]);
  expect(asked).toHaveLength(1);
  expect(createCodec(registry).decode(record())).toMatchObject({
    ok: false,
    error: { code: 'CODEC_UNKNOWN_SCHEMA' },
  });
});

test.each([
  ['401', { status: 401, body: '{"error_code":401,"message":"token expired"}' }],
  ['403', { status: 403, body: '{"error_code":40301,"message":"not allowed"}' }],
  ['404 of a proxy', { status: 404, type: 'text/html', body: '<h1>no such page</h1>' }],
  ['404 of a wrong path', { status: 404, body: '{"error_code":404,"message":"HTTP 404 Not Found"}' }],
  ['500', { status: 500, body: '{"error_code":50001,"message":"storage"}' }],
])('a %s says nothing about the id: the reader waits rather than reject records', async (_what, said) => {
  answer = said;
  await expect(registry.learn([record()])).rejects.toMatchObject({
    code: 'LOG_UNAVAILABLE',
    retryable: true,
  });
  answer = { status: 200, body: JSON.stringify({ schema: EVENT_SCHEMAS.BookObserved.text }) };
  await registry.learn([record()]);
  expect(createCodec(registry).decode(record())).toMatchObject({ ok: true });
});
