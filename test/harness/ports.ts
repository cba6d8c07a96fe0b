// Ports for what must be told its port, or must have the same one again after a kill.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';

// Below the range that systems give out by themselves: while its owner is down, nobody else may be given its port.
const [LOWEST_PORT, HIGHEST_PORT] = [15_000, 32_000];

export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      ports.add(port);
      await promisify(server.close.bind(server))();
    } catch {
      // Taken: another one.
    }
  }
  return [...ports];
}
