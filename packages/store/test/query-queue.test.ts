import { expect, test } from 'vitest';
import { QueryQueue } from '../src/engine/query-queue.ts';

const gate = () => {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

const limits = { read: { running: 1, waiting: 2 }, write: { running: 1, waiting: 1 } };

test('runs one at a time in order, and a full lane refuses at once', async () => {
  const queue = new QueryQueue(limits);
  const first = gate();
  const order: string[] = [];
  const run = (name: string, until: Promise<void> = Promise.resolve()) =>
    queue.run('read', 1_000, async () => {
      await until;
      order.push(name);
    });
  const running = [run('a', first.opened), run('b'), run('c')];
  await expect(run('d')).rejects.toMatchObject({ code: 'STORE_BUSY', retryable: true });
  expect(queue.state().read).toEqual({ running: 1, waiting: 2 });
  first.open();
  await Promise.all(running);
  expect(order).toEqual(['a', 'b', 'c']);
  expect(queue.state().read).toEqual({ running: 0, waiting: 0 });
});

test('who waits too long is told, and frees its place', async () => {
  const queue = new QueryQueue(limits);
  const first = gate();
  const held = queue.run('read', 1_000, () => first.opened);
  await expect(queue.run('read', 5, async () => 1)).rejects.toMatchObject({ code: 'STORE_BUSY' });
  expect(queue.state().read.waiting).toBe(0);
  first.open();
  await held;
});

test('a write does not wait behind reads', async () => {
  const queue = new QueryQueue(limits);
  const first = gate();
  const held = queue.run('read', 1_000, () => first.opened);
  expect(await queue.run('write', 1_000, async () => 'written')).toBe('written');
  first.open();
  await held;
});

test('a failing task frees its turn', async () => {
  const queue = new QueryQueue(limits);
  await expect(queue.run('read', 10, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await queue.run('read', 10, async () => 2)).toBe(2);
});

test('close waits for what runs and fails what waits', async () => {
  const queue = new QueryQueue(limits);
  const first = gate();
  const held = queue.run('read', 1_000, () => first.opened);
  const waiting = queue.run('read', 1_000, async () => 1);
  const failed = waiting.catch((error: unknown) => error);
  let closed = false;
  const closing = queue.close().then(() => {
    closed = true;
  });
  await expect(queue.run('write', 10, async () => 1)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(closed).toBe(false);
  first.open();
  await Promise.all([held, closing]);
  expect(await failed).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(closed).toBe(true);
});
