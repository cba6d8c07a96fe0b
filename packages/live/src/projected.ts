// How far the tables are, kept at hand: what asks for it must not wait for the store. An old answer is only too careful. Where the
// tables are filled by this process it says so itself, and nobody is asked any more; another process is asked from time to time.

import type { Position } from '@ladderlog/core';
import { partitionName } from '@ladderlog/core';
import type { Logger } from 'pino';

export type Projected = {
  /** The next offset that the tables lack; null where that is not known. */
  next(topic: string, partition: number): number | null;
  /** This process fills the tables, and has come so far. */
  reached(positions: readonly Position[]): void;
  stop(): void;
};

const EVERY_MS = 2_000;

export async function followProjected(
  ask: (() => Promise<readonly Position[]>) | undefined,
  logger: Logger,
): Promise<Projected> {
  const known = new Map<string, number>();
  const note = (positions: readonly Position[]): void => {
    for (const position of positions) known.set(partitionName(position), position.offset);
  };
  note((await ask?.()) ?? []);
  let isTold = false;
  let polling = false;
  const again = async (asked: () => Promise<readonly Position[]>): Promise<void> => {
    if (polling) return;
    polling = true;
    try {
      const positions = await asked();
      if (!isTold) note(positions);
    } catch (error) {
      logger.debug({ event: 'api.projected_unknown', err: error }, 'projector positions not readable');
    }
    polling = false;
  };
  const timer = ask ? setInterval(() => void again(ask), EVERY_MS).unref() : undefined;
  return {
    next: (topic, partition) => known.get(partitionName({ topic, partition })) ?? null,
    reached(positions) {
      isTold = true;
      clearInterval(timer);
      note(positions);
    },
    stop: () => clearInterval(timer),
  };
}
