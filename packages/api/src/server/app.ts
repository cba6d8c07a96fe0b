// The Express app: admission (request id, method, key, limits, plan), validation against openapi.yaml, the route, and errors in
// one envelope. The contract is the only list of paths; an operation's kind says which function answers it.

import { randomBytes } from 'node:crypto';
import compression from 'compression';
import cors from 'cors';
import type { Express, Request, RequestHandler, Response } from 'express';
import express from 'express';
import type { ApiKey } from '@ladderlog/core';
import { errorEnvelope } from '../answers/answers.ts';
import type { Parts } from './context.ts';
import type { Matched, Operation } from '../contract/contract.ts';
import { serveDocs } from './docs.ts';
import { ApiError, handleErrors, invalidParameter } from '../answers/errors.ts';
import type { KeyRingReader } from '../access/key-ring.ts';
import type { ApiMetrics } from './metrics.ts';
import { requireVenue } from '../answers/ranges.ts';
import type { RateLimits, RateState } from '../access/rate-limit.ts';
import { RateRefusal } from '../access/rate-limit.ts';
import { HANDLERS } from '../routes/handlers.ts';
import { createValidation } from '../contract/validation.ts';

export type AppOptions = {
  readonly parts: Parts;
  readonly keys: KeyRingReader;
  readonly limits: RateLimits;
  readonly metrics: ApiMetrics;
  /** Allowed origins; `*` for any, empty for none. */
  readonly corsOrigins: readonly string[];
  /** Express's `trust proxy`: how many proxies stand in front. */
  readonly trustProxy: number;
};

type Admitted = { readonly matched: Matched; readonly key: ApiKey | null; readonly now: number };

export function createApp(options: AppOptions): Express {
  const { parts } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', options.trustProxy);
  app.use(identify(options));
  app.use(crossOrigin(options.corsOrigins));
  app.use(compressed());
  serveDocs(app, parts.contract);
  app.use(answer(options));
  app.use(handleErrors(parts.logger, (error, requestId) => errorEnvelope(error, requestId, parts.clock())));
  return app;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;
const WHOLE_URL = /^https?:\/\/[^/?]*(?=\/)/i;

/** Names the request, and writes one line about it when it is answered. No query text, no headers: nothing secret gets in. */
function identify({ parts, metrics }: AppOptions): RequestHandler {
  // Unique is enough, secret it is not: a random start of the process and a count.
  const process = randomBytes(4).toString('hex');
  let count = 0;
  return (request, response, next) => {
    const began = performance.now();
    const given = request.headers['x-request-id'];
    const requestId =
      typeof given === 'string' && REQUEST_ID.test(given)
        ? given
        : `${process}${(++count).toString(16).padStart(8, '0')}`;
    // A proxy may be sent the whole URL (RFC 9112, 3.2.2); the route is the same.
    request.url = request.originalUrl = request.url.replace(WHOLE_URL, '');
    response.locals['requestId'] = requestId;
    response.setHeader('X-Request-Id', requestId);
    response.once('close', () => {
      const admitted = response.locals['admitted'] as Admitted | undefined;
      const operation =
        admitted?.matched.operation ?? (response.locals['operation'] as Operation | undefined);
      const seconds = (performance.now() - began) / 1000;
      metrics.answered(operation?.id ?? 'none', response.statusCode, seconds);
      parts.logger.info(
        {
          event: 'api.request',
          request_id: requestId,
          method: response.locals['method'] ?? request.method,
          operation: operation?.id ?? null,
          params: admitted?.matched.params ?? null,
          status: response.statusCode,
          code: response.locals['code'] ?? null,
          ms: Math.round(seconds * 1e5) / 100,
          key_id: admitted?.key?.keyId ?? null,
          completed: response.writableFinished,
        },
        'answered',
      );
    });
    next();
  };
}

/** Browsers send Origin, others do not; an answer that depends on it says so. */
function crossOrigin(origins: readonly string[]): RequestHandler {
  const any = origins.includes('*');
  const allow = cors({
    origin: any ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'OPTIONS'],
    allowedHeaders: ['Authorization', 'X-API-Key', 'X-Request-Id', 'If-None-Match'],
    exposedHeaders: [
      'X-Request-Id',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Retry-After',
      'Link',
      'ETag',
    ],
    maxAge: 600,
    optionsSuccessStatus: 204,
  });
  return (request, response, next) => {
    if (origins.length > 0 && request.headers.origin !== undefined) {
      allow(request, response, next);
      return;
    }
    if (!any && origins.length > 0) response.vary('Origin');
    next();
  };
}

