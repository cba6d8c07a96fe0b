// Where a command prints a lot: it waits for who reads, and knows when nobody does any more.

import type { Writable } from 'node:stream';

export class Output {
  private readonly stream: Writable;
  private readonly closed = new AbortController();
  private wake: () => void = () => {};

  constructor(stream: Writable) {
    this.stream = stream;
    const end = (): void => {
      this.closed.abort();
      this.wake();
    };
    stream.on('drain', () => this.wake());
    stream.on('close', end);
    // A reader such as `head` that has enough is no failure.
    stream.on('error', end);
  }

  /** Aborted when nobody reads any more. */
  get signal(): AbortSignal {
    return this.closed.signal;
  }

  get isOpen(): boolean {
    return !this.closed.signal.aborted;
  }

  /** Resolved when there is room for more, or nobody reads any more. */
  async write(text: string): Promise<void> {
    if (!this.isOpen || this.stream.write(text)) return;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      if (!this.isOpen) resolve();
    });
  }
}
