// The control socket of a running `ladderlog up`: a Unix socket in the data directory, so only who may read the directory may
// speak. One request a connection: a line of JSON; answers are lines {progress} … then {result} or {error}.

import { chmodSync, existsSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';

import { LadderlogError, isLadderlogError } from '@ladderlog/core';
import type { Follower } from '@ladderlog/projector';

import type { Context } from '../context.ts';
import { openDataDirectory } from './data-directory.ts';
import type { Arguments, OnProgress, OperationName } from './operations.ts';
import { OPERATIONS } from './operations.ts';
import type { Runtime } from '../processes/runtime.ts';
import { openRuntime } from '../processes/runtime.ts';

type Answer =
  | { readonly progress: [number, number, string] }
  | { readonly result: unknown }
  | { readonly error: { readonly code: string; readonly message: string } };

export async function serveControl(
  context: Context,
  runtime: Runtime,
  follower: Follower,
): Promise<{ close(): Promise<void> }> {
  const path = runtime.directory.control;
  // A socket left by a killed process; the store's lock says that nobody else runs.
  if (existsSync(path)) rmSync(path);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    const gone = new AbortController();
    socket.on('close', () => {
      open.delete(socket);
      gone.abort();
    });
    socket.on('error', () => socket.destroy());
    // Who asked may have gone; the reader of lines passes on the socket's errors as its own.
    const answer = (message: Answer): void => {
      if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
    };
    const lines = createInterface({ input: socket });
    lines.on('error', () => socket.destroy());
    lines.once('line', (line) => {
      perform(
        context,
        runtime,
        follower,
        line,
        (done, total, note) => answer({ progress: [done, total, note] }),
        AbortSignal.any([context.signal, gone.signal]),
      )
        .then((result) => answer({ result }))
        .catch((error: unknown) => {
          context.logger.warn({ event: 'control.failed', err: error }, 'a control request failed');
          answer({
            error: {
              code: isLadderlogError(error) ? error.code : 'INTERNAL',
              message: (error as Error).message,
            },
          });
        })
        .finally(() => socket.end());
    });
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

async function perform(
  context: Context,
  runtime: Runtime,
  follower: Follower,
  line: string,
  progress: OnProgress,
  signal: AbortSignal,
): Promise<unknown> {
  const request = JSON.parse(line) as { operation?: string; args?: Arguments };
  const operation = OPERATIONS[request.operation as OperationName];
  if (!operation)
    throw new LadderlogError('BAD_ARGUMENT', `no operation named '${String(request.operation)}'`);
  context.logger.info(
    { event: 'control.operation', operation: request.operation },
    'running an operation for a command',
  );
  return operation(context, runtime, request.args ?? {}, progress, signal, follower);
}

/** Runs an operation inside the running process, or here when none runs. */
export async function operate(
  context: Context,
  operation: OperationName,
  args: Arguments,
  progress: OnProgress,
): Promise<unknown> {
  const directory = openDataDirectory(context.config.data, context.logger);
  const socket = existsSync(directory.control) ? await reach(directory.control) : null;
  if (socket) return askRunning(socket, operation, args, progress, context.signal);
  const runtime = await openRuntime(context, `ladderlog ${operation}`);
  try {
    return await OPERATIONS[operation](context, runtime, args, progress, context.signal, null);
  } finally {
    await runtime.close();
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
    else throw new LadderlogError(message.error.code as 'INTERNAL', message.error.message);
  }
  signal.throwIfAborted();
  throw new LadderlogError('INTERNAL', 'the running ladderlog ended before it answered');
}
