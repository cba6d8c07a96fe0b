// What a route handler is given: the matched operation, validated parameters, who asks, and the parts of the API.

import type { Request, Response } from 'express';
import type { ApiKey, Clock, Micros, PlanTable, Venue } from '@ladderlog/core';
import type { Live, LiveMarket } from '@ladderlog/live';
import type { EventLog } from '@ladderlog/log';
import type { OverviewRow, Store } from '@ladderlog/store';
import type { Logger } from 'pino';
import type { Catalogue, KnownMarket } from '../answers/catalogue.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import type { Memo } from '../answers/memo.ts';
import type { Revisions } from '../answers/revisions.ts';

export type Parts = {
  readonly store: Store;
  readonly log: EventLog;
  readonly live: Live;
  /** A market that memory does not have as a whole. */
  loadMarket(known: KnownMarket): Promise<LiveMarket>;
  readonly catalogue: Catalogue;
  readonly revisions: Revisions;
  readonly contract: Contract;
  readonly plans: PlanTable;
  readonly clock: Clock;
  /** A capture that gave no sign for so long is dead. */
  readonly silent: Micros;
  readonly logger: Logger;
  readonly cursorSecret: string;
  readonly version: string;
  /** The served generation of the tables. */
  generation(): Promise<number>;
  health(): Promise<Readonly<Record<string, unknown>>>;
  overview(): Promise<readonly OverviewRow[]>;
  /** Answers of the store kept for a moment. */
  readonly memo: Memo;
  readonly validateResponses: boolean;
};

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export type Context = {
  readonly parts: Parts;
  readonly request: Request;
  readonly response: Response;
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** Null on routes that need no key. */
  readonly key: ApiKey | null;
  readonly requestId: string;
  readonly now: number;
  /** Aborted when the client has gone, or has its answer. */
  readonly signal: AbortSignal;
};

export type Handler = (context: Context) => Promise<void>;

export const text = (context: Context, name: string): string | null => {
  const value = context.query[name];
  return typeof value === 'string' ? value : null;
};

export const flag = (context: Context, name: string): boolean => context.query[name] === true;

export const integer = (context: Context, name: string): number => Number(context.query[name]);

/** The venue of a route that has one. */
export const venueOf = (context: Context): Venue => context.operation.venue!;

/** The market of a route that names one in its path. */
export const marketIdOf = ({ operation, params }: Context): string => params[operation.marketParameter!]!;
