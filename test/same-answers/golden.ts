// What version 0.1.0 answered. `UPDATE_GOLDEN=1` writes it again, by whatever code is there then.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

export const isUpdate = process.env['UPDATE_GOLDEN'] === '1';

const pathOf = (name: string): string => join(import.meta.dirname, 'golden', name);

export function readGolden(name: string): unknown {
  if (!existsSync(pathOf(name))) throw new Error(`${name} is not there; UPDATE_GOLDEN=1 writes it`);
  const bytes = readFileSync(pathOf(name));
  return JSON.parse((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()) as unknown;
}

/** Lists with an entry a line, so that a change can be read. */
export function writeGolden(name: string, value: object): void {
  const text = Array.isArray(value)
    ? `[\n${value.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`
    : `${JSON.stringify(value, null, 2)}\n`;
  mkdirSync(dirname(pathOf(name)), { recursive: true });
  writeFileSync(pathOf(name), name.endsWith('.gz') ? gzipSync(text, { level: 9 }) : text);
}
