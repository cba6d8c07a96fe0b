// Says briefly in what two answers differ.

import type { Answer } from './asking.ts';

const SHOWN = 6;
const WIDTH = 160;

export function differences(expected: Answer, actual: Answer): string[] {
  const found: string[] = [];
  if (expected.status !== actual.status) found.push(`status: ${expected.status} became ${actual.status}`);
  compare('headers', expected.headers, actual.headers, found);
  if (expected.body !== actual.body) {
    const before = found.length;
    compare('body', parsed(expected.body), parsed(actual.body), found);
    if (found.length === before) found.push('body: the same values, written in another way or order');
  }
  return found.length > SHOWN ? [...found.slice(0, SHOWN), `and ${found.length - SHOWN} more`] : found;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}

function compare(at: string, expected: unknown, actual: unknown, found: string[]): void {
  if (isObject(expected) && isObject(actual)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)]))
      compare(`${at}.${name}`, expected[name], actual[name], found);
  } else if (!Object.is(expected, actual)) found.push(`${at}: ${shown(expected)} became ${shown(actual)}`);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, WIDTH);
