import { describe, expect, test } from 'vitest';
import { RequestReader } from '../src/index.ts';

const PING = '{"type":"ping","id":"p"}';
const create = () => new RequestReader({ requestsPerSecond: 3, malformed: 2 });

describe('what a client sends', () => {
  test('is read, with the name that an answer goes to', () => {
    expect(create().read(PING, 0)).toEqual({ ok: true, request: { type: 'ping', id: 'p' }, id: 'p' });
  });
  test('so many a second; the next ends the connection without an answer', () => {
    const reader = create();
    for (let at = 0; at < 3; at++) expect(reader.read(PING, 999).ok).toBe(true);
    expect(reader.read(PING, 999)).toEqual({
      ok: false,
      answer: null,
      close: { code: 4429, reason: 'too many messages' },
    });
    expect(reader.read(PING, 1_000).ok).toBe(true);
  });
  test('what cannot be understood is answered; the last that is borne also ends the connection', () => {
    const reader = create();
    expect(reader.read('{', 0)).toMatchObject({
      ok: false,
      answer: { code: 'INVALID_MESSAGE' },
      close: null,
    });
    expect(reader.read('[]', 5_000)).toMatchObject({
      ok: false,
      answer: { type: 'error' },
      close: { code: 4400 },
    });
  });
});
