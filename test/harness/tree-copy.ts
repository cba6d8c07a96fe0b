// A copy of the working tree whose packages import each other, and not the tree it was copied from.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { REPOSITORY } from './ladderlog.ts';

/** Every file that git knows or would add, but what `leaveOut` matches. The files that were copied. */
export function copyTree(to: string, leaveOut: RegExp): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: REPOSITORY,
    encoding: 'utf8',
  });
  const files = listed
    .split('\0')
    .filter((file) => file !== '' && !leaveOut.test(file) && existsSync(join(REPOSITORY, file)));
  for (const file of files) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(join(REPOSITORY, file), join(to, file));
  }
  linkDependencies(to);
  return files;
}

/** Dependencies are the checkout's own, except that the packages of Ladderlog are those of the copy. */
export function linkDependencies(to: string): void {
  const modules = join(to, 'node_modules');
  mkdirSync(modules, { recursive: true });
  for (const name of readdirSync(join(REPOSITORY, 'node_modules'))) {
    const target = join(REPOSITORY, 'node_modules', name);
    // Links of workspaces are relative: copied as they are, they lead into the copy.
    if (name === '@ladderlog' || name === 'ladderlog')
      cpSync(target, join(modules, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(target, join(modules, name));
  }
  for (const name of readdirSync(join(REPOSITORY, 'packages'))) {
    const own = join(REPOSITORY, 'packages', name, 'node_modules');
    if (existsSync(own) && existsSync(join(to, 'packages', name)))
      symlinkSync(own, join(to, 'packages', name, 'node_modules'));
  }
}
