import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { OutRecord } from '../../src/kafka/failed-appends.ts';
import { FailedAppends } from '../../src/kafka/failed-appends.ts';

const record = (name: string): OutRecord => ({ key: 'M', value: Buffer.from(name), timestamp: '0' });
const records = (...names: string[]): OutRecord[] => names.map(record);
const names = (parts: readonly (readonly OutRecord[])[]): string[] =>
  parts.map((part) => part.map(({ value }) => String(value)).join(''));

const lines: string[] = [];
const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
const create = () => new FailedAppends({ topic: 't', partition: 0 }, logger);

test('answers equal bytes once, with the place they have', () => {
  const failed = create();
  failed.keep(records('a', 'b'), 7);
  expect(failed.take(records('a'))).toBeNull();
  expect(failed.take(records('a', 'c'))).toBeNull();
  expect(failed.take(records('a', 'b'))).toBe(7);
  expect(failed.take(records('a', 'b'))).toBeNull();
});

test('knows the parts of a batch of unknown fate only when it is found', () => {
  const failed = create();
  const [one, two] = [records('a', 'b'), records('c')];
  failed.keep(one, null);
  failed.keep(two, null);
  expect(failed.take(records('c'))).toBeNull();
  failed.foundAt([one, two], 10);
  expect(failed.take(records('c'))).toBe(12);
  expect(failed.take(records('a', 'b'))).toBe(10);
});

test('forgets a batch that was refused, and nothing else', () => {
  const failed = create();
  const open = records('a');
  failed.keep(open, null);
  failed.keep(records('b'), 3);
  failed.notWritten();
  failed.foundAt([open], 5);
  expect(failed.take(records('a'))).toBeNull();
  expect(failed.take(records('b'))).toBe(3);
});

test('finds several repeats in one append, and what is new behind them', () => {
  const failed = create();
  failed.keep(records('c', 'd'), 20);
  failed.keep(records('a', 'b'), null);
  expect(names(failed.divide(records('a', 'b', 'c', 'd', 'e', 'f')))).toEqual(['ab', 'cd', 'ef']);
  expect(names(failed.divide(records('a', 'b')))).toEqual(['ab']);
  expect(names(failed.divide(records('a')))).toEqual(['a']);
  expect(names(failed.divide(records('x', 'a', 'b')))).toEqual(['xab']);
});

test('keeps many failed appends, and bounded bytes; what it forgets, it says', () => {
  const failed = create();
  for (let n = 0; n < 500; n++) failed.keep(records(`r${n}`), n);
  expect(failed.take(records('r0'))).toBe(0);
  const large = (name: string): OutRecord[] => [
    { key: name, value: Buffer.alloc(40 * 1024 * 1024), timestamp: '0' },
  ];
  const open = large('open');
  failed.keep(open, null);
  failed.keep(large('first'), 1_000);
  expect(failed.take(records('r499'))).toBeNull();
  expect(lines.some((line) => line.includes('log.kafka.repeat_forgotten'))).toBe(true);
  failed.foundAt([open], 2_000);
  expect(failed.take(large('open'))).toBe(2_000);
});
