// When has a connection read all that piled up while the recorder was held up? A ping that is sent after waking is answered behind
// it in the stream. Pure: time is an argument.

/** Without an answer for so long the connection is given up. */
const PATIENCE_MS = 10_000;

export class Backlog {
  private readonly limitMs: number;
  private pings = 0;
  private sentMs = 0;
  private answeredMs: number | null = null;

  constructor(limitMs: number) {
    this.limitMs = limitMs;
  }

  /** The text of the ping to send now. */
  begin(nowMs: number): string {
    this.sentMs = nowMs;
    this.answeredMs = null;
    return `late-${++this.pings}`;
  }

  answer(text: string, nowMs: number): void {
    if (text === `late-${this.pings}`) this.answeredMs = nowMs;
  }

  /**
   * `rested`: the loop had nothing to read for a while. Also when it has no rest: an answer that took less than the limit shows
   * that nothing waits for longer.
   */
  isRead(rested: boolean): boolean {
    return this.answeredMs !== null && (rested || this.answeredMs - this.sentMs <= this.limitMs);
  }

  get isAnswered(): boolean {
    return this.answeredMs !== null;
  }

  isGone(nowMs: number): boolean {
    return this.answeredMs === null && nowMs - this.sentMs > PATIENCE_MS;
  }
}
