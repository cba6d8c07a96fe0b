import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('../../../', import.meta.url);
const map = readFileSync(new URL('docs/specification-map.md', ROOT), 'utf8');

test('every test that the map of the specification names exists', () => {
  const named = [...map.matchAll(/\| `(packages\/[^`]+)` · (.+?) \|$/gm)];
  expect(named.length).toBeGreaterThan(35);
  const missing = named.filter(
    ([, file, name]) => !readFileSync(new URL(file!, ROOT), 'utf8').includes(name!),
  );
  expect(missing.map(([line]) => line)).toEqual([]);
});
