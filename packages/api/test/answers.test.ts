import { describe, expect, test } from 'vitest';
import { joinLines, splitLines } from '../src/answers/answers.ts';

const lines = () => splitLines(Buffer.from('{"a":1}\n{"b":2}\n\n{"c":3}\n'));
const joined = (parts: readonly Uint8Array[]): string => Buffer.from(joinLines(parts)).toString();

describe('lines of the engine', () => {
  test('become a list, in one piece of the same memory', () => {
    const two = lines().slice(0, 2);
    const text = joinLines(two);
    expect(Buffer.from(text).toString()).toBe('{"a":1},{"b":2}');
    expect(text.buffer).toBe(two[0]!.buffer);
  });
  test('that do not follow each other are put together', () => {
    expect(joined(lines())).toBe('{"a":1},{"b":2},{"c":3}');
    expect(joined([lines()[2]!, lines()[0]!])).toBe('{"c":3},{"a":1}');
  });
  test('may be one or none', () => {
    expect(joined(lines().slice(1, 2))).toBe('{"b":2}');
    expect(joined([])).toBe('');
  });
});
