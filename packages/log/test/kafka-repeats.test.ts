import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { OutRecord } from '../src/kafka/repeats.ts';
import { createRepeats } from '../src/kafka/repeats.ts';

const record = (name: string): OutRecord => ({ key: 'M', value: Buffer.from(name), timestamp: '0' });
const records = (...names: string[]): OutRecord[] => names.map(record);
const names = (parts: readonly (readonly OutRecord[])[]): string[] =>
  parts.map((part) => part.map(({ value }) => String(value)).join(''));

const lines: string[] = [];
const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
const create = () => createRepeats({ topic: 't', partition: 0 }, logger);

test('answers equal bytes once, with the place they have', () => {
  const repeats = create();
  repeats.keep(records('a', 'b'), 7);
  expect(repeats.take(records('a'))).toBeNull();
  expect(repeats.take(records('a', 'c'))).toBeNull();
  expect(repeats.take(records('a', 'b'))).toBe(7);
  expect(repeats.take(records('a', 'b'))).toBeNull();
});

test('knows the parts of the open batch only when it is settled', () => {
  const repeats = create();
  const [one, two] = [records('a', 'b'), records('c')];
  repeats.keep(one, null);
  repeats.keep(two, null);
  expect(repeats.take(records('c'))).toBeNull();
  repeats.settle([one, two], 10);
  expect(repeats.take(records('c'))).toBe(12);
  expect(repeats.take(records('a', 'b'))).toBe(10);
});

test('forgets a batch that was refused, and nothing else', () => {
  const repeats = create();
  const open = records('a');
  repeats.keep(open, null);
  repeats.keep(records('b'), 3);
  repeats.drop();
  repeats.settle([open], 5);
  expect(repeats.take(records('a'))).toBeNull();
  expect(repeats.take(records('b'))).toBe(3);
});

test('finds several repeats in one append, and what is new behind them', () => {
  const repeats = create();
  repeats.keep(records('c', 'd'), 20);
  repeats.keep(records('a', 'b'), null);
  expect(names(repeats.divide(records('a', 'b', 'c', 'd', 'e', 'f')))).toEqual(['ab', 'cd', 'ef']);
  expect(names(repeats.divide(records('a', 'b')))).toEqual(['ab']);
  expect(names(repeats.divide(records('a')))).toEqual(['a']);
  expect(names(repeats.divide(records('x', 'a', 'b')))).toEqual(['xab']);
});

test('keeps many failed appends, and bounded bytes; what it forgets, it says', () => {
  const repeats = create();
  for (let n = 0; n < 500; n++) repeats.keep(records(`r${n}`), n);
  expect(repeats.take(records('r0'))).toBe(0);
  const large = (name: string): OutRecord[] => [
    { key: name, value: Buffer.alloc(40 * 1024 * 1024), timestamp: '0' },
  ];
  const open = large('open');
  repeats.keep(open, null);
  repeats.keep(large('first'), 1_000);
  expect(repeats.take(records('r499'))).toBeNull();
  expect(lines.some((line) => line.includes('log.kafka.repeat_forgotten'))).toBe(true);
  repeats.settle([open], 2_000);
  expect(repeats.take(large('open'))).toBe(2_000);
});
