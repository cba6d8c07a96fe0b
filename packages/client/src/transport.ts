// One request: the key in a header, retries that wait as long as the server says, and errors with codes.

import { LadderlogApiError, LadderlogConnectionError } from './errors.ts';
import type { ErrorCode } from './types.ts';

export type Params = Readonly<Record<string, string | number | boolean | undefined>>;

export type TransportOptions = {
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Default the platform's fetch. */
  readonly fetch?: typeof fetch;
  /** Tries after the first, on 429, 502, 503, 504 and lost connections. Default 4. */
  readonly maxRetries?: number;
  /** Longest single wait that is accepted, in seconds. Default 60; a longer Retry-After is an error at once. */
  readonly maxWaitSeconds?: number;
  readonly signal?: AbortSignal;
};

export type Transport = <T>(path: string, params?: Params) => Promise<T>;

const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export function createTransport(options: TransportOptions): Transport {
  const send = options.fetch ?? fetch;
  const retries = options.maxRetries ?? 4;
  const longest = options.maxWaitSeconds ?? 60;
  return async <T>(path: string, params: Params = {}): Promise<T> => {
    const url = address(options.baseUrl, path, params);
    for (let attempt = 0; ; attempt++) {
      options.signal?.throwIfAborted();
      const outcome = await once<T>(send, url, options);
      if (outcome.ok) return outcome.value;
      const { error } = outcome;
      const wait = waitOf(error, attempt);
      if (attempt >= retries || wait === null || wait > longest) throw error;
      await pause(wait * 1000, options.signal);
    }
  };
}

type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: LadderlogApiError | LadderlogConnectionError };

async function once<T>(send: typeof fetch, url: string, options: TransportOptions): Promise<Outcome<T>> {
  let response: Response;
  try {
    response = await send(url, {
      headers: {
        Accept: 'application/json',
        ...(options.apiKey === undefined ? {} : { Authorization: `Bearer ${options.apiKey}` }),
      },
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
  } catch (cause) {
    options.signal?.throwIfAborted();
    return { ok: false, error: new LadderlogConnectionError(`cannot reach ${new URL(url).origin}`, cause) };
  }
  try {
    const body = (await response.json()) as unknown;
    return response.ok ? { ok: true, value: body as T } : { ok: false, error: apiError(response, body) };
  } catch (cause) {
    options.signal?.throwIfAborted();
    return {
      ok: false,
      error: response.ok
        ? new LadderlogConnectionError('the answer broke off', cause)
        : apiError(response, null),
    };
  }
}

function apiError(response: Response, body: unknown): LadderlogApiError {
  const { error } = (body ?? {}) as {
    error?: { code?: ErrorCode; message?: string; details?: Record<string, unknown> };
  };
  const after = Number(response.headers.get('retry-after'));
  return new LadderlogApiError(
    response.status,
    error?.code ?? 'UNKNOWN',
    error?.message ?? response.statusText,
    {
      details: error?.details ?? {},
      requestId: response.headers.get('x-request-id'),
      retryAfter: after > 0 ? after : null,
    },
  );
}

/** Seconds until the next try; null when there is no sense in one. */
function waitOf(error: LadderlogApiError | LadderlogConnectionError, attempt: number): number | null {
  const backoff = Math.min(10, 0.25 * 2 ** attempt) * (0.5 + Math.random() / 2);
  if (error instanceof LadderlogConnectionError) return backoff;
  return RETRIED.has(error.status) ? (error.retryAfter ?? backoff) : null;
}

function address(base: string, path: string, params: Params): string {
  const url = new URL(path.replace(/^\//, ''), base.endsWith('/') ? base : `${base}/`);
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
