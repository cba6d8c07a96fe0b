// Brokers behind TLS with an authority of their own and a password, and a registry that asks for one: by settings alone.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { newPrefix, sharedKafka } from '../../../test/harness/kafka-log.ts';
import type { Finished } from '../../../test/harness/ladderlog.ts';
import { ladderlog } from '../../../test/harness/ladderlog.ts';

const kafka = sharedKafka();
const folder = mkdtempSync(join(tmpdir(), 'ladderlog-secure-'));
const USER = 'reader';
const PASSWORD = 'pass:word ü';
let registry: Server;
let settings: Record<string, string>;

const offsets = (env: Record<string, string> = {}): Promise<Finished> =>
  ladderlog(['log', 'offsets', '--json', '--data', join(folder, 'data')], { env: { ...settings, ...env } });

describe.skipIf(!kafka?.secure)('a log behind passwords', () => {
  beforeAll(async () => {
    const expected = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
    // The real one has no door with a lock.
    registry = createServer((request, response) => {
      void (async () => {
        if (request.headers.authorization !== expected)
          return response.writeHead(401, { 'content-type': 'application/json' }).end('{"error_code":401}');
        const body = await buffer(request);
        const answer = await fetch(`${kafka!.registryUrl}${request.url}`, {
          method: request.method!,
          headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
          ...(body.length > 0 ? { body } : {}),
        });
        const type = answer.headers.get('content-type') ?? 'application/json';
        return response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
      })();
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
    const { addresses, ca, username, password } = kafka!.secure!;
    writeFileSync(join(folder, 'ca.pem'), ca);
    settings = {
      LADDERLOG_KAFKA_BROKERS: addresses.join(','),
      LADDERLOG_KAFKA_PREFIX: newPrefix(),
      LADDERLOG_KAFKA_CA_FILE: join(folder, 'ca.pem'),
      LADDERLOG_KAFKA_SASL_MECHANISM: 'plain',
      LADDERLOG_KAFKA_SASL_USERNAME: username,
      LADDERLOG_KAFKA_SASL_PASSWORD: password,
      LADDERLOG_SCHEMA_REGISTRY_URL: `http://127.0.0.1:${(registry.address() as AddressInfo).port}`,
      LADDERLOG_SCHEMA_REGISTRY_USERNAME: USER,
      LADDERLOG_SCHEMA_REGISTRY_PASSWORD: PASSWORD,
    };
  });
  afterAll(() => {
    registry?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('opens with all of them', async () => {
    const { code, stdout, stderr } = await offsets();
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect((JSON.parse(stdout) as { topic: string }[]).map(({ topic }) => topic)).toContain('venuec');
    const user = `${encodeURIComponent(USER)}:${encodeURIComponent(PASSWORD)}`;
    const inAddress = await offsets({
      LADDERLOG_SCHEMA_REGISTRY_URL: settings['LADDERLOG_SCHEMA_REGISTRY_URL']!.replace('//', `//${user}@`),
      LADDERLOG_SCHEMA_REGISTRY_USERNAME: '',
      LADDERLOG_SCHEMA_REGISTRY_PASSWORD: '',
    });
    expect(inAddress.code).toBe(0);
  });

  test('is refused by the registry with a wrong password, which is not printed', async () => {
    const { code, stdout, stderr } = await offsets({ LADDERLOG_SCHEMA_REGISTRY_PASSWORD: 'another-word' });
    expect(code).toBe(1);
    expect(stdout + stderr).not.toContain('another-word');
    expect(stderr).toContain('registering');
  });

  test('warns of an import whose tape Kafka may cut at once', async () => {
    const file = join(folder, 'recording.jsonl');
    const line = { venue: 'venueb', channel: 'ws', received_at: '2026-05-15T09:17:05.873Z', frame: '{}' };
    writeFileSync(file, `${JSON.stringify(line)}\n`);
    const args = ['import', file, '--data', join(folder, 'data')];
    const kept = await ladderlog(args, { env: settings });
    expect(kept.stderr).not.toContain('import.tape_is_cut');
    const cut = await ladderlog(args, { env: { ...settings, LADDERLOG_FRAMES_DAYS: '30' } });
    expect(cut.stderr).toContain('import.tape_is_cut');
  });

  test('says which file it cannot read, or which is missing', async () => {
    const missing = await offsets({ LADDERLOG_KAFKA_CA_FILE: join(folder, 'nowhere.pem') });
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('LADDERLOG_KAFKA_CA_FILE cannot be read') as string,
    });
    const half = await offsets({ LADDERLOG_KAFKA_CERT_FILE: join(folder, 'ca.pem') });
    expect(half).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('LADDERLOG_KAFKA_KEY_FILE') as string,
    });
  });
});
