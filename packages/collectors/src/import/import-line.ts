// One line of an import file: {"venue", "channel", "received_at", "frame", "session"?, "outbound"?, "settings"?}, with
// "frame_base64" in place of "frame" where the bytes are no text: also what `ladderlog replay --format frames` writes. Pure.

import type { Micros, Venue } from '@ladderlog/core';
import { EARLIEST_MICROS, LATEST_MICROS, VENUES, fromMillis, parseIso } from '@ladderlog/core';

export type ImportLine = {
  readonly venue: Venue;
  readonly channel: string;
  readonly receivedAt: Micros;
  /** The recorder's own name of the connection; empty when it gave none. */
  readonly session: string;
  /** In order: what the recorder had sent, then what it received (null when the line has no inbound frame). */
  readonly outbound: readonly string[];
  readonly frame: string | null;
  /** The frame's bytes where its text is not exact. */
  readonly bytes: Buffer | null;
  /** What decides the frames' meaning, where the recorder said so. */
  readonly settings: Readonly<Record<string, string>>;
};

export type ParsedLine =
  | { readonly ok: true; readonly line: ImportLine }
  | { readonly ok: false; readonly venue: Venue | null; readonly reason: string };

/** ws, or a source and a path: rest:/…, gamma:/…, clob:/…. Which sources a venue has is for its normalizer to say. */
const CHANNEL = /^(ws|[a-z][a-z0-9]{0,31}:\/.*)$/s;

export function parseImportLine(text: string): ParsedLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return bad(null, `not JSON: ${(error as Error).message.slice(0, 120)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return bad(null, 'not a JSON object');
  const fields = value as Record<string, unknown>;
  const venue = VENUES.find((name) => name === fields['venue']) ?? null;
  if (!venue) return bad(null, `venue is ${show(fields['venue'])}; it must be one of ${VENUES.join(', ')}`);
  const channel = fields['channel'];
  if (typeof channel !== 'string' || !CHANNEL.test(channel) || channel.length > 4096) {
    return bad(
      venue,
      `channel is ${show(channel)}; it must be ws, or a REST source and path such as rest:/markets/KX…/orderbook`,
    );
  }
  const receivedAt = parseReceivedAt(fields['received_at']);
  if (receivedAt === null)
    return bad(
      venue,
      `received_at is ${show(fields['received_at'])}; it must be ISO 8601 or epoch milliseconds`,
    );
  const session = fields['session'] ?? '';
  if ((typeof session !== 'string' && typeof session !== 'number') || String(session).length > 256) {
    return bad(venue, `session is ${show(session)}; it must be a short text`);
  }
  const bytes = fields['frame'] === undefined ? base64Bytes(fields['frame_base64']) : null;
  const frame = bytes ? bytes.toString('utf8') : fields['frame'];
  const outbound = fields['outbound'];
  const settings = fields['settings'] ?? {};
  if (!isSettings(settings))
    return bad(venue, `settings are ${show(settings)}; they must be an object of texts`);
  const base = { venue, channel, receivedAt, session: String(session), bytes, settings };
  // `true` marks the frame itself as sent; text or a list of texts is what had been sent before this frame came.
  const sent = outbound === true ? [] : outboundTexts(outbound);
  if (sent === null)
    return bad(venue, `outbound is ${show(outbound)}; it must be true, a text, or a list of texts`);
  if (frame === undefined && sent.length > 0)
    return { ok: true, line: { ...base, outbound: sent, frame: null } };
  if (typeof frame !== 'string')
    return bad(venue, `frame is ${show(frame)}; it must be the exact text as a JSON string`);
  return {
    ok: true,
    line:
      outbound === true ? { ...base, outbound: [frame], frame: null } : { ...base, outbound: sent, frame },
  };
}

const base64Bytes = (value: unknown): Buffer | null =>
  typeof value === 'string' && value.length % 4 === 0 && /^[\w+/]*={0,2}$/.test(value)
    ? Buffer.from(value, 'base64')
    : null;

const isSettings = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((one) => typeof one === 'string');

function parseReceivedAt(value: unknown): Micros | null {
  let at: Micros | null = null;
  if (typeof value === 'number' && Number.isFinite(value)) at = fromMillis(value);
  else if (typeof value === 'string')
    at = /^\d{12,14}(\.\d+)?$/.test(value) ? fromMillis(Number(value)) : parseIso(value);
  return at !== null && at >= EARLIEST_MICROS && at <= LATEST_MICROS ? at : null;
}

function outboundTexts(value: unknown): string[] | null {
  if (value === undefined || value === null || value === false) return [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const texts: string[] = [];
  for (const item of list) {
    if (typeof item === 'string') texts.push(item);
    else if (typeof item === 'object' && item !== null) texts.push(JSON.stringify(item));
    else return null;
  }
  return texts;
}

const show = (value: unknown): string =>
  value === undefined ? 'missing' : JSON.stringify(value).slice(0, 80);

const bad = (venue: Venue | null, reason: string): ParsedLine => ({ ok: false, venue, reason });
