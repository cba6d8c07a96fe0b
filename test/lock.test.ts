import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

import { missingEntries, platformOf } from '../infra/complete-lock.ts';

const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');

test('the lock names every optional package of every platform, so that npm ci takes it', () => {
  expect(missingEntries(JSON.parse(text))).toEqual({});
});

test('the lock names no registry: packages come from whichever one the machine is set up for', () => {
  expect(text.match(/"resolved": "https?:[^"]*/g) ?? []).toEqual([]);
});

test('a platform is read from a package name', () => {
  expect(platformOf('@chdb/lib-linux-arm64-gnu')).toEqual({ os: ['linux'], cpu: ['arm64'] });
  expect(platformOf('@rolldown/binding-darwin-x64')).toEqual({ os: ['darwin'], cpu: ['x64'] });
});
