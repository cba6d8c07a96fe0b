import { request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import pino from 'pino';
import { issueKey, revokeKey, rotateKey } from '@ladderlog/api';
import type { Answer, Running, World } from './api-harness.ts';
import {
  A_UP,
  B_YES,
  DAY,
  GENEROUS,
  MINUTE,
  SECOND,
  VENUE_A_MARKET,
  VENUE_B_MARKET,
  ask,
  book,
  captureBeat,
  captureStarted,
  gap,
  market,
  openWorld,
} from './api-harness.ts';

const T0 = 1_794_700_800_000_000;
const at = (micros: number): string => new Date(micros / 1000).toISOString();
let world: World;
let api: Running;
let key: string;
const logged: string[] = [];

beforeAll(async () => {
  world = await openWorld(T0 + 10 * MINUTE);
  key = await world.key('quant');
  await world.append([
    market('venuea', VENUE_A_MARKET, T0),
    market('venueb', VENUE_B_MARKET, T0),
    ...[A_UP, B_YES].flatMap((of) => [
      captureStarted(of, T0),
      ...Array.from({ length: 30 }, (_, ordinal) => book(of, { observedAt: T0 + ordinal * SECOND, ordinal })),
      captureBeat(of, T0 + 9 * MINUTE),
    ]),
  ]);
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  api = await world.start({ validateResponses: false, logger });
});
afterAll(() => world.close());

const B = `/v3/venueb/${VENUE_B_MARKET}/snapshots`;
const get = (path: string, headers: Record<string, string> = {}) => ask(api.url + path, key, headers);

/** fetch hides encodings; this does not. */
const raw = (path: string, method = 'GET', headers: Record<string, string> = {}, base = api.url) =>
  new Promise<{ status: number; headers: Record<string, string | string[] | undefined>; body: Buffer }>(
    (resolve, reject) => {
      const sent = httpRequest(
        base + path,
        { method, headers: { Authorization: `Bearer ${key}`, ...headers } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks),
            }),
          );
        },
      );
      sent.on('error', reject);
      sent.end();
    },
  );

/** Bytes as they are, and the answer as far as JSON. */
async function onSocket(bytes: string): Promise<Pick<Answer, 'status' | 'body'> & { head: string }> {
  const socket = connect(api.server.port, '127.0.0.1');
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: JSON.parse(body) };
}

describe('every answer', () => {
  test('carries a request id, in header and meta, kept when the client sends one', async () => {
    const own = await get('/v3/whoami', { 'X-Request-Id': 'my-request-0001' });
    expect(own.headers.get('x-request-id')).toBe('my-request-0001');
    expect(own.body.meta.request_id).toBe('my-request-0001');
    const unfit = await get('/v3/whoami', { 'X-Request-Id': 'a b' });
    expect(unfit.body.meta.request_id).toMatch(/^[0-9a-f]{16}$/);
    expect((await get('/v3/nowhere')).headers.get('x-request-id')).toBeTruthy();
  });
  test('carries the state of the rate limit', async () => {
    const { headers } = await get('/v3/whoami');
    expect(Number(headers.get('x-ratelimit-limit'))).toBe(1_000_000);
    expect(Number(headers.get('x-ratelimit-remaining'))).toBeLessThan(1_000_000);
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThanOrEqual(T0 / 1e6);
  });
  test('meta.timestamp is the clock of the service', async () => {
    expect((await get('/v3/whoami')).body.meta.timestamp).toBe(at(world.now));
  });
});

