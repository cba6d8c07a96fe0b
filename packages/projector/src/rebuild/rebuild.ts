// The next generation beside the served one, from the log alone. The served tables are not touched, and one row switches: a
// kill at any step leaves the old tables or the new ones. Begun again, it goes on where it was.

import type { Position } from '@ladderlog/core';
import { LadderlogError, fingerprintOf } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';
import type { Logger } from 'pino';

import type { ProjectorLimits } from '../ranges/limits.ts';
import type { Places } from '../ranges/places.ts';
import type { VerifyResult } from '../verify/verify.ts';
import { verify } from '../verify/verify.ts';
import type { RebuildProgress } from './build.ts';
import { GenerationBuild, rateOf } from './build.ts';
import { chooseGeneration } from './choose-generation.ts';
import { copyRowsBefore } from './copy-rows.ts';
import { switchTo } from './switches.ts';

export type RebuildOptions = Places & {
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Where to begin, one position a partition; rows before are copied from the served generation. Default: the beginning. */
  readonly from?: readonly Position[];
  readonly onProgress?: (progress: RebuildProgress) => void;
  readonly limits?: Partial<ProjectorLimits>;
};

export type RebuildResult = {
  readonly generation: number;
  /** Still there: rollback() serves it again, dropGeneration() removes it. */
  readonly previous: number;
  readonly resumed: boolean;
  readonly verified: VerifyResult;
};

/** Stores that are being rebuilt here: a second rebuild would drop the generation of the first, or share it. */
const running = new WeakSet<Store>();

export async function rebuild(options: RebuildOptions): Promise<RebuildResult> {
  const { store } = options;
  if (running.has(store))
    throw new LadderlogError('REBUILD_RUNNING', 'a rebuild is running already: wait until it has ended', {
      retryable: true,
    });
  running.add(store);
  try {
    return await rebuildAlone(options);
  } finally {
    running.delete(store);
  }
}

async function rebuildAlone(options: RebuildOptions): Promise<RebuildResult> {
  const { store, logger, signal } = options;
  const previous = await store.generation();
  const { generation, resumed } = await chooseGeneration(options, previous);
  logger.info({ event: 'rebuild.begin', generation, previous, resumed }, 'rebuilding');
  if (options.from && !resumed) await copyFrom(options, options.from, previous, generation);
  const build = new GenerationBuild(options, generation);
  await build.catchUp();
  const verified = await verifyBuild(options, generation);
  // Verifying took a while: go on to the tail, so that the switch does not set readers back.
  await build.cursors();
  await build.catchUp();
  signal.throwIfAborted();
  await switchTo(store, generation, 'rebuild');
  logger.info({ event: 'rebuild.switched', generation, previous }, 'the rebuilt tables are served');
  return { generation, previous, resumed, verified };
}

async function copyFrom(
  options: RebuildOptions,
  before: readonly Position[],
  source: number,
  target: number,
): Promise<void> {
  const { cursors, projections } = options;
  const fingerprint = fingerprintOf(projections);
  const built = (await cursors.list(source)).find((at) => at.fingerprint !== fingerprint);
  if (built)
    throw new LadderlogError(
      'PROJECTIONS_CHANGED',
      `generation ${source} was built by ${built.fingerprint}: rebuild from the beginning`,
    );
  const none = { events: 0, total: 0, eventsPerSecond: 0, etaSeconds: null };
  options.onProgress?.({ phase: 'copying', generation: target, ...none });
  await copyRowsBefore({ ...options, source, target, before });
  for (const { topic, partition, offset } of before)
    await cursors.claim({ generation: target, topic, partition }, offset, fingerprint);
}

async function verifyBuild(options: RebuildOptions, generation: number): Promise<VerifyResult> {
  const began = performance.now();
  const verified = await verify({
    ...options,
    generation,
    onProgress: ({ events, total }) =>
      options.onProgress?.({ phase: 'verifying', generation, ...rateOf(events, total, began) }),
  });
  if (!verified.ok)
    throw new LadderlogError('TABLES_DIFFER', `generation ${generation} is not the log: not switched`, {
      details: { generation, differences: verified.differences.slice(0, 10) },
    });
  return verified;
}
