// Turns of the event loop, shared by those who do long work.

import { expect, test } from 'vitest';
import { Turns } from '../src/turns.ts';

const loopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a slice is over after its time, whoever used it, and the next turn of the loop has a new one', async () => {
  const short = new Turns(0);
  const long = new Turns(Infinity);
  for (let n = 0; n < 3; n++) {
    expect(short.isOver).toBe(false);
    expect(short.isOver).toBe(true);
    expect(long.isOver).toBe(false);
    expect(long.isOver).toBe(false);
    await loopTurn();
  }
});

test('those who wait have a turn of the loop each, in order, and others come between', async () => {
  const turns = new Turns(0);
  const order: string[] = [];
  const reader = async (name: string): Promise<void> => {
    for (let n = 0; n < 3; n++) {
      await turns.next();
      order.push(name);
    }
  };
  const between = (async () => {
    for (let n = 0; n < 9; n++) {
      await loopTurn();
      order.push('.');
    }
  })();
  await Promise.all([reader('a'), reader('b'), reader('c'), between]);
  expect(order.filter((one) => one !== '.').join('')).toBe('abcabcabc');
  expect(order.join('')).not.toMatch(/[abc]{2}/);
});
