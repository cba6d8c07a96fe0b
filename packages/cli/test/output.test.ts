// A command that prints a lot to a slow reader.

import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { Output } from '../src/output.ts';

/** Takes a piece at a time, each in a later turn. */
class SlowPipe extends Writable {
  readonly taken: string[] = [];
  constructor() {
    super({ highWaterMark: 1 });
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.taken.push(chunk.toString());
    setImmediate(done);
  }
}

test('a reader is waited for any number of times with the same few listeners', async () => {
  const pipe = new SlowPipe();
  const output = new Output(pipe);
  const listeners = (): number =>
    ['drain', 'close', 'error'].reduce((sum, name) => sum + pipe.listenerCount(name), 0);
  const before = listeners();
  const lines = Array.from({ length: 50 }, (_, n) => `line ${n}\n`);
  for (const line of lines) {
    const written = output.write(line);
    expect(pipe.writableNeedDrain).toBe(true);
    expect(listeners()).toBe(before);
    await written;
  }
  expect(pipe.taken).toEqual(lines);
});

test('a reader that goes away ends the waiting, and nothing more is written', async () => {
  const pipe = new SlowPipe();
  const output = new Output(pipe);
  const written = output.write('first\n');
  pipe.destroy(new Error('EPIPE'));
  await written;
  expect(output.isOpen).toBe(false);
  expect(output.signal.aborted).toBe(true);
  await output.write('second\n');
  expect(pipe.taken).toEqual(['first\n']);
});
