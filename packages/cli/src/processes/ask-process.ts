// One process of an `up` asks another how it is.

import type { Agent } from 'node:http';
import { request } from 'node:http';

export type ProcessAnswer = { readonly status: number; readonly body: string };

/** Null when it does not answer in time: not there, stopped, or held up. */
export const askProcess = (
  socketPath: string,
  path: string,
  timeoutMs: number,
  agent?: Agent,
): Promise<ProcessAnswer | null> =>
  new Promise((resolve) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const asked = request({ socketPath, path, signal, ...(agent ? { agent } : {}) }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', () => resolve(null));
    });
    asked.on('error', () => resolve(null));
    asked.end();
  });
