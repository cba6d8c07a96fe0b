// The client of a replay on its socket: what it sends is read within limits, what it is sent waits while it does not keep up.

import type { StreamMessage, StreamRequest } from '@ladderlog/core';
import { RequestReader, STREAM_LIMITS, StreamRefusal } from '@ladderlog/core';
import type { WebSocket } from 'ws';

/** Answers to the client come behind what is unsent. */
const UNSENT_BYTES = 256 * 1024;

export class ReplayClient {
  private readonly socket: WebSocket;
  private readonly onError: ((error: unknown) => void) | undefined;
  private readonly reader = new RequestReader(STREAM_LIMITS);
  private waiting: (() => void)[] = [];

  /** What `onRequest` throws is told to the client. */
  constructor(
    socket: WebSocket,
    onRequest: (request: StreamRequest) => void,
    onError?: (error: unknown) => void,
  ) {
    this.socket = socket;
    this.onError = onError;
    socket.on('error', () => {});
    socket.on('close', () => this.release());
    socket.on('message', (data: Buffer, binary) => {
      if (socket.readyState !== socket.OPEN) return;
      const read = this.reader.read(binary ? '' : data.toString('utf8'), performance.now());
      if (!read.ok) {
        if (read.answer) this.send(read.answer);
        if (read.close) socket.close(read.close.code, read.close.reason);
        return;
      }
      try {
        onRequest(read.request);
      } catch (error) {
        this.refuse(error, read.id);
      }
    });
  }

  send(message: StreamMessage): void {
    this.sendText(JSON.stringify(message));
  }

  sendText(text: string): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(text, this.onWritten);
  }

  private readonly onWritten = (): void => {
    if (this.socket.bufferedAmount <= UNSENT_BYTES / 2) this.release();
  };

  private release(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const resume of waiting) resume();
  }

  refuse(error: unknown, id: string | null): void {
    const isRefusal = error instanceof StreamRefusal;
    if (!isRefusal) this.onError?.(error);
    const refusal = isRefusal ? error : new StreamRefusal('INTERNAL_ERROR', 'The replay cannot go on.');
    this.send(refusal.toMessage(id));
  }

  /** More is waiting to be sent than should. */
  get isBehind(): boolean {
    return this.socket.bufferedAmount > UNSENT_BYTES;
  }

  /** Resolved when half of what may wait has gone out, or the socket is closed. */
  caughtUp(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.socket.readyState !== this.socket.OPEN) this.release();
      else this.onWritten();
    });
  }
}
