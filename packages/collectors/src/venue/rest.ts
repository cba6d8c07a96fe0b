// A venue's REST side: paced, timed out, size-limited. Every answer, good or bad, is a frame of the given session, stamped
// when its body is read and before it is parsed.

import type {
  Finding,
  GapCause,
  Requests,
  RestEndpoint,
  Session,
  VenueEvent,
  VenueRequest,
} from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import type { Logger } from 'pino';

import { MAX_FRAME_BYTES } from '../recorder/encodable.ts';
import type { Outbox } from '../recorder/outbox.ts';
import type { AdaptiveRate } from './rate.ts';
import type { SessionClock } from '../recorder/session-clock.ts';

export type RestOptions = {
  /** The request's own word for this address: rest, gamma, clob. */
  readonly source: string;
  readonly endpoint: RestEndpoint;
  readonly rate: AdaptiveRate;
  readonly logger: Logger;
  readonly push: (events: readonly VenueEvent[]) => void;
  /** Nothing is asked while its answer could not be kept. */
  readonly outbox?: Pick<Outbox, 'blocked' | 'unblocked'>;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly signal: AbortSignal;
};

export type RestAnswer =
  | {
      readonly ok: true;
      readonly findings: readonly Finding[];
      readonly lost: readonly string[];
      /** The body. */
      readonly text: string;
    }
  | {
      readonly ok: false;
      readonly cause: 'quota' | 'venue_error';
      readonly status: number;
      readonly detail: string;
    };

export type Ask = (request: VenueRequest) => Promise<RestAnswer>;

/** Asks what the venue wants to know, one request after another: each answer decides what is asked next. */
export async function askAll(requests: Requests, ask: Ask): Promise<void> {
  let next = requests.next();
  while (!next.done) next = requests.next(await ask(next.value));
}

export class Rest {
  private readonly options: RestOptions;
  /** Why it gives nothing, since its last good answer. */
  refusal: Extract<RestAnswer, { ok: false }> | null = null;

  constructor(options: RestOptions) {
    this.options = options;
  }

  /** One paced call. Never throws for what the venue does; aborts with the signal. */
  async ask(
    session: Session,
    clock: SessionClock,
    request: VenueRequest,
    probe: GapCause | null = null,
  ): Promise<RestAnswer> {
    const answer = await this.call(session, clock, request, probe);
    this.refusal = answer.ok ? null : answer;
    return answer;
  }

  private async call(
    session: Session,
    clock: SessionClock,
    request: VenueRequest,
    probe: GapCause | null,
  ): Promise<RestAnswer> {
    const { options } = this;
    await this.turn();
    const { method } = request;
    const signed = options.endpoint.sign?.({ method, path: request.path }) ?? {
      path: request.path,
      headers: {},
    };
    const requestedAt = clock.now();
    const timeout = AbortSignal.timeout(options.timeoutMs ?? 10_000);
    let status = 0;
    let bytes: Buffer;
    let retryAfterMs: number | null = null;
    try {
      const response = await fetch(`${options.endpoint.baseUrl}${signed.path}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(request.body === null ? {} : { 'content-type': 'application/json' }),
          ...signed.headers,
        },
        signal: AbortSignal.any([options.signal, timeout]),
        redirect: 'error',
        ...(request.body === null ? {} : { body: request.body }),
      });
      status = response.status;
      const after = Number(response.headers.get('retry-after'));
      if (after > 0 && after < 86_400) retryAfterMs = after * 1_000;
      bytes = await readLimited(response, options.maxBytes ?? MAX_FRAME_BYTES);
    } catch (error) {
      options.signal.throwIfAborted();
      const detail =
        error instanceof LadderlogError
          ? error.message
          : `${method} ${request.path.split('?')[0]}: ${(error as Error).message}`;
      return { ok: false, cause: 'venue_error', status, detail };
    }
    const observedAt = clock.now();
    const frame = {
      channel: request.channel,
      direction: 'in' as const,
      text: bytes.toString('utf8'),
      observedAt,
      settings: status === 200 ? {} : { status: String(status) },
    };
    const { events, findings, lost } =
      probe === null
        ? { lost: [], ...session.frame(frame, bytes, requestedAt) }
        : session.probe(frame, bytes, requestedAt, probe);
    options.push(events);
    if (status === 429 || status === 418) {
      options.rate.refused(performance.now(), Math.random(), retryAfterMs);
      options.logger.warn(
        { event: 'venue.rate_limited', source: options.source, status, perSecond: options.rate.perSecond },
        'the venue asked us to slow down',
      );
      return { ok: false, cause: 'quota', status, detail: `HTTP ${status}` };
    }
    if (status >= 400) return { ok: false, cause: 'venue_error', status, detail: `HTTP ${status}` };
    options.rate.accepted();
    return { ok: true, findings, lost, text: frame.text };
  }

  private async turn(): Promise<void> {
    const { signal, rate, outbox } = this.options;
    for (;;) {
      signal.throwIfAborted();
      if (outbox?.blocked) {
        await Promise.race([outbox.unblocked(), pause(60_000, signal)]);
        continue;
      }
      const waitMs = rate.take(performance.now());
      if (waitMs === 0) return;
      await pause(waitMs, signal);
    }
  }
}

async function readLimited(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new LadderlogError('VENUE_REJECTED', `answer larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Resolves after a while, or at once on abort. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
