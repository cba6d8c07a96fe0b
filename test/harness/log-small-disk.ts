// A disk of a few megabytes that can be filled: a tmpfs, where this user may mount one.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type SmallDisk = {
  readonly folder: string;
  readonly grow: (megabytes: number) => void;
  readonly remove: () => void;
};

/** Null where mounting is not allowed. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  if (process.platform !== 'linux') return null;
  const folder = mkdtempSync(join(tmpdir(), 'ladderlog-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return null;
  }
  return {
    folder,
    grow: (size) => void execFileSync('mount', ['-o', `remount,size=${size}m`, folder], { stdio: 'ignore' }),
    remove: () => {
      execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
