import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { SILENT } from '../../src/engine/logger.ts';
import { QueryQueue } from '../../src/engine/query-queue.ts';
import { Statements } from '../../src/engine/statements.ts';
import type { Engine } from '../../src/store.ts';

const gate = () => {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

const limits = { running: 1, waiting: 2 };

test('runs one at a time in order, and a full lane refuses at once', async () => {
  const queue = new QueryQueue('read', limits);
  const first = gate();
  const order: string[] = [];
  const run = (name: string, until: Promise<void> = Promise.resolve()) =>
    queue.run(1_000, async () => {
      await until;
      order.push(name);
    });
  const running = [run('a', first.opened), run('b'), run('c')];
  await expect(run('d')).rejects.toMatchObject({ code: 'STORE_BUSY', retryable: true });
  expect([queue.running, queue.waiting]).toEqual([1, 2]);
  first.open();
  await Promise.all(running);
  expect(order).toEqual(['a', 'b', 'c']);
  expect([queue.running, queue.waiting]).toEqual([0, 0]);
});

test('who waits too long is told, and frees its place', async () => {
  const queue = new QueryQueue('read', limits);
  const first = gate();
  const held = queue.run(1_000, () => first.opened);
  await expect(queue.run(5, async () => 1)).rejects.toMatchObject({ code: 'STORE_BUSY' });
  expect(queue.waiting).toBe(0);
  first.open();
  await held;
});

test('what nobody wants any more leaves the queue, and never runs', async () => {
  const queue = new QueryQueue('read', limits);
  const first = gate();
  const held = queue.run(1_000, () => first.opened);
  const gone = new AbortController();
  let ran = 0;
  const run = (signal?: AbortSignal) => queue.run(1_000, async () => ++ran, signal);
  const unwanted = run(gone.signal).catch((error: unknown) => error);
  const other = run(new AbortController().signal);
  gone.abort();
  expect(await unwanted).toMatchObject({ code: 'STORE_BUSY' });
  expect(queue.waiting).toBe(1);
  await expect(run(gone.signal)).rejects.toMatchObject({ code: 'STORE_BUSY' });
  first.open();
  await held;
  expect(await other).toBe(1);
  expect([queue.running, queue.waiting]).toEqual([0, 0]);
});

test('a write does not wait behind reads', async () => {
  const first = gate();
  const engine: Engine = {
    kind: 'chdb',
    database: 'x',
    answer: async () => {
      await first.opened;
      return Readable.from([Buffer.from('read')]);
    },
    run: async () => undefined,
    insert: async () => undefined,
    close: async () => undefined,
  };
  const memory = { readMemoryBytes: 1, writeMemoryBytes: 1, readThreads: 1, deadlineMs: 1_000 };
  const statements = new Statements(
    engine,
    { read: limits, write: limits, ...memory },
    SILENT,
    () => undefined,
  );
  const held = statements.raw('SELECT 1', 'CSV');
  await statements.run('SELECT 2');
  first.open();
  expect(Buffer.from(await held).toString()).toBe('read');
});

test('a failing task frees its turn', async () => {
  const queue = new QueryQueue('read', limits);
  await expect(queue.run(10, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await queue.run(10, async () => 2)).toBe(2);
});

test('close waits for what runs and fails what waits', async () => {
  const queue = new QueryQueue('read', limits);
  const first = gate();
  const held = queue.run(1_000, () => first.opened);
  const waiting = queue.run(1_000, async () => 1);
  const failed = waiting.catch((error: unknown) => error);
  let closed = false;
  const closing = queue.close().then(() => {
    closed = true;
  });
  await expect(queue.run(10, async () => 1)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(closed).toBe(false);
  first.open();
  await Promise.all([held, closing]);
  expect(await failed).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(closed).toBe(true);
});