describe('methods and routes', () => {
  test('HEAD is GET without its body', async () => {
    const head = await raw(`${B}?limit=3`, 'HEAD');
    const full = await raw(`${B}?limit=3`);
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    expect(head.headers['content-length']).toBe(full.headers['content-length']);
    expect(head.headers['link']).toBe(full.headers['link']);
  });
  test('other methods are 405 with Allow', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await fetch(api.url + B, { method, headers: { Authorization: `Bearer ${key}` } });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD');
      expect(((await response.json()) as { error: { code: string } }).error.code).toBe('METHOD_NOT_ALLOWED');
    }
  });
  test('an unknown route is 404 in JSON, with and without a key', async () => {
    for (const path of ['/v3/nothing', '/v4/venueb/markets', '/', '/v3/venueb/markets/'])
      for (const who of [key, null]) {
        const { status, body } = await ask(api.url + path, who);
        expect([path, status, body.error.code]).toEqual([path, 404, 'ENDPOINT_NOT_FOUND']);
      }
  });
  test('a path that cannot be decoded is 400, and counted', async () => {
    const { status, headers } = await raw('/v3/venueb/%ZZ/snapshots');
    expect([status, headers['x-ratelimit-limit']]).toEqual([400, '1000000']);
    const limited = await world.start({ anonymousRates: [{ requests: 2, seconds: 300 }] });
    const statuses = [];
    for (let count = 0; count < 3; count++)
      statuses.push((await fetch(`${limited.url}/v3/%zz/markets`)).status);
    expect(statuses).toEqual([400, 400, 429]);
    await limited.close();
  });
  test('the wrong shape of a route is 404, not the route of an unknown asset', async () => {
    const { status, body } = await get(`/v3/venuea-prediction/markets/${VENUE_A_MARKET}/snapshots`);
    expect([status, body.error.code]).toEqual([404, 'ENDPOINT_NOT_FOUND']);
  });
  test('the whole URL in the request line means the same as its path', async () => {
    const whole = await onSocket(
      `GET http://else.where${B}?limit=2 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
    );
    expect(whole.status).toBe(200);
    expect(whole.body.data).toEqual((await get(`${B}?limit=2`)).body.data);
    expect(whole.head).toMatch(/^link: <\/v3\/venueb\/[^>]*cursor=[^>]*>; rel="next"$/im);
  });
  test('what is no request is answered in JSON too', async () => {
    const broken = await onSocket('GET /v3/health HTTP/1.1\r\nno header\r\n\r\n');
    expect([broken.status, broken.body.error.code]).toEqual([400, 'MALFORMED_REQUEST']);
    expect(broken.head).toContain(`X-Request-Id: ${broken.body.meta.request_id}`);
    const long = await onSocket(`GET /v3/health?x=${'a'.repeat(17_000)} HTTP/1.1\r\n\r\n`);
    expect([long.status, long.body.error.code]).toEqual([431, 'HEADERS_TOO_LARGE']);
    api.server.server.once('connection', (socket: Socket) => {
      const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      api.server.server.emit('clientError', late, socket);
    });
    const late = await onSocket('');
    expect([late.status, late.body.error.code]).toEqual([408, 'REQUEST_TIMEOUT']);
  });
});

describe('parameters', () => {
  test('an unknown one is refused with the nearest valid name', async () => {
    const { body } = await get(`${B}?limt=3`);
    expect(body.error).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: { parameter: 'limt', nearest: 'limit' },
    });
    expect(body.error.message).toContain("did you mean 'limit'");
  });
  test('ISO and epoch milliseconds mean the same instant; ranges are half-open', async () => {
    const iso = await get(`${B}?start_time=${at(T0 + 5 * SECOND)}&end_time=${at(T0 + 8 * SECOND)}`);
    const epoch = await get(
      `${B}?start_time=${(T0 + 5 * SECOND) / 1000}&end_time=${(T0 + 8 * SECOND) / 1000}`,
    );
    expect(iso.body.data.map((one: { timestamp: string }) => one.timestamp)).toEqual(
      [5, 6, 7].map((second) => at(T0 + second * SECOND)),
    );
    expect(epoch.body.data).toEqual(iso.body.data);
    const empty = await get(`${B}?start_time=${at(T0)}&end_time=${at(T0)}`);
    expect(empty.body).toMatchObject({ data: [], meta: { coverage: { covered_ratio: null } } });
  });
  test.each([
    '2026-02-30',
    '2026-13-01T00:00:00Z',
    '1794700800',
    'yesterday',
    '999999999999999',
    '100000000000',
  ])('%s is no time, and the answer says what is', async (given) => {
    for (const path of [`${B}?start_time=${given}`, `${B}/at/${given}`]) {
      const { error } = (await get(path)).body;
      expect(error.message).toContain(`'${given}' is not a time: send ISO 8601`);
      expect(error.details.parameter).toBe(path.includes('?') ? 'start_time' : 'timestamp');
    }
  });
  test.each([
    ['2026-11-15T02:00:05+02:00', 'a raw + is the zone it stands for'],
    ['2026-11-15 02:00:05+02', 'with a space too'],
    ['2026-11-15T02:00:05%2B0200', 'and encoded'],
    ['2026-11-15T00:00:05z', 'small z'],
  ])('%s: %s', async (given) => {
    const { body } = await get(`${B}?start_time=${given}&end_time=2026-11-15 00:00:06`);
    expect(body.data.map(({ timestamp }: { timestamp: string }) => timestamp)).toEqual([at(T0 + 5 * SECOND)]);
  });
  test('the whole of 2000 and of 2199 can be said in epoch milliseconds', async () => {
    const { status } = await ask(
      `${api.url}/v3/venueb/markets?start_time=946684800000&end_time=7258118399999`,
      key,
    );
    expect(status).toBe(200);
  });
  test('true and false are read in any case, as Python writes them too', async () => {
    for (const given of ['True', 'TRUE', 'true'])
      expect((await get(`${B}?limit=1&include_orderbook=${given}`)).body.data[0].orderbook).toBeDefined();
    expect((await get(`${B}?limit=1&include_orderbook=False`)).body.data[0].orderbook).toBeUndefined();
    const first = (await get(`${B}?limit=1&include_orderbook=True`)).body.pagination.next_cursor as string;
    expect((await get(`${B}?limit=1&include_orderbook=true&cursor=${first}`)).status).toBe(200);
  });
  test.each([
    [`${B}?limit=abc`, "limit must be integer, not 'abc'."],
    [`${B}?limit=0`, "limit must be >= 1, not '0'."],
    [`${B}?limit=`, 'limit is empty.'],
    [`${B}?limit=1&limit=2`, 'limit takes one value.'],
    [`${B}?include_orderbook=1`, "include_orderbook must be boolean, not '1'."],
    [
      `${B}?interval=2m`,
      "interval must be equal to one of the allowed values: 1s, 10s, 1m, 5m, 15m, 1h, not '2m'.",
    ],
    [`${B}?cursor=a:b`, 'cursor has characters that must be percent-encoded.'],
    ['/v3/coverage?venue=venueb', 'market_id is required.'],
    [
      '/v3/venuea-prediction/x/snapshots',
      "market_id 'x' is not well-formed: Venue A's own market identifier (an integer, written as text).",
    ],
  ])('%s: %s', async (path, message) => {
    expect((await get(path)).body.error).toMatchObject({ code: 'INVALID_PARAMETER', message });
  });
  test('a reversed range says which is which', async () => {
    const { body } = await get(`${B}?start_time=${at(T0 + SECOND)}&end_time=${at(T0)}`);
    expect(body.error.message).toContain('is before start_time');
  });
  test('SQL in an id or a filter is just an id', async () => {
    const inject = encodeURIComponent("KX' OR 1=1 --");
    expect((await get(`/v3/venueb/${inject}/snapshots`)).status).toBe(400);
    expect((await get(`/v3/venueb/markets?series=${inject}`)).status).toBe(400);
    expect((await get(`/v3/venueb/markets?series=KX.OR.1`)).body.data).toEqual([]);
  });
});

describe('plans', () => {
  test('history ends where the plan ends, and the answer says which plan goes further', async () => {
    const explorer = await world.key('explorer');
    const desk = await world.key('desk');
    for (const one of [explorer, desk])
      await expect.poll(async () => (await ask(`${api.url}/v3/whoami`, one)).status).toBe(200);
    const old = `start_time=${at(T0 - 40 * DAY)}&end_time=${at(T0 - 39 * DAY)}`;
    const refused = await ask(`${api.url}${B}?${old}`, explorer);
    expect(refused.status).toBe(403);
    expect(refused.body.error).toMatchObject({
      code: 'HISTORY_LIMIT_EXCEEDED',
      details: { required_plan: 'quant', oldest_allowed: at(T0 - 31 * DAY) },
    });
    expect((await get(`${B}?${old}`)).status).toBe(200);
    expect((await get(`${B}?start_time=${at(T0 - 61 * DAY)}`)).body.error.details.required_plan).toBe('desk');
    expect((await ask(`${api.url}${B}?start_time=2001-01-01`, desk)).status).toBe(200);
    expect(
      (await ask(`${api.url}/v3/venueb/${VENUE_B_MARKET}/snapshots/at/${at(T0 - 40 * DAY)}`, explorer)).body
        .error.code,
    ).toBe('HISTORY_LIMIT_EXCEEDED');
  });
  test('oldest_allowed can be asked for, all day, and pages begun with it can be read to their end', async () => {
    const now = world.now;
    const oldest = (await get('/v3/whoami')).body.data.oldest_allowed as string;
    world.now = T0 + DAY - 1;
    const path = `${B}?limit=10&start_time=${oldest}`;
    const first = await get(path);
    expect(first.status).toBe(200);
    expect((await get(`${B}/at/${oldest}`)).body.error.code).toBe('DATA_GAP');
    world.now = T0 + DAY;
    expect((await get(path)).body.error.code).toBe('HISTORY_LIMIT_EXCEEDED');
    const next = `${path}&cursor=${first.body.pagination.next_cursor}`;
    expect((await get(next)).status).toBe(200);
    world.now = T0 + 2 * DAY;
    expect((await get(next)).body.error.code).toBe('HISTORY_LIMIT_EXCEEDED');
    world.now = now;
  });
});

describe('keys', () => {
  test('Bearer and X-API-Key both open; a key in the URL does not', async () => {
    expect((await ask(`${api.url}/v3/whoami`, null, { 'X-API-Key': key })).status).toBe(200);
    expect((await ask(`${api.url}/v3/whoami`, null, { Authorization: `bearer ${key}` })).status).toBe(200);
    expect((await ask(`${api.url}/v3/whoami`, null, { Authorization: `Basic ${key}` })).body.error.code).toBe(
      'AUTH_INVALID',
    );
    const inUrl = await ask(`${api.url}/v3/whoami?api_key=${key}`);
    expect(inUrl.body.error.code).toBe('AUTH_MISSING');
    expect(inUrl.headers.get('www-authenticate')).toContain('Bearer');
  });
  test('every instance learns of a new, a revoked and a rotated key from the log', async () => {
    const other = await world.start();
    const fresh = await issueKey(world.log, world.clock, { plan: 'quant', name: 'fresh' });
    const status = (base: string, text: string) => async () => (await ask(`${base}/v3/whoami`, text)).status;
    for (const base of [api.url, other.url]) await expect.poll(status(base, fresh.key)).toBe(200);
    const rotated = await rotateKey(world.log, world.clock, { keyId: fresh.keyId });
    for (const base of [api.url, other.url]) {
      await expect.poll(status(base, rotated.key)).toBe(200);
      await expect.poll(status(base, fresh.key)).toBe(401);
    }
    await revokeKey(world.log, world.clock, { keyId: rotated.keyId, reason: 'test' });
    await expect.poll(status(api.url, rotated.key)).toBe(401);
    await other.close();
  });
  test('no log line holds a key', async () => {
    await get('/v3/whoami');
    await ask(`${api.url}/v3/whoami?token=${key}`, null, { 'X-API-Key': key });
    expect(logged.length).toBeGreaterThan(5);
    expect(logged.join('')).not.toContain(key.split('_')[2]);
    expect(
      logged.some((line) => line.includes('"operation":"whoami"') && line.includes('"status":200')),
    ).toBe(true);
  });
});

describe('rate limits', () => {
  test('200 parallel requests at a limit of 100: exactly 100 pass', async () => {
    const limited = await world.start({
      plans: { ...GENEROUS, quant: { ...GENEROUS.quant, rates: [{ requests: 100, seconds: 300 }] } },
    });
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => ask(`${limited.url}/v3/whoami`, key)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.body.error).toMatchObject({ code: 'RATE_LIMITED', details: { limit: 100, seconds: 300 } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    await limited.close();
  });
  test('burst and sustained hold at once, and each key has its own', async () => {
    const limited = await world.start({
      plans: {
        ...GENEROUS,
        quant: {
          ...GENEROUS.quant,
          rates: [
            { requests: 50, seconds: 1 },
            { requests: 3, seconds: 300 },
          ],
        },
      },
    });
    const statuses = [];
    for (let count = 0; count < 5; count++)
      statuses.push((await ask(`${limited.url}/v3/whoami`, key)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const second = await world.key('quant');
    await expect.poll(async () => (await ask(`${limited.url}/v3/whoami`, second)).status).toBe(200);
    await limited.close();
  });
  test('guessing keys is limited by address', async () => {
    const limited = await world.start({ anonymousRates: [{ requests: 5, seconds: 300 }] });
    const statuses = [];
    for (let count = 0; count < 7; count++)
      statuses.push((await ask(`${limited.url}/v3/whoami`, `ll_aaaaaaaaaaaa_${'x'.repeat(43)}`)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    // Anyone can send this header; only a proxy's is believed.
    expect((await ask(`${limited.url}/v3/health`, null, { 'X-Forwarded-For': '192.0.2.1' })).status).toBe(
      429,
    );
    expect((await ask(`${limited.url}/v3/whoami`, key)).status).toBe(200);
    await limited.close();
  });
  test('behind a proxy the address is the one that it names', async () => {
    const behind = await world.start({ trustProxy: 1, anonymousRates: [{ requests: 1, seconds: 300 }] });
    const from = async (address: string) =>
      (await ask(`${behind.url}/v3/health`, null, { 'X-Forwarded-For': `203.0.113.9, ${address}` })).status;
    expect([await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.2')]).toEqual([
      200, 429, 200,
    ]);
    await behind.close();
  });
});

describe('bytes', () => {
  test('are compressed when asked for', async () => {
    const packed = await raw(`${B}?include_orderbook=true`, 'GET', { 'Accept-Encoding': 'gzip' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    const plain = await raw(`${B}?include_orderbook=true`);
    expect(packed.body.length).toBeLessThan(plain.body.length / 2);
    expect((JSON.parse(gunzipSync(packed.body).toString()) as { data: unknown }).data).toEqual(
      (JSON.parse(plain.body.toString()) as { data: unknown }).data,
    );
  });
  test('of a closed range have an ETag, and 304 comes without asking the store', async () => {
    const path = `${B}?start_time=${at(T0)}&end_time=${at(T0 + 20 * SECOND)}`;
    const first = await get(path);
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
    const again = await get(path, { 'If-None-Match': etag });
    expect([again.status, again.body]).toEqual([304, null]);
    expect((await get(`${path}&limit=5`)).headers.get('etag')).not.toBe(etag);
    expect((await get(B)).headers.get('etag')).toBeNull();
    // Newer books do not change it; a late one and a gap that reaches back do.
    await world.append([book(B_YES, { observedAt: T0 + 9 * MINUTE, ordinal: 900 })]);
    const settled = async () => (await get(path)).headers.get('etag');
    let after = '';
    await expect.poll(async () => (after = (await settled()) ?? '')).not.toBe('');
    await world.append([book(B_YES, { observedAt: T0 + 9 * MINUTE + SECOND, ordinal: 901 })]);
    await expect.poll(settled).toBe(after);
    await world.append(gap(B_YES, T0 + 10 * SECOND, T0 + 11 * SECOND));
    await expect.poll(async () => ![null, after].includes(await settled())).toBe(true);
    expect((await get(path, { 'If-None-Match': after })).status).toBe(200);
  });
  test('an ETag is withheld while the tables are behind the log', async () => {
    const path = `/v3/venuea-prediction/${VENUE_A_MARKET}/snapshots?start_time=${at(T0)}&end_time=${at(T0 + MINUTE)}`;
    await expect.poll(async () => (await get(path)).headers.get('etag')).not.toBeNull();
    await world.append([book(A_UP, { observedAt: T0 + 40 * SECOND, ordinal: 77 })], false);
    await expect.poll(async () => (await get(path)).headers.get('etag')).toBeNull();
    await world.project();
    await expect.poll(async () => (await get(path)).headers.get('etag')).not.toBeNull();
    expect(
      (await get(path)).body.data.some((one: { native: { ordinal: number } }) => one.native.ordinal === 77),
    ).toBe(true);
  });
  test('CORS: preflight and exposed headers, for the allowed origins only', async () => {
    const preflight = await fetch(api.url + B, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://example.org',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'authorization',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(
      (await get('/v3/health', { Origin: 'https://example.org' })).headers.get(
        'access-control-expose-headers',
      ),
    ).toContain('Retry-After');
    const strict = await world.start({ corsOrigins: ['https://mine.example'] });
    const allowed = async (origin: string) =>
      (await ask(`${strict.url}/v3/health`, null, { Origin: origin })).headers.get(
        'access-control-allow-origin',
      );
    expect(await allowed('https://mine.example')).toBe('https://mine.example');
    expect(await allowed('https://other.example')).toBeNull();
    for (const headers of [{}, { 'Accept-Encoding': 'gzip' }]) {
      const { vary } = (
        await raw('/v3/health', 'GET', { Origin: 'https://mine.example', ...headers }, strict.url)
      ).headers;
      expect(vary).toBe('Origin, Accept-Encoding');
    }
    await strict.close();
  });
});

describe('reference and metrics', () => {
  test('/docs works offline: every file comes from here', async () => {
    const page = await (await fetch(`${api.url}/docs`)).text();
    const sources = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    expect(sources.length).toBe(3);
    for (const source of sources) {
      expect(source.startsWith('/docs/')).toBe(true);
      expect((await fetch(api.url + source)).status).toBe(200);
    }
    const contract = (await (await fetch(`${api.url}/openapi.json`)).json()) as { openapi: string };
    expect(contract.openapi).toBe('3.1.0');
  });
  test('/metrics is not a route of the API: its figures are served elsewhere', async () => {
    const text = await api.api.metrics.registry.metrics();
    expect(text).toContain('ladderlog_api_answers_total{operation="whoami",status="200"}');
    expect((await fetch(`${api.url}/metrics`)).status).toBe(404);
  });
});

test('a page whose client has left is not asked of the store any more', async () => {
  const asked = Promise.withResolvers<void>();
  const given: Promise<unknown>[] = [];
  // The real store, that begins a page only when its client has left.
  const store = new Proxy(world.store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== 'queryRaw') return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      return async (...[query, format, options]: Parameters<typeof target.queryRaw>) => {
        asked.resolve();
        const { signal } = options!;
        await new Promise((resolve) => signal!.addEventListener('abort', resolve, { once: true }));
        const answer = target.queryRaw(query, format, options);
        given.push(answer.catch((error: unknown) => error));
        return answer;
      };
    },
  });
  const slow = await world.start({ store });
  const sent = httpRequest(slow.url + B, { headers: { authorization: `Bearer ${key}` } });
  sent.on('error', () => {});
  sent.end();
  await asked.promise;
  sent.destroy();
  await expect.poll(() => given.length).toBe(1);
  expect(await given[0]).toMatchObject({ code: 'STORE_BUSY' });
  await slow.close();
});
