// REST asks for nothing that could not be kept.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { VenueRequest } from '@ladderlog/core';
import { Capture, adapterOf } from '@ladderlog/core';
import { pino } from 'pino';
import { expect, test } from 'vitest';

import { AdaptiveRate } from '../src/venue/rate.ts';
import { Rest } from '../src/venue/rest.ts';
import { SessionClock, systemClocks } from '../src/recorder/session-clock.ts';

const venueB = adapterOf('venueb');

test('while the buffer is full no call is made; then it goes out', async () => {
  let calls = 0;
  const server = createServer((_request, response) => {
    calls++;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const looked = Promise.withResolvers<void>();
  const drained = Promise.withResolvers<void>();
  let blocked = true;
  const rest = new Rest({
    source: 'rest',
    endpoint: {
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      perSecond: 100,
      burst: 100,
    },
    rate: new AdaptiveRate({ perSecond: 100, burst: 100 }, performance.now()),
    logger: pino({ level: 'silent' }),
    push: () => undefined,
    signal: new AbortController().signal,
    outbox: {
      get blocked() {
        return blocked;
      },
      unblocked: () => {
        looked.resolve();
        return drained.promise;
      },
    },
  });
  const session = new Capture({ adapter: venueB, collector: 'test', provenance: 'captured' }).openSession(
    's',
  );
  const path = '/markets';
  const request: VenueRequest = { source: 'rest', method: 'GET', path, body: null, channel: `rest:${path}` };
  const answer = rest.ask(session, new SessionClock(systemClocks), request);
  await looked.promise;
  expect(calls).toBe(0);
  blocked = false;
  drained.resolve();
  expect(await answer).toMatchObject({ ok: true });
  expect(calls).toBe(1);
  server.close();
});
