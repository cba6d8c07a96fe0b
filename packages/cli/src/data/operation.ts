// An operation on the store: it must run where the store is open, inside a running `ladderlog up`, or in the command itself when
// nothing runs. Arguments and results are plain JSON, since they may cross the control socket.

import type { Follower } from '@ladderlog/projector';

import type { Context } from '../context.ts';
import type { Runtime } from '../processes/runtime.ts';
import type { OnProgress } from '../progress.ts';

export type Arguments = Readonly<
  Record<string, string | number | boolean | readonly string[] | null | undefined>
>;

export type Operation = (
  work: {
    readonly context: Context;
    readonly runtime: Runtime;
    readonly progress: OnProgress;
    readonly signal: AbortSignal;
    /** Of the running process; null where none runs. */
    readonly follower: Follower | null;
  },
  args: Arguments,
) => Promise<unknown>;
