// express-openapi-validator, one instance for each operation. It compiles the patterns of all its paths again on every request;
// with one path each, which our own matcher has found already, that costs next to nothing.

import type { ParameterSpec } from '@ladderlog/core';
import { setBounded } from '@ladderlog/core';
import type { Request, RequestHandler, Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { Query } from '../server/context.ts';
import type { Contract, Operation } from './contract.ts';
import { isTime, nearestName } from './contract.ts';
import type { ApiError } from '../answers/errors.ts';
import { invalidParameter, notATime, quoted } from '../answers/errors.ts';

/** The query with its types and defaults, or an INVALID_PARAMETER. */
export type Validate = (operation: Operation, request: Request, response: Response) => Promise<Query>;

/** Requests have no body and no header parameters: the same URL has the same verdict, so that of the newest is kept. */
const REMEMBERED = 10_000;

export function createValidation(contract: Contract, validateResponses: boolean): Validate {
  const handlers = new Map<string, readonly RequestHandler[]>();
  const handlersOf = (operation: Operation): readonly RequestHandler[] => {
    let made = handlers.get(operation.id);
    if (!made) {
      made = OpenApiValidator.middleware({
        apiSpec: documentOf(contract, operation, validateResponses) as never,
        validateRequests: { allowUnknownQueryParameters: false },
        validateResponses,
        validateSecurity: false,
        // The whole document is checked by a test; this is a part of it.
        validateApiSpec: false,
      });
      handlers.set(operation.id, made);
    }
    return made;
  };
  const valid = new Map<string, Query>();
  return async (operation, request, response) => {
    const known = valid.get(request.url);
    // The check of answers needs what the check of the request leaves behind.
    if (known && !validateResponses) return known;
    readLeniently(operation, request);
    try {
      await runHandlers(handlersOf(operation), request, response);
    } catch (error) {
      throw inOurWords(error, operation, request);
    }
    const query = request.query as Query;
    setBounded(valid, request.url, query, REMEMBERED);
    return query;
  };
}

/** The contract with this path only; without answers where answers are not checked, so that little is compiled. */
function documentOf(contract: Contract, operation: Operation, validateResponses: boolean): unknown {
  const { document } = contract;
  const { get } = document.paths[operation.template]!;
  const { parameters, schemas } = document.components;
  return structuredClone({
    ...document,
    paths: {
      [operation.template]: {
        get: validateResponses ? get : { ...get, responses: { default: { description: 'not checked' } } },
      },
    },
    components: validateResponses ? document.components : { parameters, schemas },
    security: [],
  });
}

/** One after the other, as Express would; the first error ends it, however it is given: to next, thrown, or as a rejection. */
export async function runHandlers(
  handlers: readonly RequestHandler[],
  request: Request,
  response: Response,
): Promise<void> {
  for (const handler of handlers)
    await new Promise<void>((resolve, reject) => {
      const next = (error?: unknown): void => (error ? reject(error as Error) : resolve());
      Promise.try(handler, request, response, next).catch(reject);
    });
}

/** A time and, where a `+` stood unencoded in the URL, its zone. */
const LOST_PLUS = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*) (\d\d(?::?\d\d)?)$/;

/** What common clients send and can mean one thing only: Python's True, and a `+`, which arrives as a space. */
function readLeniently(operation: Operation, request: Request): void {
  const query = request.query as Record<string, unknown>;
  for (const parameter of operation.parameters) {
    const value = query[parameter.name];
    if (parameter.in !== 'query' || typeof value !== 'string') continue;
    if (parameter.schema['type'] === 'boolean') query[parameter.name] = value.toLowerCase();
    else if (isTime(parameter)) query[parameter.name] = value.replace(LOST_PLUS, '$1+$2');
  }
  // Express would parse it anew.
  Object.defineProperty(request, 'query', { value: query, writable: true, configurable: true });
}

type ValidationProblem = { readonly path?: string; readonly message?: string; readonly errorCode?: string };

/** Which parameter, what was given, and what would be right. */
function inOurWords(error: unknown, operation: Operation, request: Request): unknown {
  const { status, errors } = error as {
    readonly status?: number;
    readonly errors?: readonly ValidationProblem[];
  };
  const problem = errors?.[0];
  if (!problem || status !== 400) return error;
  const [, place, name = 'query'] = problem.path?.split('/') ?? [];
  if (place === 'query' && !operation.queryNames.includes(name)) return unknownParameter(name, operation);
  const given = (place === 'query' ? request.query : (request.params as Record<string, unknown>))[name];
  const parameter = operation.parameters.find((one) => one.name === name);
  const isPattern = problem.errorCode?.startsWith('pattern.') ?? false;
  return parameter && isPattern && isTime(parameter)
    ? notATime(name, given)
    : invalidParameter(name, `${name} ${wording(problem, given, isPattern ? parameter : undefined)}`);
}

function wording({ message = '' }: ValidationProblem, given: unknown, parameter?: ParameterSpec): string {
  if (given === undefined) return 'is required.';
  if (given === '') return 'is empty.';
  if (Array.isArray(given)) return 'takes one value.';
  if (message.includes('reserved characters')) return 'has characters that must be percent-encoded.';
  return parameter
    ? `${quoted(given)} is not well-formed: ${parameter.description}`
    : `${message}, not ${quoted(given)}.`;
}

function unknownParameter(name: string, operation: Operation): ApiError {
  const allowed = [...operation.queryNames].sort();
  const nearest = nearestName(name, allowed);
  return invalidParameter(
    name,
    `Unknown query parameter '${name.slice(0, 64)}'${nearest ? `; did you mean '${nearest}'?` : '.'}`,
    { ...(nearest ? { nearest } : {}), allowed },
  );
}
