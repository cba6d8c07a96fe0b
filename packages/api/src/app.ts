// The Express app: admission (request id, method, key, limits, plan), validation against openapi.yaml, the route, and errors in
// one envelope. Routes are dispatched by operation id, so the contract is the only list of paths.

import { randomBytes } from 'node:crypto';
import compression from 'compression';
import cors from 'cors';
import type { ErrorRequestHandler, Express, NextFunction, Request, RequestHandler, Response } from 'express';
import express from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { ApiKey } from '@ladderlog/core';
import { errorEnvelope } from './answers.ts';
import type { Context, Handler, Parts, Query } from './context.ts';
import type { Matched, Operation } from './contract.ts';
import { nearestName } from './contract.ts';
import { serveDocs } from './docs.ts';
import { ApiError, handleErrors, invalidParameter } from './errors.ts';
import type { KeyRingReader } from './key-ring.ts';
import type { ApiMetrics } from './metrics.ts';
import { requireVenue } from './ranges.ts';
import type { RateLimits, RateState } from './rate-limit.ts';
import { RateRefusal } from './rate-limit.ts';
import { HANDLERS } from './routes/handlers.ts';

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
  app.use(compression({ threshold: 1024 }));
  serveDocs(app, parts.contract);
  app.use(admit(options));
  app.use(validator(parts));
  app.use(dispatch(parts));
  app.use(validationErrors());
  app.use(handleErrors(parts.logger, (error, requestId) => errorEnvelope(error, requestId, parts.clock())));
  return app;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;

/** Names the request, and writes one line about it when it is answered. No query text, no headers: nothing secret gets in. */
function identify({ parts, metrics }: AppOptions): RequestHandler {
  return (request, response, next) => {
    const began = performance.now();
    const given = request.headers['x-request-id'];
    const requestId =
      typeof given === 'string' && REQUEST_ID.test(given) ? given : randomBytes(8).toString('hex');
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

function crossOrigin(origins: readonly string[]): RequestHandler {
  if (origins.length === 0) return (_request, _response, next) => next();
  return cors({
    origin: origins.includes('*') ? '*' : [...origins],
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
}

const ALLOW = 'GET, HEAD';

function admit({ parts, keys, limits }: AppOptions): RequestHandler {
  return async (request, response, next) => {
    const matched = parts.contract.match(request.path);
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
    response.locals['admitted'] = { matched, key, now: parts.clock() } satisfies Admitted;
    next();
  };
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

function validator(parts: Parts) {
  return OpenApiValidator.middleware({
    apiSpec: structuredClone(parts.contract.document) as never,
    validateRequests: { allowUnknownQueryParameters: false },
    validateResponses: parts.validateResponses,
    validateSecurity: false,
    validateApiSpec: true,
  });
}

function dispatch(parts: Parts): RequestHandler {
  return async (request, response) => {
    const { matched, key, now } = response.locals['admitted'] as Admitted;
    const context: Context = {
      parts,
      request,
      response,
      operation: matched.operation,
      params: matched.params,
      query: request.query as Query,
      key,
      requestId: response.locals['requestId'] as string,
      now,
    };
    const handler: Handler = HANDLERS[matched.operation.id.replace(/Alias$/, '')]!;
    await handler(context);
  };
}

type ValidationProblem = { readonly path?: string; readonly message?: string };
type ValidationFailure = Error & { readonly status?: number; readonly errors?: readonly ValidationProblem[] };

/** What the validator says, in our words: which parameter, and what would be right. */
function validationErrors(): ErrorRequestHandler {
  return (error: ValidationFailure, _request: Request, response: Response, next: NextFunction) => {
    const problem = error.errors?.[0];
    if (error instanceof ApiError || !problem || error.status !== 400) {
      next(error);
      return;
    }
    const { matched } = response.locals['admitted'] as Admitted;
    const name = problem.path?.split('/')[2] ?? 'query';
    const known = [...matched.operation.queryNames].sort();
    if (problem.path?.startsWith('/query/') && !known.includes(name)) {
      const nearest = nearestName(name, known);
      next(
        invalidParameter(
          name,
          `Unknown query parameter '${name.slice(0, 64)}'${nearest ? `; did you mean '${nearest}'?` : '.'}`,
          { ...(nearest ? { nearest } : {}), allowed: known },
        ),
      );
      return;
    }
    next(
      invalidParameter(
        name,
        `${name} ${(problem.message ?? 'is not valid').replace(/^Empty value.*/, 'is empty')}.`,
      ),
    );
  };
}
