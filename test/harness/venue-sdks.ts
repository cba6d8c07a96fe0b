// A Python with public SDKs of the venues.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { pythonWith } from './python.ts';

const run = promisify(execFile);

export const pythonWithSdks = (): Promise<string | null> =>
  pythonWith('python-venue-sdks-1', ['py-clob-client==0.34.6', 'pykalshi==2.0.0']);

export async function runSdk(python: string, venue: string, given: object): Promise<Record<string, unknown>> {
  const script = join(import.meta.dirname, 'venue-sdks.py');
  const { stdout } = await run(python, [script, venue, JSON.stringify(given)], { timeout: 200_000 });
  return JSON.parse(stdout) as Record<string, unknown>;
}
