// The service asks the recorder every second how it is: what a stopped or dead recorder does not write, nobody can read in the
// log. Within three seconds health, latest books and feed say so.

import { Agent } from 'node:http';

import type { Collecting } from '@ladderlog/collectors';
import type { Micros } from '@ladderlog/core';
import { toIso } from '@ladderlog/core';
import type { Live } from '@ladderlog/live';
import type { Logger } from 'pino';

import { askProcess } from './ask-process.ts';
import type { Checks } from './health.ts';
import type { RecorderSeen } from './serve.ts';

const EVERY_MS = 1_000;
const ANSWERS_WITHIN_MS = 1_500;
/** A look that came so late says nothing: this process was held up itself. */
const OWN_DELAY_MS = 500;

type Status = ReturnType<Collecting['status']>;

export type RecorderWatch = RecorderSeen & { close(): void };

export function watchRecorder(socket: string, live: Pick<Live, 'unheard'>, logger: Logger): RecorderWatch {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let status: Status | null = null;
  let heardAt: Micros | null = null;
  let silentSince: Micros | null = null;
  let closed = false;
  let timer: NodeJS.Timeout;

  const look = async (): Promise<void> => {
    const began = performance.now();
    const askedAt = Date.now() * 1_000;
    const answer = await askProcess(socket, '/status', ANSWERS_WITHIN_MS, agent);
    const wasHeldUp = performance.now() - began > ANSWERS_WITHIN_MS + OWN_DELAY_MS;
    if (closed) return;
    if (answer?.status === 200) {
      status = JSON.parse(answer.body) as Status;
      heardAt = askedAt;
      if (silentSince !== null) {
        logger.info({ event: 'recorder.heard', since: toIso(silentSince) }, 'the recorder answers again');
        silentSince = null;
        live.unheard(null);
      }
    } else if (heardAt !== null && silentSince === null && !wasHeldUp) {
      silentSince = heardAt;
      logger.error({ event: 'recorder.unheard', since: toIso(heardAt) }, 'the recorder does not answer');
      live.unheard(heardAt);
    }
  };
  const again = (): void => {
    timer = setTimeout(() => void look().finally(() => closed || again()), EVERY_MS).unref();
  };
  void look();
  again();
  return {
    venues: () => status?.venues.map(({ venue }) => venue) ?? [],
    checks: () => ({ recorder: checkOf(status, silentSince) }),
    close() {
      closed = true;
      clearTimeout(timer);
      agent.destroy();
    },
  };
}

function checkOf(status: Status | null, silentSince: Micros | null): Checks {
  if (silentSince !== null) return { ok: false, state: 'not_answering', since: toIso(silentSince) };
  if (!status) return { ok: true, state: 'starting' };
  const { outbox, stamps } = status;
  const isStalled = stamps.stalledSince !== null;
  return {
    ok: !outbox.blocked && !isStalled,
    state: outbox.blocked ? 'log_unavailable' : isStalled ? 'stalled' : 'recording',
    waiting_events: outbox.size,
    stamp_delay_ms: Math.round(stamps.delayMs),
    stalls: stamps.stalls,
  };
}
