// The asked range, as every historical route understands it: half-open, within the plan's history, never beyond now.

import type { ApiKey, Micros, PlanTable, Venue } from '@ladderlog/core';
import { oldestAllowed, parseClientTime, planAllows, planFor, planReaching, toIso } from '@ladderlog/core';
import type { Context } from '../server/context.ts';
import { text } from '../server/context.ts';
import { ApiError, invalidParameter, notATime } from './errors.ts';

export type AskedRange = {
  /** Null: as far back as there is data and the plan reaches. */
  readonly from: Micros | null;
  readonly to: Micros;
  /** `from` was asked for by the client, not chosen by us. */
  readonly exactFrom: boolean;
  /** `to` was asked for by the client. */
  readonly exactTo: boolean;
  /** The client named an end that has passed: the range can only change by late arrivals. */
  readonly closed: boolean;
};

const DAY: Micros = 86_400_000_000;

export function clientTime(parameter: string, value: string): Micros {
  const at = parseClientTime(value);
  if (at === null) throw notATime(parameter, value);
  return at;
}

export function optionalTime(context: Context, name: string): Micros | null {
  const value = text(context, name);
  return value === null ? null : clientTime(name, value);
}

/** A range of the catalogue or of gaps: not limited by plan. */
export function plainRange(context: Context): { readonly from: Micros | null; readonly to: Micros | null } {
  const from = optionalTime(context, 'start_time');
  const to = optionalTime(context, 'end_time');
  refuseReversed(from, to);
  return { from, to };
}

export function askedRange(context: Context, venue: Venue): AskedRange {
  const { from, to } = plainRange(context);
  const oldest = context.key ? oldestAllowed(context.key.plan, context.now, context.parts.plans) : null;
  const reaches = Math.min(from ?? Infinity, to ?? Infinity);
  // Pages that were begun before midnight may be read to their end.
  const grace = text(context, 'cursor') === null ? 0 : DAY;
  if (oldest !== null && reaches < oldest - grace) throw historyLimit(context, venue, reaches, oldest);
  const end = Math.min(to ?? context.now, context.now);
  return {
    from: from === null ? oldest : Math.min(from, end),
    to: end,
    exactFrom: from !== null,
    exactTo: to !== null,
    closed: to !== null && to <= context.now,
  };
}

/** One instant of history. */
export function askedInstant(context: Context, venue: Venue): Micros {
  const at = clientTime('timestamp', context.params['timestamp']!);
  if (at > context.now)
    throw invalidParameter(
      'timestamp',
      `${toIso(at)} is in the future; the newest book is at orderbook/latest.`,
    );
  const oldest = context.key ? oldestAllowed(context.key.plan, context.now, context.parts.plans) : null;
  if (oldest !== null && at < oldest) throw historyLimit(context, venue, at, oldest);
  return at;
}

function refuseReversed(from: Micros | null, to: Micros | null): void {
  if (from !== null && to !== null && from > to)
    throw invalidParameter(
      'end_time',
      `end_time (${toIso(to)}) is before start_time (${toIso(from)}); ranges are start_time <= t < end_time.`,
    );
}

function historyLimit(context: Context, venue: Venue, at: Micros, oldest: Micros): ApiError {
  const plan = context.key!.plan;
  return new ApiError('HISTORY_LIMIT_EXCEEDED', `The plan ${plan} reaches back to ${toIso(oldest)}.`, {
    required_plan: planReaching(at, context.now, venue, context.parts.plans),
    oldest_allowed: toIso(oldest),
  });
}

export function requireVenue(key: ApiKey | null, venue: Venue, plans: PlanTable): void {
  if (!key || planAllows(key.plan, venue, plans)) return;
  const required = planFor(venue, plans);
  throw new ApiError(
    'ENDPOINT_NOT_IN_PLAN',
    `The plan ${key.plan} does not include this venue${required ? `; ${required} does` : ''}.`,
    { required_plan: required },
  );
}
