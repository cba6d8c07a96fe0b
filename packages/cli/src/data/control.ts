// The control socket of a running `ladderlog up`: a Unix socket in the data directory, so only who may read the directory may
// speak. One request a connection: a line of JSON; answers are lines {progress} … then {result} or {error}.

import { chmodSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { LadderlogError, isLadderlogError } from '@ladderlog/core';
import type { Follower } from '@ladderlog/projector';

import type { Context } from '../context.ts';
import type { DataDirectory } from './data-directory.ts';
import { openDataDirectory } from './data-directory.ts';
import { removeSocket } from './sockets.ts';
import { runningUp } from './up-lock.ts';
import type { Arguments, Operation } from './operation.ts';
import type { OperationName } from './operations.ts';
import { OPERATIONS } from './operations.ts';
import type { Runtime } from '../processes/runtime.ts';
import { withRuntime } from '../processes/runtime.ts';
import type { OnProgress } from '../progress.ts';
import { withProgress } from '../progress.ts';

/** A process of a running `up` that is being started again is waited for so long. */
const COMES_BACK_MS = 60_000;

type Answer =
  | { readonly progress: [number, number, string] }
  | { readonly result: unknown }
  | { readonly error: { readonly code: string; readonly message: string; readonly retryable: boolean } };

export async function serveControl(
  context: Context,
  runtime: Runtime,
  follower: Follower,
): Promise<{ close(): Promise<void> }> {
  const path = runtime.directory.sockets.control;
  removeSocket(path);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    answerOn(socket, context, (line, progress, signal) =>
      perform(line, { context, runtime, follower, progress, signal }),
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  chmodSync(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** One line is asked, then answered; whoever hangs up has the work ended. */
function answerOn(
  socket: Socket,
  { signal, logger }: Context,
  work: (line: string, progress: OnProgress, signal: AbortSignal) => Promise<unknown>,
): void {
  const gone = new AbortController();
  socket.on('close', () => gone.abort());
  socket.on('error', () => socket.destroy());
  // Who asked may have gone; the reader of lines passes on the socket's errors as its own.
  const answer = (message: Answer): void => {
    if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
  };
  const lines = createInterface({ input: socket });
  lines.on('error', () => socket.destroy());
  const progress: OnProgress = (done, total, note = '') => answer({ progress: [done, total, note] });
  lines.once('line', (line) => {
    work(line, progress, AbortSignal.any([signal, gone.signal]))
      .then((result) => answer({ result }))
      .catch((error: unknown) => {
        logger.warn({ event: 'control.failed', err: error }, 'a control request failed');
        const code = isLadderlogError(error) ? error.code : 'INTERNAL';
        const retryable = isLadderlogError(error) && error.retryable;
        answer({ error: { code, message: (error as Error).message, retryable } });
      })
      .finally(() => socket.end());
  });
}

async function perform(line: string, work: Parameters<Operation>[0]): Promise<unknown> {
  const request = JSON.parse(line) as { operation?: string; args?: Arguments };
  const operation = OPERATIONS[request.operation as OperationName];
  if (!operation)
    throw new LadderlogError('BAD_ARGUMENT', `no operation named '${String(request.operation)}'`);
  work.context.logger.info(
    { event: 'control.operation', operation: request.operation },
    'running an operation for a command',
  );
  await storeAnswers(work);
  return operation(work, request.args ?? {});
}

/** The engine may be starting again just now; what comes after that deadline is the operation's own failure. */
async function storeAnswers({ runtime, signal }: Parameters<Operation>[0]): Promise<void> {
  const deadline = performance.now() + COMES_BACK_MS;
  while (!(await runtime.store.health()).ok && performance.now() < deadline)
    await sleep(250, undefined, { signal });
}

/** Runs an operation inside the running process, or here when none runs, and shows how far it is. */
export const operate = <T>(context: Context, operation: OperationName, args: Arguments): Promise<T> =>
  withProgress(operation, async (progress) => {
    const { signal } = context;
    const directory = openDataDirectory(context.config.data, context.logger);
    const socket = await reachRunning(directory, signal);
    if (socket) return (await askRunning(socket, operation, args, progress, signal)) as T;
    return withRuntime(
      context,
      `ladderlog ${operation}`,
      (runtime) =>
        OPERATIONS[operation]({ context, runtime, progress, signal, follower: null }, args) as Promise<T>,
    );
  });

/**
 * Null: nothing runs on the directory. What runs there has the engine, so its service is waited for while it is being started
 * again.
 */
async function reachRunning(directory: DataDirectory, signal: AbortSignal): Promise<Socket | null> {
  const deadline = performance.now() + COMES_BACK_MS;
  for (;;) {
    const socket = await reach(directory.sockets.control);
    if (socket || !runningUp(directory.path)) return socket;
    if (performance.now() > deadline)
      throw new LadderlogError(
        'STORE_UNAVAILABLE',
        `a ladderlog runs on ${directory.path}, and its service did not answer for ${COMES_BACK_MS / 1_000} s; look at its log lines, or end it`,
        { retryable: true },
      );
    await sleep(250, undefined, { signal });
  }
}

const reach = (path: string): Promise<Socket | null> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(null));
  });

async function askRunning(
  socket: Socket,
  operation: OperationName,
  args: Arguments,
  progress: OnProgress,
  signal: AbortSignal,
): Promise<unknown> {
  signal.addEventListener('abort', () => socket.destroy(), { once: true });
  socket.write(`${JSON.stringify({ operation, args })}\n`);
  const lines = createInterface({ input: socket });
  lines.on('error', () => lines.close());
  for await (const line of lines) {
    const message = JSON.parse(line) as Answer;
    if ('progress' in message) progress(...message.progress);
    else if ('result' in message) return message.result;
    else {
      const { code, message: text, retryable } = message.error;
      throw new LadderlogError(code as 'INTERNAL', text, { retryable });
    }
  }
  signal.throwIfAborted();
  throw new LadderlogError('INTERNAL', 'the running ladderlog ended before it answered');
}
