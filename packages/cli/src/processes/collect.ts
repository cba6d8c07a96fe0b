// The role that records: venues to log. In `up` it is the recorder process, in scaled mode `ladderlog collect`.

import type { Collecting } from '@ladderlog/collectors';
import { collect } from '@ladderlog/collectors';
import { LadderlogError } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';

import { lockCapture } from '../data/capture-lock.ts';
import type { Context } from '../context.ts';
import type { Metrics } from './metrics.ts';
import type { SimulatedVenues } from './venues.ts';
import { planVenues } from './venues.ts';

export async function startCollect(
  context: Context,
  log: EventLog,
  simulated: SimulatedVenues | null,
  metrics: Metrics,
  signal: AbortSignal,
): Promise<{
  readonly done: Promise<void>;
  readonly collecting: Collecting;
  readonly leftOut: readonly string[];
}> {
  const { config, logger } = context;
  const { venues, leftOut } = planVenues(config, simulated);
  if (venues.length === 0)
    throw new LadderlogError(
      'BAD_CONFIG',
      `there is no venue to record: ${leftOut.length > 0 ? leftOut.join('; ') : '--venues is none'}`,
    );
  for (const reason of leftOut) logger.warn({ event: 'venue.left_out' }, reason);
  // Processes on Kafka may be on any machine; there the shares are the operator's to part.
  const unlock = config.kafkaBrokers
    ? () => undefined
    : lockCapture(
        config.data,
        venues.map(({ adapter }) => adapter.venue),
        config.shard,
      );
  try {
    const collecting = await collect(
      {
        log,
        venues,
        shard: config.shard,
        collector: config.collectorId,
        logger,
        beatMs: config.beatSeconds * 1_000,
        stampLimitMs: config.stampLimitMs,
        onAppended: (events, tookMs) => metrics.appended(events, tookMs),
      },
      signal,
    );
    metrics.watchCollectors(() => collecting.status());
    return { done: collecting.done.finally(unlock), collecting, leftOut };
  } catch (error) {
    unlock();
    throw error;
  }
}
