// A Python with fastavro and a Kafka client, in a virtual environment of its own: the second opinion on our Avro.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PACKAGES = ['fastavro==1.13.1', 'confluent-kafka==2.16.1'];
const HOME = join(import.meta.dirname, '..', '..', '.cache', 'python-avro-1');

/** Path of its interpreter; null, with a visible line, where there is no Python or no package index. */
export async function pythonWithAvro(): Promise<string | null> {
  const python = join(HOME, 'bin', 'python');
  if (existsSync(python)) return python;
  const making = `${HOME}.${process.pid}`;
  try {
    await mkdir(join(HOME, '..'), { recursive: true });
    await run('python3', ['-m', 'venv', making]);
    await run(join(making, 'bin', 'python'), ['-m', 'pip', 'install', '-q', ...PACKAGES], {
      timeout: 240_000,
    });
    await rename(making, HOME);
    return python;
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    if (existsSync(python)) return python;
    process.stderr.write(`SKIPPED second Avro reader: ${(error as Error).message.split('\n')[0]}\n`);
    return null;
  }
}
