// Messages to a venue, in order and no faster than it allows.

export class SendQueue {
  private readonly minGapMs: number;
  private readonly deliver: (text: string) => boolean;
  private waiting: string[] = [];
  private timer: NodeJS.Timeout | null = null;
  private lastSentMs = Number.NEGATIVE_INFINITY;

  /** `deliver` is false while nothing can be sent: what waits then waits for the next message. */
  constructor(minGapMs: number, deliver: (text: string) => boolean) {
    this.minGapMs = minGapMs;
    this.deliver = deliver;
  }

  push(messages: readonly string[]): void {
    this.waiting.push(...messages);
    if (!this.timer) this.sendNext();
  }

  clear(): void {
    this.waiting = [];
  }

  private sendNext(): void {
    this.timer = null;
    while (this.waiting.length > 0) {
      const waitMs = this.lastSentMs + this.minGapMs - performance.now();
      if (waitMs > 0) {
        this.timer = setTimeout(() => this.sendNext(), waitMs);
        return;
      }
      if (!this.deliver(this.waiting[0]!)) return;
      this.waiting.shift();
      this.lastSentMs = performance.now();
    }
  }
}
