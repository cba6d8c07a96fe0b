// What the feed is given, and how much of anything it allows.

import type { ApiKey, Clock, KeyCheck, PlanTable } from '@ladderlog/core';
import { STREAM_LIMITS } from '@ladderlog/core';
import type { Live } from '@ladderlog/live';
import type { EventLog } from '@ladderlog/log';
import type { Logger } from 'pino';

/** The key ring as the feed needs it; the API's has this shape. */
export type FeedKeys = {
  check(text: string): KeyCheck;
  list(): readonly ApiKey[];
};

export type FeedLimits = {
  readonly clients: number;
  readonly clientsPerKey: number;
  readonly subscriptions: number;
  /** Unsent bytes past which a client gets only the newest book of each market. */
  readonly softBytes: number;
  /** Unsent bytes past which it is closed. */
  readonly hardBytes: number;
  /** Messages kept for a client that does not read. */
  readonly held: number;
  /** Without any progress for so long, a slow client is closed. */
  readonly stalledMs: number;
  /** How long a client may be past the soft limit before it is conflated, and a reader of history waits for its client. */
  readonly graceMs: number;
  /** How long a client that was closed may take to read what is unsent and the code. */
  readonly closeMs: number;
  readonly authMs: number;
  readonly heartbeatMs: number;
  readonly payloadBytes: number;
  /** Malformed messages before the close, and messages a client may send in a second. */
  readonly malformed: number;
  readonly requestsPerSecond: number;
  /** Unsent bytes past which history waits: of one client, and shared by all that read history. */
  readonly historyBytes: number;
  readonly historyTotalBytes: number;
  /** Live messages, and their bytes in the log, kept while a resuming subscription reads its last piece of history. */
  readonly joinMessages: number;
  readonly joinBytes: number;
  /** Resuming subscriptions that read the log at the same time, of all clients and of one; the others wait in turn. */
  readonly catchUps: number;
  readonly catchUpsPerClient: number;
};

export const FEED_LIMITS: FeedLimits = {
  ...STREAM_LIMITS,
  clients: 5_000,
  clientsPerKey: 100,
  softBytes: 1024 * 1024,
  hardBytes: 8 * 1024 * 1024,
  held: 20_000,
  stalledMs: 10_000,
  graceMs: 25,
  closeMs: 10_000,
  authMs: 5_000,
  heartbeatMs: 15_000,
  historyBytes: 256 * 1024,
  historyTotalBytes: 64 * 1024 * 1024,
  joinMessages: 5_000,
  joinBytes: 8 * 1024 * 1024,
  catchUps: 8,
  catchUpsPerClient: 1,
};

/** Counters for metrics; every one is called often and must be quick. */
export type FeedObserver = {
  onClients?(clients: number): void;
  /** Messages of the log handed to sockets. */
  onSent?(messages: number, bytes: number): void;
  onConflated?(messages: number): void;
  onClosed?(code: number): void;
  onCatchUp?(messages: number): void;
};

export type FeedOptions = {
  readonly log: EventLog;
  /** The state of the markets, and the tail of the log. */
  readonly live: Live;
  readonly keys: FeedKeys;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly limits?: Partial<FeedLimits>;
  readonly plans?: PlanTable;
  readonly observer?: FeedObserver;
};
