// The simulated venues, in a process of their own: what they take of the processor is not the recorder's.

import type { Context } from '../context.ts';
import { aborted } from '../processes/aborted.ts';
import { simulate, simulatedVenues } from '../processes/simulator-faults.ts';
import type { Channel, RoleStart } from './channel.ts';

export async function runSimulators(
  context: Context,
  _start: RoleStart['simulators'],
  channel: Channel<'simulators'>,
): Promise<void> {
  const simulators = await simulate(context, context.config.venues.venues);
  channel.ready({ settings: simulatedVenues(simulators) });
  await aborted(context.signal);
  await simulators.close();
}