/** Only for those who can unpack: for others the wrapper around each answer would be wasted work. */
function compressed(): RequestHandler {
  const compress = compression({ threshold: 1024 });
  return (request, response, next) => {
    if (request.headers['accept-encoding'] === undefined) {
      response.vary('Accept-Encoding');
      next();
    } else compress(request, response, next);
  };
}

const ALLOW = 'GET, HEAD';

function answer(options: AppOptions): RequestHandler {
  const { parts } = options;
  const validate = createValidation(parts.contract, parts.validateResponses);
  return async (request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { matched, key, now } = await admit(options, request, response);
    const query = await validate(matched.operation, request, response);
    await HANDLERS[matched.operation.kind]!({
      parts,
      request,
      response,
      operation: matched.operation,
      params: matched.params,
      query,
      key,
      requestId: response.locals['requestId'] as string,
      now,
      signal: gone.signal,
    });
  };
}

/** Counts the request, then says whether it may go on: route, method, key, plan, in this order. */
async function admit(
  { parts, keys, limits }: AppOptions,
  request: Request,
  response: Response,
): Promise<Admitted> {
  const decodable = isDecodable(request.path);
  const matched = decodable ? parts.contract.match(request.path) : null;
  response.locals['operation'] = matched?.operation;
  const key = matched && !matched.operation.open ? keyOf(request, keys) : null;
  try {
    const state =
      key && 'keyId' in key
        ? await limits.count(key.plan, key.keyId)
        : await limits.count('anonymous', request.ip ?? 'unknown');
    rateHeaders(response, state, parts.clock());
  } catch (error) {
    if (error instanceof RateRefusal) rateHeaders(response, error.state, parts.clock());
    throw error;
  }
  if (!decodable) throw invalidParameter('path', 'The path is not validly percent-encoded.');
  if (!matched)
    throw new ApiError('ENDPOINT_NOT_FOUND', 'There is no such route; see /docs.', {
      documentation: '/docs',
    });
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new ApiError(
      'METHOD_NOT_ALLOWED',
      `Use GET; ${request.method} is not allowed here.`,
      {},
      { Allow: ALLOW },
    );
  if (key && !('keyId' in key)) throw key;
  if (matched.operation.venue) requireVenue(key, matched.operation.venue, parts.plans);
  response.locals['method'] = request.method;
  // Node leaves the body of a HEAD out by itself; to everything below it is a GET.
  request.method = 'GET';
  const admitted: Admitted = { matched, key, now: parts.clock() };
  response.locals['admitted'] = admitted;
  return admitted;
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** The key, or the error that says what is wrong with it. */
function keyOf(request: Request, keys: KeyRingReader): ApiKey | ApiError {
  const header = request.headers.authorization;
  const bearer = header === undefined ? null : /^Bearer +(\S+) *$/i.exec(header);
  const named = request.headers['x-api-key'];
  const given = bearer?.[1] ?? (typeof named === 'string' && named !== '' ? named : null);
  const challenge = { 'WWW-Authenticate': 'Bearer realm="ladderlog"' };
  if (given === null) {
    return header === undefined
      ? new ApiError('AUTH_MISSING', 'Send your key as Authorization: Bearer <key>.', {}, challenge)
      : new ApiError('AUTH_INVALID', 'The Authorization header is not a bearer key.', {}, challenge);
  }
  const checked = keys.check(given);
  return checked.ok
    ? checked.key
    : new ApiError('AUTH_INVALID', 'This key is not valid, or was revoked.', {}, challenge);
}

function rateHeaders(response: Response, state: RateState, now: number): void {
  response.setHeader('X-RateLimit-Limit', state.limit);
  response.setHeader('X-RateLimit-Remaining', state.remaining);
  response.setHeader('X-RateLimit-Reset', Math.ceil(now / 1_000_000 + state.resetMs / 1_000));
}
