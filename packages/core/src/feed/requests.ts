// What a client of the feed may say. Parsing is strict: an unknown field is an error, since a misspelt filter would otherwise
// silently subscribe to more than was meant.

import type { Venue } from '../events/events.ts';
import { VENUES } from '../venues/registry.ts';
import type { Micros } from '../kernel/time.ts';
import { parseClientTime } from '../kernel/time.ts';
import type { Position } from '../events/topics.ts';

/** Null: any. The asset is in lower case. */
export type StreamFilter = {
  readonly venue: Venue | null;
  readonly asset: string | null;
  readonly window: string | null;
  readonly market: string | null;
};

/** Positions are the last ones the client has, offset −1 where it has none; or a time. */
export type StreamFrom = { readonly positions: readonly Position[] } | { readonly time: Micros };

export type StreamRequest =
  | { readonly type: 'auth'; readonly key: string }
  | {
      readonly type: 'subscribe';
      readonly id: string | null;
      readonly filter: StreamFilter;
      readonly from: StreamFrom | null;
    }
  | { readonly type: 'unsubscribe'; readonly id: string }
  | { readonly type: 'ping'; readonly id: string | null }
  | ReplayControl;

/** Only a replay server obeys these. */
export type ReplayControl =
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | { readonly type: 'seek'; readonly time: Micros }
  | { readonly type: 'speed'; readonly speed: number | 'max' };

export type ParsedRequest =
  | { readonly ok: true; readonly request: StreamRequest }
  | {
      readonly ok: false;
      readonly code: 'INVALID_MESSAGE' | 'INVALID_PARAMETER';
      readonly message: string;
      readonly parameter: string | null;
      readonly id: string | null;
    };

const FIELDS: Readonly<Record<StreamRequest['type'], readonly string[]>> = {
  auth: ['key'],
  subscribe: ['id', 'venue', 'asset', 'window', 'market', 'from'],
  unsubscribe: ['id'],
  ping: ['id'],
  pause: [],
  resume: [],
  seek: ['time'],
  speed: ['speed'],
};

class Refused extends Error {
  readonly parameter: string | null;
  constructor(message: string, parameter: string | null) {
    super(message);
    this.parameter = parameter;
  }
}

export function parseStreamRequest(text: string): ParsedRequest {
  let id: string | null = null;
  try {
    const body = parseObject(text);
    if (typeof body['id'] === 'string' && ID.test(body['id'])) id = body['id'];
    return { ok: true, request: requestOf(body) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return {
      ok: false,
      code: error.parameter === null ? 'INVALID_MESSAGE' : 'INVALID_PARAMETER',
      message: error.message,
      parameter: error.parameter,
      id,
    };
  }
}

type Body = Readonly<Record<string, unknown>>;

function parseObject(text: string): Body {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refused('This is not JSON.', null);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refused('A message is a JSON object with a type.', null);
  return body as Body;
}

function requestOf(body: Body): StreamRequest {
  const type = body['type'];
  if (typeof type !== 'string' || !Object.hasOwn(FIELDS, type))
    throw new Refused('type must be one of auth, subscribe, unsubscribe, ping.', null);
  const known = FIELDS[type as StreamRequest['type']];
  for (const name of Object.keys(body))
    if (name !== 'type' && !known.includes(name))
      throw new Refused(
        `'${name.slice(0, 64)}' is not a field of ${type}; it has ${['type', ...known].join(', ')}.`,
        name.slice(0, 64),
      );
  switch (type as StreamRequest['type']) {
    case 'auth':
      return { type: 'auth', key: textOf(body, 'key', /^\S{1,256}$/) ?? missing('key') };
    case 'subscribe':
      return subscribeOf(body);
    case 'unsubscribe':
      return { type: 'unsubscribe', id: textOf(body, 'id', ID) ?? missing('id') };
    case 'ping':
      return { type: 'ping', id: textOf(body, 'id', ID) };
    case 'pause':
      return { type: 'pause' };
    case 'resume':
      return { type: 'resume' };
    case 'seek':
      return { type: 'seek', time: timeOf(body, 'time') ?? missing('time') };
    case 'speed':
      return { type: 'speed', speed: speedOf(body['speed']) };
  }
}

const ID = /^[\w.:-]{1,64}$/;

function missing(name: string): never {
  throw new Refused(`${name} is missing.`, name);
}

function textOf(body: Body, name: string, allowed: RegExp): string | null {
  const value = body[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || !allowed.test(value)) throw new Refused(`${name} is not valid.`, name);
  return value;
}

function timeOf(body: Body, name: string): Micros | null {
  const value = body[name];
  if (value === undefined || value === null) return null;
  const at = typeof value === 'string' || typeof value === 'number' ? parseClientTime(String(value)) : null;
  if (at === null) throw new Refused(`${name} must be an ISO 8601 time or epoch milliseconds.`, name);
  return at;
}

export function speedOf(value: unknown): number | 'max' {
  if (value === 'max') return 'max';
  const speed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof speed === 'number' && speed >= 0.001 && speed <= 1_000_000) return speed;
  throw new Refused('speed must be max, or a factor from 0.001 to 1000000.', 'speed');
}

