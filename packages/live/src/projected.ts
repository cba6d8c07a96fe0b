// How far the tables are, kept at hand: what asks for it must not wait for the store. An old answer is only too careful.

import type { Position } from '@ladderlog/core';
import type { Logger } from 'pino';

export type Projected = {
  /** The next offset that the tables lack; null where that is not known. */
  next(topic: string, partition: number): number | null;
  stop(): void;
};

const EVERY_MS = 500;

export async function followProjected(
  ask: (() => Promise<readonly Position[]>) | undefined,
  logger: Logger,
): Promise<Projected> {
  const known = new Map<string, number>();
  const poll = async (): Promise<void> => {
    for (const { topic, partition, offset } of (await ask?.()) ?? [])
      known.set(`${topic}/${partition}`, offset);
  };
  await poll();
  let polling = false;
  const again = async (): Promise<void> => {
    if (polling) return;
    polling = true;
    await poll().catch((error: unknown) =>
      logger.debug({ event: 'api.projected_unknown', err: error }, 'projector positions not readable'),
    );
    polling = false;
  };
  const timer = ask ? setInterval(() => void again(), EVERY_MS).unref() : null;
  return {
    next: (topic, partition) => known.get(`${topic}/${partition}`) ?? null,
    stop: () => {
      if (timer) clearInterval(timer);
    },
  };
}
