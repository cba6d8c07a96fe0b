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
import { pause } from './pause.ts';
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
    const requestedAt = clock.now();
    let response: Response | null = null;
    let bytes: Buffer;
    try {
      response = await this.send(request);
      bytes = await readLimited(response, options.maxBytes ?? MAX_FRAME_BYTES);
    } catch (error) {
      options.signal.throwIfAborted();
      const detail =
        error instanceof LadderlogError
          ? error.message
          : `${request.method} ${request.path.split('?')[0]}: ${(error as Error).message}`;
      return { ok: false, cause: 'venue_error', status: response?.status ?? 0, detail };
    }
    const { status } = response;
    const observedAt = clock.now();
    session.noteStampDelay(clock.stampDelay());
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
    if (status === 429 || status === 418) return this.slowDown(response);
    if (status >= 400) return { ok: false, cause: 'venue_error', status, detail: `HTTP ${status}` };
    options.rate.accepted();
    return { ok: true, findings, lost, text: frame.text };
  }

  private send({ method, path, body }: VenueRequest): Promise<Response> {
    const { endpoint, signal, timeoutMs = 10_000 } = this.options;
    const signed = endpoint.sign?.({ method, path }) ?? { path, headers: {} };
    const content = body === null ? {} : { 'content-type': 'application/json' };
    return fetch(`${endpoint.baseUrl}${signed.path}`, {
      method,
      headers: { accept: 'application/json', ...content, ...signed.headers },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      redirect: 'error',
      ...(body === null ? {} : { body }),
    });
  }

  private slowDown({ status, headers }: Response): RestAnswer {
    const { rate, logger, source } = this.options;
    const after = Number(headers.get('retry-after'));
    rate.refused(performance.now(), Math.random(), after > 0 && after < 86_400 ? after * 1_000 : null);
    logger.warn(
      { event: 'venue.rate_limited', source, status, perSecond: rate.perSecond },
      'the venue asked us to slow down',
    );
    return { ok: false, cause: 'quota', status, detail: `HTTP ${status}` };
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
