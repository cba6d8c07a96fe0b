import type { Request, RequestHandler, Response } from 'express';
import { describe, expect, test } from 'vitest';
import { runHandlers } from '../src/contract/validation.ts';

const run = (...handlers: RequestHandler[]): Promise<void> =>
  runHandlers(handlers, {} as Request, {} as Response);
const wrong = new Error('wrong');

describe('handlers of the validator', () => {
  test('run in order, each after the one before', async () => {
    const order: number[] = [];
    await run(
      (_request, _response, next) => {
        setImmediate(() => {
          order.push(1);
          next();
        });
      },
      (_request, _response, next) => {
        order.push(2);
        next();
      },
    );
    expect(order).toEqual([1, 2]);
  });

  test.each<[string, RequestHandler]>([
    ['gives it to next', (_request, _response, next) => next(wrong)],
    [
      'throws it',
      () => {
        throw wrong;
      },
    ],
    ['rejects with it', () => Promise.reject(wrong)],
  ])('an error ends them, where a handler %s', async (_how, handler) => {
    let ran = false;
    const later: RequestHandler = (_request, _response, next) => {
      ran = true;
      next();
    };
    await expect(run(handler, later)).rejects.toBe(wrong);
    expect(ran).toBe(false);
  });
});
