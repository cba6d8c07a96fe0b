import { expect, test } from 'vitest';

import { resolveConfig } from '../src/settings/config.ts';
import { masked } from '../src/settings/setting-texts.ts';

test('collectors of several shares have names of their own unless they are given one', () => {
  const name = (env: Record<string, string>): string => resolveConfig({}, env, {}).config.collectorId;
  expect(name({})).toBe('main');
  expect(name({ LADDERLOG_SHARD: '0/2' })).toBe('shard-0-of-2');
  expect(name({ LADDERLOG_SHARD: '1/2' })).toBe('shard-1-of-2');
  expect(name({ LADDERLOG_SHARD: '1/2', LADDERLOG_COLLECTOR_ID: 'mine' })).toBe('mine');
});

test('a name in the file with nothing behind it is not set', () => {
  const { config, origins, problems } = resolveConfig({}, {}, { port: null });
  expect(problems).toEqual([]);
  expect([config.port, origins.port]).toEqual([8080, 'default']);
});

test('an address is shown without its user and password, in any text', () => {
  expect(masked('GET http://me:pass@host:8123/x failed')).toBe('GET http://(set)@host:8123/x failed');
  expect(masked('{"url":"https://token@host"}')).toBe('{"url":"https://(set)@host"}');
  expect(masked('http://host/a@b and me@example.org')).toBe('http://host/a@b and me@example.org');
});
