// However it is ended, nothing of an `up` goes on; and beside it no command opens the engine.

import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, expect, test } from 'vitest';

import type { Started } from '../harness/ladderlog.ts';
import { eventually, ladderlog, launch } from '../harness/ladderlog.ts';
import { processTree } from '../harness/processes.ts';
import type { RunningUp } from '../harness/up.ts';
import { allGone, startUp } from '../harness/up.ts';

let up: RunningUp | null = null;
let other: { readonly started: Started; readonly data: string } | null = null;

afterEach(async () => {
  await up?.remove();
  await other?.started.kill();
  if (other) rmSync(other.data, { recursive: true, force: true });
  up = null;
  other = null;
});

test('the supervisor is killed: nothing is left running', { timeout: 400_000 }, async () => {
  up = await startUp({ args: ['--log-level', 'error'] });
  const pids = up.everyPid();
  expect(pids.length).toBe(5);
  process.kill(up.started.pid, 'SIGKILL');
  await allGone(pids);
  // The next one finds the directory free, and writes the gap.
  const verified = await ladderlog(['verify', '--json', '--data', up.data]);
  expect(verified).toMatchObject({ code: 0 });
});

test.each([
  ['npm', 'start', '--'],
  ['npx', 'ladderlog', 'up'],
] as const)('%s %s under SIGTERM leaves nothing behind', { timeout: 400_000 }, async (...program) => {
  const data = mkdtempSync(join(tmpdir(), 'ladderlog-up-'));
  const started = launch(['--json', '--port', '0', '--data', data, '--log-level', 'error'], {
    program: [...program],
  });
  other = { started, data };
  await started.says(/^\{"event":"ready".*\}$/m);
  const pids = processTree(started.pid);
  expect(pids.length).toBeGreaterThan(5);
  // Only to npm, as a service manager or a shell script does.
  process.kill(started.pid, 'SIGTERM');
  await allGone(pids);
});

/** One frame of an older recording. */
const RECORDING = JSON.stringify({
  venue: 'venuec',
  channel: 'ws',
  received_at: '2026-11-01T12:00:00Z',
  session: 's1',
  frame: JSON.stringify({
    event_type: 'book',
    market: `0x${'ab'.repeat(32)}`,
    asset_id: '71',
    timestamp: '1793534400000',
    bids: [{ price: '0.20', size: '10' }],
    asks: [{ price: '0.50', size: '8' }],
  }),
});

/** Who has the engine's directory, as the engine wrote it. */
const ownerOf = (data: string): string => readFileSync(join(data, 'store', 'owner.json'), 'utf8');

test('commands beside it work, and none opens the engine', { timeout: 600_000 }, async () => {
  up = await startUp({ args: ['--log-level', 'error'] });
  const { data } = up;
  const engine = up.pid('engine');
  const owner = ownerOf(data);
  await eventually(
    'books in the tables',
    () => ladderlog(['verify', '--json', '--data', data]),
    ({ code, stdout }) => code === 0 && (JSON.parse(stdout) as { events: number }).events > 0,
  );
  const out = mkdtempSync(join(tmpdir(), 'ladderlog-out-'));
  const exported = join(out, 'exported');
  const backup = join(out, 'backup');
  const recording = join(out, 'recording.jsonl');
  writeFileSync(recording, RECORDING);
  try {
    const commands = [
      ['doctor'],
      ['keys', 'issue', '--plan', 'desk', '--name', 'test'],
      ['keys', 'list'],
      ['log', 'ls'],
      ['import', recording],
      ['export', '--format', 'ndjson', '--out', exported],
      ['backup', backup],
      ['rebuild'],
      ['verify'],
    ];
    for (const command of commands) {
      const { code, stderr } = await ladderlog([...command, '--json', '--data', data]);
      expect({ command, code, stderr: code === 0 ? '' : stderr }).toEqual({ command, code: 0, stderr: '' });
      expect(ownerOf(data)).toBe(owner);
    }
    expect(up.pid('engine')).toBe(engine);
    expect(up.restarts('engine')).toBe(0);
    expect(existsSync(backup)).toBe(true);
    expect(readdirSync(exported)).toContain('manifest.json');
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
});
