// The recorder: sockets and polls, stamps, the log. Nothing else lives here, and no reader of any kind.

import type { Context } from '../context.ts';
import { openDataDirectory } from '../data/data-directory.ts';
import { whenUnlocked } from '../data/when-unlocked.ts';
import { createMetrics } from '../processes/metrics.ts';
import { openLog } from '../processes/open-log.ts';
import { serveStatus } from '../processes/probes.ts';
import { startCollect } from '../processes/collect.ts';
import type { Channel, RoleStart } from './channel.ts';

export async function runRecorder(
  context: Context,
  { simulated }: RoleStart['recorder'],
  channel: Channel<'recorder'>,
): Promise<void> {
  const directory = openDataDirectory(context.config.data, context.logger);
  const metrics = createMetrics('recorder');
  const log = await openLog(context, directory, 'recorder');
  try {
    const { done, collecting, leftOut } = await whenUnlocked(() =>
      startCollect(context, log, simulated, metrics, context.signal),
    );
    const isReady = async (): Promise<boolean> => !collecting.status().outbox.blocked;
    const socket = directory.sockets.status('recorder');
    const status = await serveStatus(socket, metrics, isReady, () => collecting.status());
    channel.ready({ venues: collecting.status().venues.map(({ venue }) => venue), leftOut });
    await done.finally(() => status.close());
  } finally {
    await log.close();
  }
}
