// What the supervisor and its processes say to each other: start, ready, stop. No data of a market passes here.

import type { Options } from '../command.ts';

export type RoleName = 'engine' | 'simulators' | 'recorder' | 'service';

/** What each process says of itself when it is ready. */
export type RoleFacts = {
  readonly engine: { readonly sqlUrl: string | null };
  /** By venue: addresses and keys, as a recorder is configured with them. */
  readonly simulators: { readonly settings: Readonly<Record<string, Readonly<Record<string, string>>>> };
  readonly recorder: { readonly venues: readonly string[]; readonly leftOut: readonly string[] };
  readonly service: { readonly port: number; readonly demoKey: string | null };
};

/** What each process is told when it begins. Ports are those of its first start, so that it comes back where it was. */
export type RoleStart = {
  readonly engine: { readonly sqlPort: number | null };
  readonly simulators: Readonly<Record<string, never>>;
  readonly recorder: { readonly simulated: RoleFacts['simulators']['settings'] | null };
  readonly service: {
    readonly port: number;
    /** Only the first one issues a key for newcomers. */
    readonly isFirst: boolean;
    readonly hasRecorder: boolean;
  };
};

export type ToRole<R extends RoleName = RoleName> =
  | { readonly type: 'start'; readonly flags: Options; readonly start: RoleStart[R] }
  | { readonly type: 'stop' }
  /** The recorder is about to be ended: that it does not answer is no news then. */
  | { readonly type: 'recorder-ends' }
  /** Answered when each of these venues has a book that is served, or after a while. */
  | { readonly type: 'first-books'; readonly venues: readonly string[] };

export type FromRole<R extends RoleName = RoleName> =
  { readonly type: 'ready'; readonly facts: RoleFacts[R] } | { readonly type: 'first-books' };

/** The end of a role's process. */
export type Channel<R extends RoleName> = {
  readonly started: Promise<Extract<ToRole<R>, { type: 'start' }>>;
  /** Aborted when the supervisor says stop. */
  readonly stop: AbortSignal;
  ready(facts: RoleFacts[R]): void;
  onRecorderEnds(heard: () => void): void;
  onFirstBooks(answer: (venues: readonly string[]) => Promise<void>): void;
};

export function openChannel(parent: NodeJS.Process): Channel<RoleName> {
  const started = Promise.withResolvers<Extract<ToRole, { type: 'start' }>>();
  const stop = new AbortController();
  const send = (message: FromRole): void => void parent.send?.(message);
  let recorderEnds = (): void => undefined;
  let firstBooks: ((venues: readonly string[]) => Promise<void>) | null = null;
  parent.on('message', (message: ToRole) => {
    if (message.type === 'start') started.resolve(message);
    else if (message.type === 'stop') stop.abort();
    else if (message.type === 'recorder-ends') recorderEnds();
    else void firstBooks?.(message.venues).finally(() => send({ type: 'first-books' }));
  });
  return {
    started: started.promise,
    stop: stop.signal,
    ready: (facts) => send({ type: 'ready', facts }),
    onRecorderEnds: (heard) => (recorderEnds = heard),
    onFirstBooks: (answer) => (firstBooks = answer),
  };
}
