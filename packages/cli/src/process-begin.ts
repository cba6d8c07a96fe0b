// How a process of Ladderlog begins. What runs for months should not hold what it does not need: V8 keeps a young generation of
// 3 × 32 MB and pages it has freed, malloc an arena for each thread, and the embedded engine's allocator what merges gave back. All
// are fixed when a process begins.

import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

export const SMALL_FLAGS = ['--max-semi-space-size=8', '--memory-saver-mode'];

/** Those of the processes of an `up`, unless the operator has chosen for all of them. */
export function childFlags(): readonly string[] {
  const given = [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(' ')];
  const isChosen = given.some(
    (flag) => flag.startsWith('--max-semi-space-size') && !SMALL_FLAGS.includes(flag),
  );
  return isChosen ? process.execArgv : SMALL_FLAGS;
}

export const SMALL_ENV = {
  MALLOC_ARENA_MAX: '2',
  JE_MALLOC_CONF: 'narenas:2,dirty_decay_ms:1000,muzzy_decay_ms:0,background_thread:true',
};

/**
 * Keeps compiled code beside the dependencies, where only who may change the code may write: each start saves the time in which
 * its types would be stripped again. Without a word where nothing can be written.
 */
export const keepCompiledCode = (): void =>
  void enableCompileCache(join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'ladderlog'));
