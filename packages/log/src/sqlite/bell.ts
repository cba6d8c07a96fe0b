// The bell of a file: an empty file beside it whose times are touched after each commit. Who waits in another process hears of
// it from the operating system and looks for itself, so a bell that is lost costs time, never an event.

import { closeSync, existsSync, openSync, statSync, utimesSync } from 'node:fs';

export const bellOf = (path: string): string => `${path}-bell`;

/** By name, not by a descriptor: a bell that was deleted is heard again as soon as it is there again. */
export function ring(bell: string): void {
  try {
    utimesSync(bell, 0, 0);
  } catch {
    // Those who wait make it; nobody does.
  }
}

/** Made by whoever wants to hear it, with the mode of the file that it belongs to. */
export function hangBell(path: string): void {
  createBeside(path, bellOf(path));
}

/**
 * An empty file for the same people as the other; one that is there is not even opened: closing it would free the locks that
 * this process has on it.
 */
export function createBeside(path: string, file: string): void {
  if (existsSync(file)) return;
  try {
    closeSync(openSync(file, 'wx', statSync(path).mode & 0o777));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
