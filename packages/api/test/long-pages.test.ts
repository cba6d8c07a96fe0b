// Pages that are written here, not by the engine.

import { expect, test } from 'vitest';
import { written } from '../src/answers/answers.ts';

test('a long page is written in several turns of the event loop, in order', async () => {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const rows = Array.from({ length: 20 }, (_, n) => n);
  const records = await written(rows, (n) => {
    const until = performance.now() + 1;
    while (performance.now() < until);
    return { n };
  });
  isDone = true;
  expect(turns).toBeGreaterThan(2);
  expect(records.map((record) => JSON.parse(Buffer.from(record).toString()) as unknown)).toEqual(
    rows.map((n) => ({ n })),
  );
});
