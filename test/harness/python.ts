// Pythons for what is not ours: each with its packages in a virtual environment of its own, kept in .cache/.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CACHE = join(import.meta.dirname, '..', '..', '.cache');
const ATTEMPTS = 3;

/** Path of its interpreter; null, with a visible line, where there is no Python or no package index. */
export async function pythonWith(name: string, packages: readonly string[]): Promise<string | null> {
  const home = join(CACHE, name);
  const python = join(home, 'bin', 'python');
  for (let attempt = 1; !existsSync(python); attempt++) {
    // Filled beside and moved into place: a half-filled one is never taken for a whole one, and two runs may race.
    const making = `${home}.${process.pid}`;
    try {
      await mkdir(CACHE, { recursive: true });
      await fill(making, packages, attempt);
      await rename(making, home);
    } catch (error) {
      await rm(making, { recursive: true, force: true });
      if (existsSync(python)) break;
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      const said = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1);
      const reason = said || (error as Error).message.split('\n')[0];
      if (isMissing || attempt === ATTEMPTS) {
        process.stderr.write(`SKIPPED ${packages.join(', ')}: ${reason}\n`);
        return null;
      }
      process.stderr.write(`${packages.join(', ')}: ${reason}; once more\n`);
      await sleep(attempt * 2_000);
    }
  }
  return python;
}

async function fill(folder: string, packages: readonly string[], attempt: number): Promise<void> {
  // With the pip of the machine first, where it can: a pip in every environment takes longer than most packages.
  const borrowed = attempt === 1;
  const own = join(folder, 'bin', 'python');
  const pip = borrowed ? ['python3', '-m', 'pip', '--python', own] : [own, '-m', 'pip'];
  const [program, ...args] = [...pip, 'install', '-q', '--disable-pip-version-check', ...packages];
  await run('python3', ['-m', 'venv', ...(borrowed ? ['--without-pip'] : []), folder]);
  await run(program!, args, { timeout: 300_000 });
}
