// Before a socket is a WebSocket: the key in its headers, and refusals as HTTP answers in the API's envelope.

import type { IncomingHttpHeaders } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

export function keyInHeaders(headers: IncomingHttpHeaders): string | null {
  const bearer =
    headers.authorization === undefined ? null : /^Bearer +(\S+) *$/i.exec(headers.authorization);
  if (bearer) return bearer[1]!;
  // Another scheme is no key of ours; refused like a wrong one.
  if (headers.authorization !== undefined) return '';
  const named = headers['x-api-key'];
  return typeof named === 'string' && named !== '' ? named : null;
}

export function refuse(socket: Duplex, status: number, code: string, message: string): void {
  const body = JSON.stringify({ error: { code, message, details: {} } });
  socket.on('error', () => {});
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      (status === 401 ? 'WWW-Authenticate: Bearer realm="ladderlog"\r\n' : '') +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
