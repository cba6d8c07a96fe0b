// Rate limits per key: several windows at once (burst and sustained), counted exactly under parallel requests, in memory or
// in Redis when instances share them.

import { Redis } from 'ioredis';
import type { PlanTable, Plan, RateLimit } from '@ladderlog/core';
import { PLANS } from '@ladderlog/core';
import type { Logger } from 'pino';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../answers/errors.ts';

export type RateState = {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the window is full again. */
  readonly resetMs: number;
};

export type RateLimits = {
  /** Counts one request; refuses with RATE_LIMITED. Answers with the window that is nearest to being used up. */
  count(group: Plan | 'anonymous', who: string): Promise<RateState>;
  /** False while a Redis was asked for and is not there: then this instance counts for itself. */
  connected(): boolean;
  close(): Promise<void>;
};

export type RateLimitOptions = {
  readonly plans: PlanTable;
  /** Requests without a valid key, per address. */
  readonly anonymous: readonly RateLimit[];
  readonly redisUrl?: string;
  readonly logger: Logger;
};

type Window = { readonly rate: RateLimit; readonly limiter: RateLimiterAbstract };

export function createRateLimits(options: RateLimitOptions): RateLimits {
  const redis = options.redisUrl ? openRedis(options.redisUrl, options.logger) : null;
  const windows = (group: string, rates: readonly RateLimit[]): Window[] =>
    rates.map((rate) => ({ rate, limiter: limiterOf(redis, group, rate) }));
  const groups = new Map<string, Window[]>([['anonymous', windows('anonymous', options.anonymous)]]);
  for (const plan of PLANS) groups.set(plan, windows(plan, options.plans[plan].rates));
  return {
    async count(group, who) {
      let tightest: RateState | null = null;
      for (const { rate, limiter } of groups.get(group)!) {
        let result: RateLimiterRes;
        try {
          result = await limiter.consume(who);
        } catch (refusal) {
          if (!(refusal instanceof RateLimiterRes)) throw refusal;
          throw refused(rate, refusal.msBeforeNext);
        }
        const state = {
          limit: rate.requests,
          remaining: result.remainingPoints,
          resetMs: result.msBeforeNext,
        };
        if (!tightest || state.remaining < tightest.remaining) tightest = state;
      }
      return tightest ?? { limit: 0, remaining: 0, resetMs: 0 };
    },
    connected: () => redis === null || redis.status === 'ready',
    async close() {
      if (redis) redis.disconnect();
    },
  };
}

function openRedis(url: string, logger: Logger): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    // A server that is still loading refuses the command, and that request is then counted here.
    enableReadyCheck: false,
    lazyConnect: false,
  });
  redis.on('error', (error) => {
    logger.warn({ event: 'api.redis', err: error }, 'redis does not answer; limits are counted here');
  });
  return redis;
}

function limiterOf(
  redis: Redis | null,
  group: string,
  { requests, seconds }: RateLimit,
): RateLimiterAbstract {
  const common = { keyPrefix: `ladderlog:${group}:${seconds}`, points: requests, duration: seconds };
  if (!redis) return new RateLimiterMemory(common);
  // While Redis is away each instance counts for itself: a limit that is too generous beats no answer.
  return new RateLimiterRedis({
    ...common,
    storeClient: redis,
    insuranceLimiter: new RateLimiterMemory(common),
  });
}

export class RateRefusal extends ApiError {
  readonly state: RateState;
  constructor(rate: RateLimit, state: RateState) {
    const retryAfter = Math.max(1, Math.ceil(state.resetMs / 1000));
    super(
      'RATE_LIMITED',
      `Limit of ${rate.requests} requests in ${rate.seconds} s used up; wait ${retryAfter} s.`,
      { limit: rate.requests, seconds: rate.seconds, retry_after: retryAfter },
      { 'Retry-After': String(retryAfter) },
    );
    this.state = state;
  }
}

const refused = (rate: RateLimit, resetMs: number): RateRefusal =>
  new RateRefusal(rate, { limit: rate.requests, remaining: 0, resetMs });
