// A copy of the working tree whose packages import each other, and not the tree it was copied from.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { REPOSITORY } from './ladderlog.ts';

/** Every file that git knows or would add, but what `leaveOut` matches. */
export function copyTree(to: string, leaveOut: RegExp): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: REPOSITORY,
    encoding: 'utf8',
  });
  for (const file of listed.split('\0').filter((name) => name !== '' && !leaveOut.test(name))) {
    const from = join(REPOSITORY, file);
    if (!existsSync(from)) continue;
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(from, join(to, file));
  }
  linkDependencies(to);
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
