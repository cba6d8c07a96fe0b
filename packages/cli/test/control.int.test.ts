// The control socket of a running process, when those who ask go away or ask nonsense.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import type { Follower } from '@ladderlog/projector';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';

import type { Context } from '../src/context.ts';
import { serveControl } from '../src/data/control.ts';
import type { Runtime } from '../src/processes/runtime.ts';

const folder = mkdtempSync(join(tmpdir(), 'ladderlog-control-'));
const path = join(folder, 'control.sock');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a client that goes away before its answer harms nobody', async () => {
  const asked: string[] = [];
  const context = {
    logger: pino({ level: 'warn' }, { write: (line: string) => void asked.push(line) }),
    signal: new AbortController().signal,
  } as unknown as Context;
  const runtime = { directory: { sockets: { control: path } } } as unknown as Runtime;
  const control = await serveControl(context, runtime, {} as Follower);
  try {
    expect(statSync(path).mode & 0o777).toBe(0o600);
    for (let n = 0; n < 20; n++) {
      const client = connect(path);
      await new Promise((resolve) => client.once('connect', resolve));
      // Asked and gone in one turn: the answer finds nobody, and the write fails.
      client.write('nonsense\n');
      client.destroy();
    }
    await expect.poll(() => asked.length).toBe(20);
    const last = connect(path);
    last.write('{"operation":"unheard-of"}\n');
    expect(JSON.parse(await text(last))).toMatchObject({ error: { code: 'BAD_ARGUMENT' } });
  } finally {
    await control.close();
  }
});
