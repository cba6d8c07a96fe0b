// One process of `ladderlog up`. It begins when the supervisor says so, ends when the supervisor says so, and at once when the
// supervisor is gone: nothing may go on unseen. A Ctrl-C of the terminal reaches all processes; only the supervisor heeds it, so
// that they end in order.

import { keepCompiledCode } from '../process-begin.ts';

import type { Context } from '../context.ts';
import type { Channel, RoleName, RoleStart } from './channel.ts';

keepCompiledCode();
const { EXIT, createContext, explain } = await import('../context.ts');
const { asLive } = await import('../processes/live.ts');
const { openChannel } = await import('./channel.ts');

type Body<R extends RoleName> = (context: Context, start: RoleStart[R], channel: Channel<R>) => Promise<void>;

const BODIES: { readonly [R in RoleName]: () => Promise<Body<R>> } = {
  engine: async () => (await import('./engine.ts')).runEngine,
  simulators: async () => (await import('./simulators.ts')).runSimulators,
  recorder: async () => (await import('./recorder.ts')).runRecorder,
  service: async () => (await import('./service.ts')).runService,
};

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
// Not an exit: that runs the engine's own cleaning up, which may wait for a statement for ever.
const endAtOnce = (): void => void process.kill(process.pid, 'SIGKILL');
process.once('disconnect', endAtOnce);
if (!process.connected) endAtOnce();
process.stderr.on('error', () => undefined);
process.stdout.on('error', () => undefined);

await run(process.argv[2] as RoleName);

async function run(role: RoleName): Promise<void> {
  const channel = openChannel(process);
  let debug = false;
  try {
    // Loaded while others get ready.
    const body = (await BODIES[role]()) as Body<RoleName>;
    const { flags, start } = await channel.started;
    const context = createContext(flags, channel.stop);
    debug = context.config.logLevel === 'debug';
    await body(asLive(context, flags), start, channel);
  } catch (error) {
    process.exitCode = channel.stop.aborted && isAbort(error) ? EXIT.ok : explain(error, debug);
  }
  process.removeAllListeners('disconnect');
  process.disconnect();
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
