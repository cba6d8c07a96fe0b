// A Python with public SDKs of the venues, in a virtual environment of its own.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PACKAGES = ['py-clob-client==0.34.6', 'pykalshi==2.0.0'];
const HOME = join(import.meta.dirname, '..', '..', '.cache', 'python-venue-sdks-1');

/** Path of its interpreter; null, with a visible line, where there is no Python or no package index. */
export async function pythonWithSdks(): Promise<string | null> {
  const python = join(HOME, 'bin', 'python');
  if (existsSync(python)) return python;
  const making = `${HOME}.${process.pid}`;
  try {
    await mkdir(join(HOME, '..'), { recursive: true });
    await run('python3', ['-m', 'venv', making]);
    await run(join(making, 'bin', 'python'), ['-m', 'pip', 'install', '-q', ...PACKAGES], {
      timeout: 300_000,
    });
    await rename(making, HOME);
    return python;
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    if (existsSync(python)) return python;
    process.stderr.write(`SKIPPED public venue SDKs: ${(error as Error).message.split('\n')[0]}\n`);
    return null;
  }
}

export async function runSdk(python: string, venue: string, given: object): Promise<Record<string, unknown>> {
  const script = join(import.meta.dirname, 'venue-sdks.py');
  const { stdout } = await run(python, [script, venue, JSON.stringify(given)], { timeout: 200_000 });
  return JSON.parse(stdout) as Record<string, unknown>;
}