function subscribeOf(body: Body): StreamRequest {
  const venue = textOf(body, 'venue', /^.{1,64}$/);
  if (venue !== null && !(VENUES as readonly string[]).includes(venue))
    throw new Refused(`venue must be one of ${VENUES.join(', ')}.`, 'venue');
  const filter: StreamFilter = {
    venue: venue as Venue | null,
    asset: textOf(body, 'asset', /^\w{1,16}$/)?.toLowerCase() ?? null,
    window: textOf(body, 'window', /^\d{1,4}[smhdw]$/),
    market: textOf(body, 'market', /^[^\s\p{Cc}]{1,256}$/u),
  };
  if (filter.market !== null && filter.venue === null)
    throw new Refused('market needs its venue: ids are unique within a venue only.', 'venue');
  return { type: 'subscribe', id: textOf(body, 'id', ID), filter, from: fromOf(body['from']) };
}

function fromOf(value: unknown): StreamFrom | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value))
    throw new Refused('from must be {"position": …} or {"time": …}.', 'from');
  const body = value as Body;
  const names = Object.keys(body);
  if (names.length !== 1 || (names[0] !== 'position' && names[0] !== 'time'))
    throw new Refused('from must have position or time, and nothing else.', 'from');
  if (names[0] === 'time') return { time: timeOf(body, 'time') ?? missing('from.time') };
  const given = Array.isArray(body['position']) ? (body['position'] as unknown[]) : [body['position']];
  const positions = given.map((one) => {
    const position = typeof one === 'string' ? parseResumePosition(one) : null;
    if (!position)
      throw new Refused(
        'from.position must be the seq of the last message, or a list of one for each partition.',
        'from.position',
      );
    return position;
  });
  const places = new Set(positions.map(({ topic, partition }) => `${topic}/${partition}`));
  if (positions.length === 0 || places.size < positions.length)
    throw new Refused('from.position must name each partition once.', 'from.position');
  return { positions };
}

/** As parsePosition, and offset −1: before the first. */
function parseResumePosition(text: string): Position | null {
  const match = /^([a-z][a-z.]{0,63})\/(\d{1,5})\/(-1|\d{1,15})$/.exec(text);
  return match ? { topic: match[1]!, partition: Number(match[2]), offset: Number(match[3]) } : null;
}

export type MarketFacts = {
  readonly venue: Venue;
  readonly market: string;
  readonly asset: string | null;
  readonly window: string | null;
};

export const filterMatches = (filter: StreamFilter, facts: MarketFacts): boolean =>
  (filter.venue === null || filter.venue === facts.venue) &&
  (filter.market === null || filter.market === facts.market) &&
  (filter.asset === null || filter.asset === facts.asset?.toLowerCase()) &&
  (filter.window === null || filter.window === facts.window);

/** Equal filters have equal keys. */
export const filterKey = (filter: StreamFilter): string =>
  JSON.stringify([filter.venue, filter.asset, filter.window, filter.market]);
