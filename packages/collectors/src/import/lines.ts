// Lines of a recording, plain or gzip, one at a time: a file is larger than memory, and a line may be hostile.

import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';

import { MAX_FRAME_BYTES } from '../recorder/encodable.ts';

export type Line = {
  /** From 1. */
  readonly number: number;
  /** Without its line end. Null when the line was longer than the limit; its bytes are then gone. */
  readonly bytes: Buffer | null;
  /** Bytes of the file (compressed, where it is) consumed so far: progress. */
  readonly consumed: number;
};

export async function* readLines(path: string, maxLineBytes = MAX_FRAME_BYTES): AsyncGenerator<Line> {
  const gzip = await isGzip(path);
  const file = createReadStream(path, { highWaterMark: 1 << 20 });
  const source = gzip ? file.pipe(createGunzip({ chunkSize: 1 << 20 })) : file;
  if (gzip) file.on('error', (error) => source.destroy(error));
  let number = 0;
  let rest: Buffer[] = [];
  let restBytes = 0;
  let tooLong = false;
  const finish = (tail: Buffer): Line => {
    number++;
    const whole = restBytes === 0 ? tail : Buffer.concat([...rest, tail]);
    const bytes =
      tooLong || whole.length > maxLineBytes ? null : whole.at(-1) === 13 ? whole.subarray(0, -1) : whole;
    rest = [];
    restBytes = 0;
    tooLong = false;
    return { number, bytes, consumed: file.bytesRead };
  };
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(10, from); at >= 0; at = chunk.indexOf(10, from)) {
        yield finish(chunk.subarray(from, at));
        from = at + 1;
      }
      if (from < chunk.length && !tooLong) {
        rest.push(chunk.subarray(from));
        restBytes += chunk.length - from;
        if (restBytes > maxLineBytes) {
          tooLong = true;
          rest = [];
        }
      }
    }
    if (restBytes > 0) yield finish(Buffer.alloc(0));
  } finally {
    source.destroy();
    file.destroy();
  }
}

async function isGzip(path: string): Promise<boolean> {
  const handle = await open(path);
  try {
    const head = Buffer.alloc(2);
    await handle.read(head, 0, 2, 0);
    return head[0] === 0x1f && head[1] === 0x8b;
  } finally {
    await handle.close();
  }
}
